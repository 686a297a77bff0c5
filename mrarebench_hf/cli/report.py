"""Collect every scored run below a results folder: tables, contrasts, summary.json and report.md."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "tables and contrasts of all runs in a results folder"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("results_dir", nargs="?", type=Path, default=Path("results"), help="default: results")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap intervals")
    parser.add_argument("--json", action="store_true", help="print the document instead of the tables")


def run(args: argparse.Namespace) -> int:
    """Write the two files and print one of them."""
    from mrarebench_hf import pipeline

    text = pipeline.report(args.results_dir, seed=args.seed)
    print((args.results_dir / "summary.json").read_text(encoding="utf-8") if args.json else text, end="")
    return 0
