"""Embeddings on disk: one file per model, a record per text under its sha256; safe to kill and to share.

A torn or damaged record is passed over, so that its text is embedded again, and goes with the next addition. Nothing
but numbers is read.
"""

from __future__ import annotations

import hashlib
import logging
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import filelock
import numpy as np
from numpy.typing import NDArray

from mrarebench_hf.errors import StoreError
from mrarebench_hf.store.atomic import write_bytes

__all__ = ["Embedding", "Vectors", "cache_folder", "key_of"]

_LOG = logging.getLogger(__name__)
_HEAD = b"mrarebench embeddings 1\n"
_DIMENSION_BYTES = 4
_LARGEST_DIMENSION = 1 << 16
_LOCK_SECONDS = 60

Vector: TypeAlias = "NDArray[np.float32]"


@dataclass(frozen=True, slots=True)
class Embedding:
    """What is known of a text.

    Attributes:
        vector: float32, shape ``(dimension,)``.
        truncated: whether the text is longer than the model reads.
    """

    vector: Vector
    truncated: bool


def cache_folder() -> Path:
    """Where embeddings are kept: below ``$MRAREBENCH_CACHE``, else below the user's cache folder."""
    own = os.environ.get("MRAREBENCH_CACHE")
    if own:
        return Path(own).expanduser() / "embeddings"
    root = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(root).expanduser() / "mrarebench_hf" / "embeddings"


def key_of(text: str) -> bytes:
    """The key of a text: its sha256, 32 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class Vectors:
    """The stored embeddings of one model.

    Args:
        path: the file; made when something is added.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[bytes, Embedding]:
        """All undamaged records, their vectors bit for bit as they were added; none of a file that is no such file."""
        try:
            return _read(self._path.read_bytes())[0]
        except OSError:
            return {}

    def add(self, embeddings: Mapping[bytes, Embedding]) -> None:
        """Add to what is there, also to what others added meanwhile; without the right to write, go on without."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with filelock.FileLock(f"{self._path}.lock", timeout=_LOCK_SECONDS):
                self._add(embeddings)
        except (OSError, StoreError) as error:
            _LOG.warning("embeddings are not kept in %s: %s", self._path, error)

    def _add(self, embeddings: Mapping[bytes, Embedding]) -> None:
        stored, sound = _read(self._path.read_bytes()) if self._path.exists() else ({}, False)
        new = {key: found for key, found in embeddings.items() if key not in stored}
        if not sound:
            write_bytes(self._path, _written({**stored, **new}, with_head=True))
        elif new:
            with self._path.open("ab") as file:
                file.write(_written(new, with_head=False))


def _record(dimension: int) -> np.dtype[Any]:
    return np.dtype([("key", "V32"), ("truncated", "<u4"), ("vector", "<f4", (dimension,)), ("check", "<u4")])


def _read(data: bytes) -> tuple[dict[bytes, Embedding], bool]:
    """The undamaged records, and whether the file is sound, so that more can be appended to it."""
    start = len(_HEAD) + _DIMENSION_BYTES
    dimension = int.from_bytes(data[len(_HEAD) : start], "little")
    if len(data) < start or not data.startswith(_HEAD) or not 0 < dimension <= _LARGEST_DIMENSION:
        return {}, False
    record = _record(dimension)
    n_rows, rest = divmod(len(data) - start, record.itemsize)
    rows = np.frombuffer(data, record, count=n_rows, offset=start)
    good = rows["check"] == _checks(rows)
    found = {row["key"].tobytes(): Embedding(row["vector"], bool(row["truncated"])) for row in rows[good]}
    return found, not rest and bool(good.all())


def _written(embeddings: Mapping[bytes, Embedding], *, with_head: bool) -> bytes:
    dimension = next(iter(embeddings.values())).vector.size
    rows = np.zeros(len(embeddings), _record(dimension))
    for row, (key, found) in zip(rows, embeddings.items(), strict=True):
        row["key"], row["truncated"], row["vector"] = np.void(key), found.truncated, found.vector
    rows["check"] = _checks(rows)
    head = _HEAD + dimension.to_bytes(_DIMENSION_BYTES, "little") if with_head else b""
    return head + rows.tobytes()


def _checks(rows: Iterable[np.void]) -> NDArray[np.uint32]:
    size = np.dtype("<u4").itemsize
    return np.array([zlib.crc32(row.tobytes()[:-size]) for row in rows], dtype=np.uint32)
