"""Write a Hub-ready dataset repository: Parquet files, a card whose configs load_dataset reads, an evaluation entry.

mrarebench build mrarebench                           all conditions into ./mrarebench
mrarebench build mrarebench --data-dir DIR --data Diagnosis Diagnosis_TO
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mrarebench_hf.cli.prepare import add_source, describe

HELP = "write a Hub-ready dataset repository"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder, for example mrarebench")
    add_source(parser)
    parser.add_argument("--force", action="store_true", help="move aside what is there, if it is no earlier build")


def run(args: argparse.Namespace) -> int:
    """Build, and print what went in and how to load it."""
    from mrarebench_hf.dataset.repository import build

    prepared = build(
        args.out,
        args.data,
        data_dir=args.data_dir,
        revision=args.revision,
        cache_dir=args.cache_dir,
        force=args.force,
    )
    for one in prepared.values():
        print(describe(one))
    name = "Diagnosis_TO" if "Diagnosis_TO" in prepared else next(iter(prepared))
    out = args.out.expanduser()
    place = out if out.is_absolute() else f"./{out}"
    print("\nfrom datasets import load_dataset")
    print(f'ds = load_dataset("{place}", "{name}", split="test")')
    return 0
