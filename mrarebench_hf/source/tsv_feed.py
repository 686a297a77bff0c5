"""Stage source: a file in, its bytes out to a parser's reading thread, never far ahead of what is used.

pyarrow reads up to 32 blocks ahead; blocks that fit the largest row may have hundreds of MB each.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["Feed", "draining_at_exit"]

_PATIENCE_S = 1.0
_OPEN: dict[int, tuple[Feed, Iterable[Any]]] = {}


@contextlib.contextmanager
def draining_at_exit(feed: Feed, reader: Iterable[Any]) -> Iterator[None]:
    """See to it that no thread of a reader asks for bytes while the interpreter ends.

    A stream that is left half-read lives until then, and a thread that comes back to Python too late aborts the
    process.
    """
    _OPEN[id(feed)] = feed, reader
    try:
        yield
    finally:
        del _OPEN[id(feed)]


@atexit.register
def _drain() -> None:
    for feed, reader in list(_OPEN.values()):
        feed.close()
        with contextlib.suppress(Exception):  # a file cut short here reads as a damaged one
            for _ in reader:
                pass


class Feed:
    """A readable file for ``pyarrow.PythonFile`` that waits until what it gave before has been used.

    Args:
        path: the file.
        offset: where to begin, in bytes.
        ahead: reads that may be done beyond those whose batch has been taken. A parser that needs more to give its
            next batch gets it after a moment, so nothing can stand still for good.
    """

    def __init__(self, path: Path, offset: int, ahead: int) -> None:
        self._file = path.open("rb", buffering=0)
        self._file.seek(offset)
        self._ahead = ahead
        self._n_reads = self._n_taken = 0
        self._state = threading.Condition()
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most ``size``; none at the end or once closed."""
        with self._state:
            self._state.wait_for(self._may_read, _PATIENCE_S)
            self._n_reads += 1
            return b"" if self.closed else self._file.read(size)

    def _may_read(self) -> bool:
        return self.closed or self._n_reads < self._n_taken + self._ahead

    def taken(self) -> None:
        """Say that a batch was taken."""
        with self._state:
            self._n_taken += 1
            self._state.notify_all()

    def close(self) -> None:
        """Close the file; a waiting read ends."""
        with self._state:
            self.closed = True
            self._file.close()
            self._state.notify_all()

    def __enter__(self) -> Feed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
