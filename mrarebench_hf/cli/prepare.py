"""Fill the cache of datasets, so that load_dataset("mrarebench", ...) gives the benchmark from any folder.

mrarebench prepare                                    all conditions, files from $LMUData or the Hub
mrarebench prepare --data Diagnosis_TO --data-dir DIR
mrarebench prepare --data KiTS23_TumorLesionSize_Task01_Axial_Test --data-dir DIR     a task of MedVision
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from mrarebench_hf.cli._measured_options import add_reading, refuse_measured, refuse_of_conditions

HELP = "fill the cache that load_dataset reads"
INTERRUPTED = "nothing is half-written; the same command again goes on with what is missing"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_source(parser, "input conditions (default: all six), or tasks of MedVision, or one task list of them (JSON)")
    add_reading(parser)


def add_source(parser: argparse.ArgumentParser, what: str = "input conditions (default: all six)") -> None:
    """Declare where the benchmark comes from and which conditions are meant."""
    parser.add_argument("--data", nargs="+", metavar="NAME", help=what)
    parser.add_argument(
        "--data-dir", type=Path, metavar="DIR", help="folder of the benchmark files (else $LMUData, else the Hub)"
    )
    parser.add_argument("--revision", metavar="REV", help="revision of the Hub dataset")
    parser.add_argument("--cache-dir", type=Path, metavar="DIR", help="cache of datasets (default: its own)")


def run(args: argparse.Namespace) -> int:
    """Prepare, and print what it costs and how to load it."""
    from mrarebench_hf.dataset import prepare
    from mrarebench_hf.source.task_list import is_measured

    if args.data and is_measured(args.data):
        name, split = _prepare_tasks(args)
    else:
        refuse_measured(args)
        prepared = prepare(args.data, data_dir=args.data_dir, revision=args.revision, cache_dir=args.cache_dir)
        for one in prepared.values():
            print(describe(one))
        name, split = "Diagnosis_TO" if "Diagnosis_TO" in prepared else next(iter(prepared)), "test"
    cache = f', cache_dir="{args.cache_dir}"' if args.cache_dir else ""
    print("\nfrom datasets import load_dataset")
    print(f'ds = load_dataset("mrarebench", "{name}", split="{split}"{cache})')
    return 0


def _prepare_tasks(args: argparse.Namespace) -> tuple[str, str]:
    """Prepare tasks of MedVision one after the other, and tell name and split of the first."""
    from mrarebench_hf.dataset import prepare_tasks
    from mrarebench_hf.dataset.measured_loading import Reading
    from mrarebench_hf.source.task_list import read_tasks

    refuse_of_conditions(args)
    names = [name for name, _ in read_tasks(args.data).tasks]
    reading = Reading(args.release or "latest", not args.no_filter, args.float16_targets, args.reshape_image_hw)
    for name in names:
        prepared = prepare_tasks([name.text], data_dir=args.data_dir, reading=reading, cache_dir=args.cache_dir)
        one = prepared[name.text]
        dropped = sum(one.found.dropped.values())
        left_out = f", {dropped} left out" if dropped else ""
        size = f"{one.n_bytes():,} bytes in the cache"
        print(f"{name.text}  {len(one.found.samples)} rows{left_out}, {size}, from {one.found.plan.path}")
    return names[0].text, names[0].split.lower()


def describe(one: Any) -> str:
    """One line about a prepared condition: rows, bytes in the cache, source."""
    origin = one.provenance
    at = f" at {origin.revision}" if origin.revision else ""
    size = f"{one.n_bytes():,}"
    return f"{one.condition.name:<20} {origin.n_rows:>5} rows {size:>15} bytes in the cache  from {origin.source}{at}"
