"""Options that the verbs of MedVision's stages 2 and 3 share; flags with an underscore are the ones its users know."""

from __future__ import annotations

import argparse
from pathlib import Path

from mrarebench_hf.families import FAMILIES, PROFILES

__all__ = ["add_common"]


def add_common(parser: argparse.ArgumentParser) -> None:
    """What is measured, where the files are, and by which rules."""
    names = [family.name for family in FAMILIES]
    parser.add_argument("--task_type", "--task-type", required=True, choices=names, help="what is measured")
    parser.add_argument("--task_dir", "--task-dir", type=Path, help="a task's folder: one folder per model in it")
    parser.add_argument("--model_dir", "--model-dir", type=Path, help="one model's folder, instead of --task_dir")
    parser.add_argument("--models", nargs="+", default=[], metavar="NAME", help="only these models of --task_dir")
    parser.add_argument(
        "--profile", choices=PROFILES, default="spec",
        help="by which rules: the published definitions (default), or those of the package medvision_bm 1.2.1",
    )  # fmt: skip
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N samples of each file, by doc_id")
    parser.add_argument("--data-root", "--data_root", type=Path, default=Path(), metavar="DIR",
                        help="what the paths in the records count from; default: the working folder")  # fmt: skip
    parser.add_argument("--parsed_dirname", "--parsed-dirname", default="parsed", metavar="NAME",
                        help="name of the folder of parsed files in a model's folder; default: parsed")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
