"""The stamp that a MedVision task's files bear in a model's folder: one per task, so that no task counts twice."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mrarebench_hf.store.sample_files import SampleFile, sample_files

__all__ = ["EARLIER", "replace_stamp"]

# Where the files of a task go that a fresh start replaces; stages 2 and 3 do not look there.
EARLIER = "earlier"
_PARSED = "parsed"


def replace_stamp(root: Path, task: str, *, fresh: bool) -> str:
    """The stamp to write a task's files under, once no other samples file of the task is in the folder.

    What stage 2 made of the earlier answers is taken away, as it would no longer fit.

    Args:
        root: the model's folder.
        task: the task's name.
        fresh: move earlier files into ``earlier/`` and take a new stamp, instead of replacing the newest.
    """
    files = sample_files(root)
    known = [file for file in files if file.task == task]
    kept = None if fresh or not known else known[-1]
    for file in known:
        _forget_parsed(file)
        if file is not kept:
            _set_aside(file)
    return kept.stamp if kept is not None else _new_stamp({file.stamp for file in files})


def _forget_parsed(file: SampleFile) -> None:
    folder = file.path.parent / _PARSED
    for path in (folder / file.path.name, folder / file.results.name, file.inside(folder, "scores", "parquet")):
        path.unlink(missing_ok=True)


def _set_aside(file: SampleFile) -> None:
    folder = file.path.parent / EARLIER
    folder.mkdir(exist_ok=True)
    for path in (file.path, file.results):
        if path.exists():
            path.replace(folder / path.name)


def _new_stamp(taken: set[str]) -> str:
    """Now, or as many seconds later as there are other tasks of the same second: results files pair by stamp."""
    now = datetime.now(UTC)
    stamps = ((now + timedelta(seconds=later)).strftime("%Y%m%d_%H%M%S") for later in itertools.count())
    return next(stamp for stamp in stamps if stamp not in taken)
