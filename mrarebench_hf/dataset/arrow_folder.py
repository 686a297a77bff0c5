"""Stage dataset: one config's folder in the cache of datasets, holding what datasets itself would have written.

``load_dataset("mrarebench", …)`` afterwards finds it by datasets' own route. It comes into being by one rename; what is
being written lies under names with a leading dot, which that route does not see.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mrarebench_hf.errors import StoreError

if TYPE_CHECKING:
    from datasets import Dataset, Features

__all__ = ["NAME", "VERSION", "ArrowFolder", "BatchWriter", "cache_root"]

NAME = "mrarebench"
VERSION = "1.0.0"
_INFO = "dataset_info.json"
_T = TypeVar("_T")


def cache_root(cache_dir: str | Path | None) -> Path:
    """The given folder, else the cache of datasets."""
    import datasets.config

    return Path(cache_dir or datasets.config.HF_DATASETS_CACHE).expanduser()


@dataclass(frozen=True, slots=True)
class ArrowFolder:
    """The place in the cache of one config, under one or two names.

    Attributes:
        root: the cache of datasets.
        config: name of the config.
        other: a second name of it, which shares the Arrow file; None for none.
        split: "test" or "train".
        key: name of the version, a hash of everything that the rows are made of.
    """

    root: Path
    config: str
    other: str | None
    split: str
    key: str

    @property
    def path(self) -> Path:
        """The folder."""
        return self._named(self.config)

    @property
    def shard(self) -> Path:
        """The Arrow file in it."""
        return self.path / self._file

    def fill(self, current: Callable[[], _T | None], write: Callable[[Path], _T]) -> _T:
        """Write the folder unless it is there, under both names, and make it the newest of its config.

        Args:
            current: what is known of a folder that is up to date; None when it has to be written.
            write: fills a new folder and tells what is known of it.

        Raises:
            StoreError: when the cache cannot be written.
        """
        from filelock import FileLock

        try:
            found = self._found(current)
            if found is not None and not os.access(self.path.parent, os.W_OK):
                return found  # somebody else's cache, complete: there is nothing to write
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.parent / f".{self.key}.lock"):
                found = self._found(current)
                if found is None:
                    with _becoming(self.path) as new:
                        found = write(new)
                    self._copy()
                elif not self._is_shared():
                    self._copy()
                # datasets takes the newest folder of a config: an edit that is undone must count again.
                for name in self._names():
                    os.utime(self._named(name))
                return found
        except OSError as error:
            raise StoreError(f"the cache {self.root} cannot be written: {error}; HF_DATASETS_CACHE moves it") from error

    def writer(self, new: Path, features: Features) -> BatchWriter:
        """Where a new folder's rows go."""
        return BatchWriter(new / self._file, features.arrow_schema)

    def write_info(self, new: Path, features: Features, description: str, n_rows: int, n_bytes: int) -> None:
        """Write what datasets wants to know of a new folder."""
        from datasets import DatasetInfo

        split = {"name": self.split, "num_bytes": n_bytes, "num_examples": n_rows, "dataset_name": NAME}
        info = DatasetInfo(
            description=description,
            features=features,
            builder_name=NAME,
            dataset_name=NAME,
            config_name=self.config,
            version=VERSION,
            splits={self.split: split},
            dataset_size=n_bytes,
        )
        info.write_to_directory(str(new))

    def dataset(self) -> Dataset:
        """The rows, memory-mapped."""
        from datasets import Dataset, DatasetInfo, NamedSplit

        info = DatasetInfo.from_directory(str(self.path))
        return Dataset.from_file(str(self.shard), info=info, split=NamedSplit(self.split))

    @property
    def _file(self) -> str:
        return f"{NAME}-{self.split}.arrow"

    def _named(self, config: str) -> Path:
        return self.root / NAME / config / VERSION / self.key

    def _names(self) -> list[str]:
        return [self.config] + [name for name in (self.other,) if name is not None]

    def _found(self, current: Callable[[], _T | None]) -> _T | None:
        return current() if self.shard.is_file() else None

    def _copy(self) -> None:
        """The other name: the same Arrow file by a hard link, with an info of its own."""
        if self.other is None:
            return
        target = self._named(self.other)
        target.parent.mkdir(parents=True, exist_ok=True)
        with _becoming(target) as new:
            for path in self.path.iterdir():
                if path.name == _INFO:
                    info: dict[str, Any] = json.loads(path.read_bytes())
                    (new / _INFO).write_text(json.dumps(info | {"config_name": self.other}))
                else:
                    _link(path, new / path.name)

    def _is_shared(self) -> bool:
        """Whether the other name, if there is one, holds the very file, or a copy of its size."""
        if self.other is None:
            return True
        try:
            ours, theirs = self.shard.stat(), (self._named(self.other) / self._file).stat()
        except FileNotFoundError:
            return False
        return ours.st_ino == theirs.st_ino or ours.st_size == theirs.st_size


class BatchWriter:
    """An Arrow stream file, written by a thread of its own while the next rows are made; one batch waits.

    Attributes:
        n_rows: rows handed over.
        n_bytes: bytes of them.
    """

    def __init__(self, path: Path, schema: Any) -> None:
        import pyarrow as pa

        self.n_rows = self.n_bytes = 0
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
        self.n_rows += batch.num_rows
        self.n_bytes += batch.nbytes

    def __enter__(self) -> BatchWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._open:
            if self._last is not None and kind is None:
                self._last.result()


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
