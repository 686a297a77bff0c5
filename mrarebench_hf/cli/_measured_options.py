"""Options of ``mrarebench run`` that MedVision's tasks have beside those of the conditions."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from mrarebench_hf.errors import UsageError

if TYPE_CHECKING:
    from mrarebench_hf.model import Settings
    from mrarebench_hf.pipeline.measured_options import MeasuredOptions

__all__ = ["add_measured", "add_reading", "measured_options", "refuse_measured", "refuse_of_conditions"]

_POLICIES = ("first", "spread", "random")
# Option → (flag, value that means "not given").
_OWN: dict[str, tuple[str, Any]] = {
    "release": ("--release", None),
    "sample_policy": ("--sample-policy", None),
    "reshape_image_hw": ("--reshape-image-hw", None),
    "perceived_size": ("--perceived-size", None),
    "no_filter": ("--no-filter", False),
    "float16_targets": ("--float16-targets", False),
}
_OF_CONDITIONS = {
    "judge": ("--judge", None),
    "det_backend": ("--det-backend", None),
    "revision": ("--revision", None),
}


def add_measured(parser: argparse.ArgumentParser) -> None:
    """Declare the options of a run."""
    group = add_reading(parser)
    group.add_argument(
        "--sample-policy", "--sample_policy", choices=_POLICIES,
        help="which samples --limit leaves: the first (default), at even distances over all, or drawn by --seed",
    )  # fmt: skip
    group.add_argument("--perceived-size", "--perceived_size", type=_size, metavar="H,W",
                       help="size of the picture that the model sees, where its processor does not tell")  # fmt: skip


def add_reading(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Declare how the data are read, in a group of their own."""
    group = parser.add_argument_group("MedVision", "for --data that names its tasks or a task list (JSON)")
    group.add_argument("--release", metavar="V", help="version of the data, 1.0.0 to 1.4.0; default: latest (1.4.0)")
    group.add_argument("--reshape-image-hw", "--reshape_image_hw", type=_size, metavar="H,W",
                       help="bring every slice to so many rows and columns first")  # fmt: skip
    group.add_argument("--no-filter", action="store_true", help="keep the samples that MedVision's filters leave out")
    group.add_argument("--float16-targets", action="store_true",
                       help="round targets to float16, as MedVision's own rows hold them")  # fmt: skip
    return group


def measured_options(args: argparse.Namespace, settings: Settings) -> MeasuredOptions:
    """The options of a run over MedVision's tasks.

    Raises:
        UsageError: for options that such a run does not have, or without a data folder.
    """
    from mrarebench_hf.pipeline.measured_options import DEFAULT_LIMIT, MeasuredOptions
    from mrarebench_hf.source.releases import data_folder
    from mrarebench_hf.source.task_list import read_tasks

    refuse_of_conditions(args)
    return MeasuredOptions(
        tasks=read_tasks(args.data),
        model=args.model,
        data_dir=data_folder(args.data_dir),
        settings=settings,
        mode=args.mode,
        results_dir=args.results_dir,
        release=args.release or "latest",
        limit=DEFAULT_LIMIT if args.limit is None else args.limit,
        policy=args.sample_policy or "first",
        resize_px=args.reshape_image_hw,
        perceived_px=args.perceived_size,
        filtered=not args.no_filter,
        float16=args.float16_targets,
        batch_size=args.batch_size,
        reuse=args.reuse,
        cache=not args.no_cache and os.environ.get("MEDVISION_RESP_CACHE") != "0",
        max_fail_rate=args.max_fail_rate,
        timeout_s=args.timeout,
    )


def refuse_of_conditions(args: argparse.Namespace) -> None:
    """Refuse options of conditions where MedVision's tasks are meant.

    Raises:
        UsageError: for the first one that is given.
    """
    _refuse(args, _OF_CONDITIONS, "is for MRareBench's conditions, not for MedVision's tasks")


def refuse_measured(args: argparse.Namespace) -> None:
    """Refuse MedVision's options where conditions are meant.

    Raises:
        UsageError: for the first one that is given.
    """
    _refuse(args, _OWN, "is for MedVision's tasks, not for MRareBench's conditions")


def _refuse(args: argparse.Namespace, options: dict[str, tuple[str, Any]], why: str) -> None:
    for name, (flag, absent) in options.items():
        if getattr(args, name, absent) != absent:
            raise UsageError(f"{flag} {why}")


def _size(text: str) -> tuple[int, int]:
    try:
        rows, columns = map(int, text.replace("x", ",").split(","))
    except ValueError:
        rows = columns = 0
    if not (1 <= rows <= 8192 and 1 <= columns <= 8192):
        raise argparse.ArgumentTypeError(f"{text!r} is no size: rows and columns from 1 to 8192, such as 512,512")
    return rows, columns
