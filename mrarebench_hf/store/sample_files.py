"""Stage store: MedVision's samples files in a results tree: where they are, what their names say, their lines.

In: the folder of a task or of a model. Out: the files in it, and the decoded lines of one, read as a stream.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from mrarebench_hf.errors import StoreError

__all__ = ["Line", "SampleFile", "lines", "model_folders", "sample_files"]

_NAME = re.compile(r"(?P<stamp>.+)_samples_(?P<task>.+)\.jsonl")
_TASK = re.compile(r"(?P<dataset>[^_]+)_(?P<kind>.+?)_Task(?P<number>[0-9]+)_(?P<plane>[A-Za-z]+)")
# What runs make beside the samples; never a model of its own.
_NOT_MODELS = frozenset({"response_cache", "parsed", "judged"})


@dataclass(frozen=True, slots=True)
class SampleFile:
    """One samples file.

    Attributes:
        path: the file.
        stamp: everything before the last ``_samples_``; it pairs the file with ``<stamp>_results.json``.
        task: everything after it.
        dataset: the task's text up to the first underscore.
        number: the dataset's own task number in the name; None when the name has none.
        plane: "Axial", "Coronal", "Sagittal"; "" when the name has none.
    """

    path: Path
    stamp: str
    task: str
    dataset: str
    number: int | None
    plane: str

    @property
    def is_scaled(self) -> bool:
        """Whether the task scaled the stated pixel size."""
        return "scaledPS" in self.path.name

    @property
    def results(self) -> Path:
        """The results file beside it."""
        return self.path.with_name(f"{self.stamp}_results.json")

    def inside(self, folder: Path, kind: str, suffix: str) -> Path:
        """Path of a file in ``folder`` that belongs to this one."""
        return folder / f"{self.stamp}_{kind}_{self.task}.{suffix}"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a samples file.

    Attributes:
        number: from 1.
        record: the decoded JSON; None when it cannot be decoded.
        fault: why not.
        size: bytes of the line.
    """

    number: int
    record: Any
    fault: str | None
    size: int


def sample_files(folder: Path) -> list[SampleFile]:
    """The samples files directly inside a folder, by name.

    Raises:
        StoreError: when there is no such folder.
    """
    if not folder.is_dir():
        raise StoreError(f"no folder {folder}")
    found = []
    for path in sorted(folder.glob("*_samples_*.jsonl")):
        name = _NAME.fullmatch(path.name)
        if name is None or not path.is_file() or path.name.startswith("."):
            continue
        task = _TASK.match(name["task"])
        number, plane = (int(task["number"]), task["plane"]) if task else (None, "")
        found.append(SampleFile(path, name["stamp"], name["task"], name["task"].partition("_")[0], number, plane))
    return found


def model_folders(task_dir: Path, models: Sequence[str] = ()) -> list[Path]:
    """The folders of models in a task's folder, by name; only those named, when some are.

    Raises:
        StoreError: when there is no such folder, no folder in it, or a named one is missing.
    """
    if not task_dir.is_dir():
        raise StoreError(f"no task folder {task_dir}: give the folder that holds one folder per model")
    found = [p for p in sorted(task_dir.iterdir()) if p.is_dir() and not p.name.startswith((".", "_"))]
    found = [p for p in found if p.name not in _NOT_MODELS]
    names = [p.name for p in found]
    missing = [name for name in models if name not in names]
    if missing:
        raise StoreError(f"no model {missing[0]!r} in {task_dir}; there: {', '.join(names) or 'none'}")
    if not found:
        raise StoreError(f"no model's folder in {task_dir}: for one model's own folder use --model_dir")
    return [p for p in found if not models or p.name in models]


def lines(path: Path) -> Iterator[Line]:
    """The lines that are not blank, one at a time; a damaged one carries its fault and stops nothing.

    Python's ``NaN`` and ``Infinity``, which medvision_bm writes, are read as numbers.

    Raises:
        StoreError: when the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            for number, data in enumerate(file, start=1):
                if data.strip():
                    yield _decoded(number, data)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror or error}") from error


def _decoded(number: int, data: bytes) -> Line:
    try:
        return Line(number, orjson.loads(data), None, len(data))
    except orjson.JSONDecodeError:
        pass
    try:  # slower, and reads what strict JSON does not hold
        return Line(number, json.loads(data), None, len(data))
    except (ValueError, RecursionError) as error:
        return Line(number, None, f"no JSON: {error}", len(data))
