"""Stage source: a task's name in, the path of its benchmark file out, with where it came from.

Local first: the folder that the caller names, else ``$LMUData`` (as the existing harness lays it out), else the Hub.
Environment variables are read when a file is asked for, not when this is imported.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mrarebench_hf import conditions, tasks
from mrarebench_hf.errors import DataNotFoundError, UsageError
from mrarebench_hf.records import Provenance

__all__ = ["REPOSITORY", "Located", "locate", "sha256_of"]

REPOSITORY = "junzhin/MRareBench"
_ROOT = "MRareBench"


@dataclass(frozen=True, slots=True)
class Located:
    """A benchmark file that was found.

    Attributes:
        path: the file.
        source: "local" or "hub:<repository id>".
        revision: the commit that a Hub source was resolved to; None for local files.
    """

    path: Path
    source: str
    revision: str | None

    def provenance(self, sha256: str, n_rows: int) -> Provenance:
        """The record that goes into results; it holds no path."""
        return Provenance(self.source, self.revision, sha256, n_rows)


def locate(task: str, *, data_dir: str | Path | None = None, revision: str | None = None) -> Located:
    """Find a task's benchmark file.

    Args:
        task: entry of ``mrarebench_hf.tasks``.
        data_dir: a folder that holds ``<folder>/<file>``, ``MRareBench/<folder>/<file>`` or ``<file>``, or the file
            itself. Nothing else is tried then.
        revision: branch, tag or commit of the Hub dataset; asks for the Hub even when local files are there.

    Raises:
        DataNotFoundError: naming the places that were tried, and what to do.
        UsageError: when both arguments are given.
    """
    known = tasks.get(task)
    if data_dir is not None:
        if revision is not None:
            raise UsageError(f"revision {revision!r} is one of the Hub dataset; with a data folder there is none")
        return _named(Path(data_dir).expanduser().absolute(), known)
    tried: list[str] = []
    if revision is None:
        for path in _harness_places(known):
            if path.is_file():
                return Located(path, "local", None)
            tried.append(str(path))
    return _on_hub(known, revision, tried)


def sha256_of(path: Path) -> str:
    """Hex digest of a file's bytes; raises DataNotFoundError when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataNotFoundError(f"{path} cannot be read: {error.strerror}") from None


def _root() -> str:
    return os.environ.get("MRAREBENCH_ROOT") or _ROOT


def _places(folder: Path, task: tasks.Task) -> Iterator[Path]:
    for inner in dict.fromkeys((_root(), _ROOT)):
        yield folder / inner / task.folder / task.filename
    yield folder / task.folder / task.filename
    yield folder / task.filename


def _named(data_dir: Path, task: tasks.Task) -> Located:
    if data_dir.is_file():
        # A file is what it is, unless its name is the other track's: then this track's lies beside it.
        others = {tasks.get(name).filename for name in tasks.names()} - {task.filename}
        beside = data_dir.with_name(task.filename)
        return Located(beside if data_dir.name in others and beside.is_file() else data_dir, "local", None)
    places = list(_places(data_dir, task))
    for path in places:
        if path.is_file():
            return Located(path, "local", None)
    state = "" if data_dir.is_dir() else f"there is no folder {data_dir}; "
    raise DataNotFoundError(
        f"no {task.filename} for {task.title}: {state}tried {', '.join(map(str, places))}. "
        f"--data-dir takes the folder that holds {task.folder}/{task.filename}"
    )


def _harness_places(task: tasks.Task) -> Iterator[Path]:
    """Where the existing harness keeps the file: the local layout, then what it downloads once per dataset name."""
    stated = os.environ.get("LMUData")  # noqa: SIM112 - the harness spells it so
    folder = Path(stated).expanduser() if stated and Path(stated).expanduser().is_dir() else Path.home() / "LMUData"
    yield folder / _root() / task.folder / task.filename
    for condition in conditions.CONDITIONS:
        if condition.task == task.name:
            yield folder / f"{condition.long_name}.tsv"


def _on_hub(task: tasks.Task, revision: str | None, tried: list[str]) -> Located:
    from mrarebench_hf.source import hub

    try:
        path, commit = hub.fetch(REPOSITORY, revision, hub.Wanted(task.filename, _hub_names(task)))
    except DataNotFoundError as error:
        before = f" Tried before: {', '.join(tried)}." if tried else ""
        raise DataNotFoundError(
            f"no {task.filename} for {task.title}: {error}.{before} Have the file already? --data-dir takes the folder "
            f"that holds {task.folder}/{task.filename}"
        ) from None
    return Located(path, f"hub:{REPOSITORY}", commit)


def _hub_names(task: tasks.Task) -> tuple[str, ...]:
    return (f"{task.folder}/{task.filename}", f"{_ROOT}/{task.folder}/{task.filename}", task.filename)
