"""Let a judge grade stored answers: no benchmark file, no model, and no verdict asked for twice.

  mrarebench judge results --judge gpt-5.4-mini                                       every run of a results folder
  mrarebench judge results/MRareBench_EvidenceVerif/my-model --judge J                one run
  mrarebench judge results --judge J --judge-base-url http://localhost:8000/v1        a server of one's own

The same command again asks only for what is missing. Two judges, or --judge-passes 2, give an agreement report.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mrarebench_hf.cli._judge_options import add_det_backend, add_judge, judge_settings
from mrarebench_hf.cli._shared import end_as_interrupt, show

HELP = "let a judge grade stored answers"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("results", type=Path, help="a results folder, or the folder of one run")
    add_judge(parser, required=True)
    add_det_backend(parser.add_argument_group("scoring"))


def run(args: argparse.Namespace) -> int:
    """Judge, score, print the table to stdout and what is missing to stderr."""
    from mrarebench_hf import pipeline

    end_as_interrupt()
    return show(pipeline.judge(args.results, judge_settings(args), det_backend=args.det_backend))
