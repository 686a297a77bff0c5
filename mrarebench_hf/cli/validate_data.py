"""Check a MedVision data folder: its plans against its volumes, masks and landmarks.

  mrarebench validate-data DIR                                   every dataset, the newest plans
  mrarebench validate-data DIR --dataset KiTS23 --release 1.0.0  one dataset, as a release has it
  mrarebench validate-data DIR --quick                           headers and landmarks, no voxel of a mask

One line for each fault: the plan, the place in it, what is wrong and what was expected. Exit code 1 when there is one.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

HELP = "MedVision: check plans against volumes, masks and landmarks"
INTERRUPTED = "nothing is half-written; run it again"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("data_dir", type=Path, metavar="DIR", help="the folder that holds Datasets/")
    parser.add_argument("--dataset", nargs="+", action="extend", default=[], metavar="NAME", help="default: all")
    parser.add_argument("--release", default="latest", metavar="V",
                        help="version of the data, 1.0.0 to 1.4.0; default: latest (1.4.0)")  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="do not read the masks' voxels")
    parser.add_argument("--json", action="store_true", help="print the faults as a JSON array")


def run(args: argparse.Namespace) -> int:
    """Check; faults to stdout, everything else to stderr."""
    from mrarebench_hf.source.validation import validate

    with _Progress() as progress:
        faults = validate(args.data_dir, args.dataset, args.release, args.quick, progress)
        if args.json:
            documents = [asdict(fault) for fault in faults]
            n_faults = len(documents)
            print(json.dumps(documents, indent=2))
        else:
            n_faults = sum(progress.say(fault.line, sys.stdout) for fault in faults)
    plural = "" if n_faults == 1 else "s"
    print(f"{n_faults} fault{plural} in {progress.n_cases} cases of {progress.n_plans} plans", file=sys.stderr)
    return 1 if n_faults else 0


class _Progress:
    """Counts what is checked, and shows it as a bar that lines do not tear apart."""

    def __init__(self) -> None:
        from tqdm import tqdm

        self.n_plans = 0
        self.n_cases = 0
        self._n_planned = 0
        self._bar = tqdm(total=0, desc="validate", unit=" cases", delay=2, disable=None)

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()

    def planned(self, plans: int, cases: int) -> None:
        self.n_plans += plans
        self._bar.total = self._n_planned = self._n_planned + cases

    def checked(self) -> None:
        self.n_cases += 1
        self._bar.update()

    def note(self, text: str) -> None:
        self.say(f"mrarebench: {text}", sys.stderr)

    def say(self, line: str, stream: TextIO) -> bool:
        self._bar.write(line, file=stream)
        return True
