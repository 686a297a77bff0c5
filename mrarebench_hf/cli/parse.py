"""Stage 2 of MedVision: read the numbers out of stored answers and score every sample.

  mrarebench parse --task_type TL --task_dir Results/MedVision-TL              every model of a task
  mrarebench parse --task_type Detection --model_dir Results/MedVision-detect/my-model --box-format xyxy1000
  mrarebench parse --task_type AD --task_dir Results/MedVision-AD --profile medvision_bm --data-root .

Writes parsed/ beside the raw files, which stay as they are. Reads results of this package and of medvision_bm.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from mrarebench_hf import families
from mrarebench_hf.cli._measurement_options import add_common
from mrarebench_hf.cli._shared import end_as_interrupt

if TYPE_CHECKING:
    from mrarebench_hf.pipeline.measured_file import FileReport

HELP = "MedVision: numbers out of stored answers, and the score of every sample"
INTERRUPTED = "files that are finished stay, and --skip_existing passes over them"

_FORMATS = ("xyxy01", "xyxy1000", "xyxy_px", "xywh01")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_common(parser)
    parser.add_argument("-p", "--processes", type=int, default=1, metavar="N", help="files parsed at once")
    parser.add_argument("--skip_existing", "--skip-existing", action="store_true",
                        help="leave files alone that were parsed by the same rules from the same answers")  # fmt: skip
    boxes = parser.add_argument_group("boxes", "what the model answers in, when it is not what it was asked for")
    boxes.add_argument("--box-format", "--box_format", choices=_FORMATS, default="xyxy01",
                       help="corners as fractions (default), in thousandths, in pixels; corner and size")  # fmt: skip
    boxes.add_argument("--box-origin", "--box_origin", choices=("lower-left", "upper-left"), default="lower-left",
                       help="where y is 0; default: lower-left, as MedVision asks")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Parse; one line per file to stdout, what is wrong to stderr."""
    from mrarebench_hf.pipeline.measured_file import Reading
    from mrarebench_hf.pipeline.measurements import parse_measurements

    end_as_interrupt()
    how = Reading(
        families.get(args.task_type), args.profile, args.box_format, args.box_origin, args.data_root, args.limit,
        args.parsed_dirname,
    )  # fmt: skip
    reports = parse_measurements(how, args.task_dir, args.model_dir, args.models, args.skip_existing, args.processes)
    if args.json:
        print(json.dumps([_document(report) for report in reports], indent=2))
    else:
        print("\n".join(map(_line, reports)) if reports else "nothing to parse: every parsed file is there")
    for report in reports:
        for text in (*report.faults, *report.notes):
            print(f"mrarebench: {text}", file=sys.stderr)
    return 3 if any(report.counts["n_damaged_lines"] or report.counts["n_missing"] for report in reports) else 0


def _line(report: FileReport) -> str:
    counts = ", ".join(f"{name[2:].replace('_', ' ')} {n}" for name, n in report.counts.items() if n)
    reasons = ", ".join(f"{reason} {n}" for reason, n in report.reasons.items())
    return f"{report.path}: {counts or 'no samples'}" + (f" ({reasons})" if reasons else "")


def _document(report: FileReport) -> dict[str, object]:
    return {"path": str(report.path), "counts": report.counts, "reasons": report.reasons, "faults": report.faults}
