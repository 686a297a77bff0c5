"""Fill the cache of datasets, so that load_dataset("mrarebench", ...) gives the benchmark from any folder.

mrarebench prepare                                    all conditions, files from $LMUData or the Hub
mrarebench prepare --data Diagnosis_TO --data-dir DIR
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

HELP = "fill the cache that load_dataset reads"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_source(parser)


def add_source(parser: argparse.ArgumentParser) -> None:
    """Declare where the benchmark comes from and which conditions are meant."""
    parser.add_argument("--data", nargs="+", metavar="CONDITION", help="input conditions (default: all six)")
    parser.add_argument(
        "--data-dir", type=Path, metavar="DIR", help="folder of the benchmark files (else $LMUData, else the Hub)"
    )
    parser.add_argument("--revision", metavar="REV", help="revision of the Hub dataset")
    parser.add_argument("--cache-dir", type=Path, metavar="DIR", help="cache of datasets (default: its own)")


def run(args: argparse.Namespace) -> int:
    """Prepare, and print what it costs and how to load it."""
    from mrarebench_hf.dataset import prepare

    prepared = prepare(args.data, data_dir=args.data_dir, revision=args.revision, cache_dir=args.cache_dir)
    for one in prepared.values():
        print(describe(one))
    name = "Diagnosis_TO" if "Diagnosis_TO" in prepared else next(iter(prepared))
    cache = f', cache_dir="{args.cache_dir}"' if args.cache_dir else ""
    print("\nfrom datasets import load_dataset")
    print(f'ds = load_dataset("mrarebench", "{name}", split="test"{cache})')
    return 0


def describe(one: Any) -> str:
    """One line about a prepared condition: rows, bytes in the cache, source."""
    origin = one.provenance
    at = f" at {origin.revision}" if origin.revision else ""
    size = f"{one.n_bytes():,}"
    return f"{one.condition.name:<20} {origin.n_rows:>5} rows {size:>15} bytes in the cache  from {origin.source}{at}"
