"""Stage dataset: a located file and a condition in, a folder in the cache of datasets out, written once.

The folder is named by its content and holds what datasets itself would write, so that afterwards
``load_dataset("mrarebench", …)`` finds it by datasets' own route. It comes into being by one rename; what is being
written lies under names with a leading dot, which that route does not see.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset.notes import Notes
from mrarebench_hf.dataset.rows import Layout
from mrarebench_hf.dataset.withheld import passed_columns
from mrarebench_hf.errors import DataFormatError, StoreError
from mrarebench_hf.prompt import template_sha256
from mrarebench_hf.source.cases import read_cases
from mrarebench_hf.source.picture import MAX_PIXELS

__all__ = ["NAME", "SPLIT", "VERSION", "Slot"]

NAME = "mrarebench"
SPLIT = "test"
VERSION = "1.0.0"
_ROWS_VERSION = 3  # raise it when the same file gives other rows, so that no older cache is taken for them
_SHARD = f"{NAME}-{SPLIT}.arrow"
_INFO = "dataset_info.json"


@dataclass(frozen=True, slots=True)
class Slot:
    """The place in the cache of one condition of one file.

    Attributes:
        root: the cache of datasets.
        condition: the input condition.
        sha256: hash of the benchmark file.
    """

    root: Path
    condition: Condition
    sha256: str

    @property
    def key(self) -> str:
        """Hash of everything the rows are made of: the file, our wording, and how we read it."""
        content = [_ROWS_VERSION, MAX_PIXELS, self.sha256, self.condition.name, template_sha256(self.condition)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]

    def folder(self, name: str | None = None) -> Path:
        """The folder under a config name, the short one unless told."""
        return self.root / NAME / (name or self.condition.name) / VERSION / self.key

    @property
    def shard(self) -> Path:
        """The Arrow file."""
        return self.folder() / _SHARD

    def fill(self, source: Path) -> Notes:
        """Write the folder unless it is there, under both names, and make it the newest of its config.

        Raises:
            DataFormatError: when the file is damaged, or changes while it is read.
            StoreError: when the cache cannot be written.
        """
        from filelock import FileLock

        folder, long = self.folder(), self.folder(self.condition.long_name)
        try:
            notes = self._current(source)
            if notes is not None and not os.access(folder.parent, os.W_OK):
                return notes  # somebody else's cache, complete: there is nothing to write
            folder.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(folder.parent / f".{self.key}.lock"):
                notes = self._current(source)
                if notes is None:
                    notes = self._write(source, folder)
                    self._copy(folder, long)
                elif not _same_shard(folder, long):
                    self._copy(folder, long)
                # datasets takes the newest folder of a config: an edit that is undone must count again.
                os.utime(folder)
                os.utime(long)
                return notes
        except OSError as error:
            raise StoreError(f"the cache {self.root} cannot be written: {error}; HF_DATASETS_CACHE moves it") from error

    def _current(self, source: Path) -> Notes | None:
        """The notes of a folder that is whole and up to date, else None."""
        notes = Notes.read(self.folder())
        return notes if notes is not None and self.shard.is_file() and not notes.outdated(source) else None

    def _write(self, source: Path, folder: Path) -> Notes:
        before = _state(source)
        with _becoming(folder) as new:
            notes = self._write_rows(source, new)
            if _state(source) != before:
                raise DataFormatError(f"{source} changed while it was read: run this again")
            notes.write(new, source)
        return notes

    def _write_rows(self, source: Path, new: Path) -> Notes:
        from tqdm import tqdm

        passed, left_out = passed_columns(source, self.condition)
        layout = Layout(self.condition, passed)
        notes = Notes(self.condition, left_out)
        n_bytes = 0
        bar = tqdm(desc=f"preparing {self.condition.name}", unit=" rows", delay=2, disable=None)
        with bar, _BatchWriter(new / _SHARD, layout.schema) as writer:
            for cases in read_cases(
                source, self.condition.task, pictures=self.condition.images, on_file=notes.depends_on
            ):
                notes.take(cases)
                for batch in layout.batches(cases):
                    writer.write(batch)
                    n_bytes += batch.nbytes
                bar.update(len(cases))
        self._write_info(new, self.condition.name, layout, notes.n_rows, n_bytes)
        return notes

    def _write_info(self, folder: Path, name: str, layout: Layout, n_rows: int, n_bytes: int) -> None:
        from datasets import DatasetInfo

        from mrarebench_hf.dataset.columns import features

        split = {"name": SPLIT, "num_bytes": n_bytes, "num_examples": n_rows, "dataset_name": NAME}
        info = DatasetInfo(
            description=self.condition.why,
            features=features(self.condition, layout.extras),
            builder_name=NAME,
            dataset_name=NAME,
            config_name=name,
            version=VERSION,
            splits={SPLIT: split},
            dataset_size=n_bytes,
        )
        info.write_to_directory(str(folder))

    def _copy(self, folder: Path, long: Path) -> None:
        """The long name: the same Arrow file by a hard link, with an info of its own."""
        long.parent.mkdir(parents=True, exist_ok=True)
        with _becoming(long) as new:
            for path in folder.iterdir():
                if path.name == _INFO:
                    info: dict[str, Any] = json.loads(path.read_bytes())
                    (new / _INFO).write_text(json.dumps(info | {"config_name": self.condition.long_name}))
                else:
                    _link(path, new / path.name)


class _BatchWriter:
    """An Arrow stream file, written by a thread of its own while the next pictures are decoded; one batch waits."""

    def __init__(self, path: Path, schema: Any) -> None:
        import pyarrow as pa

        self._open = contextlib.ExitStack()
        file = self._open.enter_context(pa.OSFile(str(path), "wb"))
        self._stream = self._open.enter_context(pa.ipc.new_stream(file, schema))
        self._thread = self._open.enter_context(ThreadPoolExecutor(1))
        self._last: Future[None] | None = None

    def write(self, batch: Any) -> None:
        """Hand a batch over once the one before it is written; raises what that raised."""
        if self._last is not None:
            self._last.result()
        self._last = self._thread.submit(self._stream.write_batch, batch)

    def __enter__(self) -> _BatchWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._open:
            if self._last is not None and kind is None:
                self._last.result()


def _same_shard(folder: Path, long: Path) -> bool:
    """Whether the long name holds the very file of the short one, or a copy of its size."""
    try:
        ours, theirs = (folder / _SHARD).stat(), (long / _SHARD).stat()
    except FileNotFoundError:
        return False
    return ours.st_ino == theirs.st_ino or ours.st_size == theirs.st_size


@contextlib.contextmanager
def _becoming(folder: Path) -> Iterator[Path]:
    """A new folder that takes the given one's name when the block ends well, and is gone when it does not.

    Callers hold the lock of the key, so a leftover of the same name belongs to a process that was killed.
    """
    new = folder.parent / f".{folder.name}.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    try:
        yield new
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _link(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except OSError:  # a file system without hard links pays for a copy
        shutil.copyfile(source, target)


def _state(path: Path) -> tuple[int, int, int]:
    state = path.stat()
    return state.st_size, state.st_mtime_ns, state.st_ino
