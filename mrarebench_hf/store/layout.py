"""Where things lie in a results folder: ``<results_dir>/<task tag>/<model slug>/``; one place for every name."""

from __future__ import annotations

import contextlib
import logging
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import filelock

from mrarebench_hf.errors import StoreError
from mrarebench_hf.store.atomic import read_json

__all__ = ["RunFolder", "run_folders", "started_folders"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The files of one model on one task.

    Attributes:
        root: the folder.
        tag: the task's tag, for example ``MRareBench_Diagnosis``.
        keeps_responses: false for a run that wants no cache; its journals live only as long as the run.
    """

    root: Path
    tag: str
    keeps_responses: bool = True

    @property
    def manifest(self) -> Path:
        """What was run, how, when and where; "started" first, "complete" last."""
        return self.root / "run.json"

    @property
    def cache(self) -> Path:
        """The folder of the response journals."""
        return self.root / ("response_cache" if self.keeps_responses else "response_cache.tmp")

    @property
    def summary(self) -> Path:
        """The scores, equal bytes for equal responses."""
        return self.root / "summary.json"

    @property
    def parsed(self) -> Path:
        """One scored row per sample."""
        return self.root / "parsed" / f"{self.tag}.jsonl"

    @property
    def judged(self) -> Path:
        """The folder of the judges' journals and verdicts."""
        return self.root / "judged"

    def samples(self, stamp: str) -> Path:
        """The merged raw record, one row per sample."""
        return self.root / f"{stamp}_samples_{self.tag}.jsonl"

    def results(self, stamp: str) -> Path:
        """The raw record's aggregate, in the layout that MedVision users have."""
        return self.root / f"{stamp}_results.json"

    def set_aside_cache(self) -> None:
        """Start afresh: keep the journals under another name (those of a run without a cache go)."""
        if not self.keeps_responses:
            shutil.rmtree(self.cache, ignore_errors=True)
        elif self.cache.is_dir():
            stamp = time.strftime("%Y%m%d_%H%M%S")
            number, target = 0, self.cache.with_name(f"response_cache.{stamp}")
            while target.exists():
                number += 1
                target = self.cache.with_name(f"response_cache.{stamp}.{number}")
            self.cache.rename(target)
            _LOG.info("earlier responses are kept in %s", target)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder against a second run; where the file system has no locks, go on without.

        Raises:
            StoreError: when another run holds it.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make {self.root}: {error.strerror}; choose another --results-dir") from error
        lock = filelock.FileLock(self.root / ".lock")
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout as error:
            raise StoreError(
                f"another run is writing to {self.root}: wait for it, or use another --results-dir"
            ) from error
        except (OSError, NotImplementedError) as error:
            _LOG.debug("no lock on %s: %s", self.root, error)
        try:
            yield
        finally:
            lock.release()


def started_folders(path: Path) -> list[RunFolder]:
    """The run folders at or below a path (one run, one task, or a whole results folder) that hold a manifest.

    Those of MedVision's tasks are left out; its stages 2 and 3 have verbs of their own.

    Raises:
        StoreError: when there is no such folder, or no run in it.
    """
    if not path.is_dir():
        raise StoreError(f"no results folder {path}: give the folder that --results-dir named, or one run's folder")
    for pattern in ("run.json", "*/run.json", "*/*/run.json"):
        found = [p for p in sorted(path.glob(pattern)) if not _is_measured(p)]
        if found:
            return [RunFolder(p.parent, p.resolve().parent.parent.name) for p in found]
    raise StoreError(f"no run over conditions in {path}: mrarebench run … --results-dir {path} makes one")


def _is_measured(path: Path) -> bool:
    """Whether a manifest is MedVision's, which has several tasks; one that cannot be read is nobody's yet."""
    try:
        return "tasks" in read_json(path)
    except StoreError:
        return False


def run_folders(results_dir: Path) -> list[RunFolder]:
    """All run folders below a results folder that hold a summary, sorted by name.

    Raises:
        StoreError: when there is no such folder.
    """
    if not results_dir.is_dir():
        raise StoreError(f"no results folder {results_dir}: give the folder that --results-dir named")
    return [RunFolder(p.parent, p.parent.parent.name) for p in sorted(results_dir.glob("*/*/summary.json"))]
