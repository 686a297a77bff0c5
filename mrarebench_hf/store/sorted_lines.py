"""Stage store: JSON lines written as a stream and put in the order of a number afterwards, in bounded memory.

In: lines in any order, each with its number. Out: one file in ascending order, equal numbers as they came, seen
complete or not at all.
"""

from __future__ import annotations

import contextlib
import os
from array import array
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from mrarebench_hf.errors import StoreError

__all__ = ["SortedLines"]


class SortedLines:
    """Use it as a context manager, and ``finish`` it to make the file appear."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        self._numbers, self._sizes = array("q"), array("q")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._temporary.open("w+b", buffering=1 << 20)
        except OSError as error:
            raise StoreError(f"cannot write in {path.parent}: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):  # on a full disk closing fails once more
            self._file.close()
        self._temporary.unlink(missing_ok=True)

    def write(self, number: int, line: bytes) -> None:
        """Add a line, with its newline."""
        self._numbers.append(number)
        self._sizes.append(len(line))
        self._file.write(line)

    def finish(self) -> None:
        """Sort where it is needed, and put the file in its place.

        Raises:
            StoreError: when the disk is full or read-only.
        """
        try:
            numbers = np.frombuffer(self._numbers, np.int64) if self._numbers else np.empty(0, np.int64)
            if (numbers[1:] < numbers[:-1]).any():
                self._sort(numbers)
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            os.replace(self._temporary, self._path)
        except OSError as error:
            raise StoreError(f"cannot write {self._path}: {error.strerror}") from error

    def _sort(self, numbers: np.ndarray) -> None:
        """Copy the lines in their order into a second file, which takes the place of the first."""
        sizes = np.frombuffer(self._sizes, np.int64)
        offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self._file.flush()
        unsorted = self._temporary.with_suffix(".unsorted")
        os.replace(self._temporary, unsorted)
        try:
            with unsorted.open("rb") as source:
                self._file.close()
                self._file = self._temporary.open("w+b", buffering=1 << 20)
                for place in np.argsort(numbers, kind="stable"):
                    source.seek(int(offsets[place]))
                    self._file.write(source.read(int(sizes[place])))
        finally:
            unsorted.unlink(missing_ok=True)
