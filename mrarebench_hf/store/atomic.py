"""Whole-file writes that are seen complete or not at all, and the one strict JSON form of every document."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mrarebench_hf.errors import StoreError

__all__ = ["dumps", "read_json", "write_bytes", "write_json", "write_jsonl"]


def dumps(value: Any, *, indent: int | None = None) -> str:
    """JSON text with sorted keys and real characters; NaN and infinity are refused, undefined numbers are null.

    >>> dumps({"b": None, "a": "Sjögren"})
    '{"a": "Sjögren", "b": null}'
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False, indent=indent)


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a file as one step: a reader, or a crash at any moment, sees the old content or the new.

    Raises:
        StoreError: when the folder cannot be written (no right, no space).
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(f"cannot write {path}: {error.strerror}; make room, or choose another folder") from error


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write one document, indented, ending in a newline."""
    write_bytes(path, (dumps(document, indent=2) + "\n").encode())


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> str:
    """Write rows as JSON lines and return the sha256 of the file."""
    data = "".join(dumps(row) + "\n" for row in rows).encode()
    write_bytes(path, data)
    return hashlib.sha256(data).hexdigest()


def read_json(path: Path) -> dict[str, Any]:
    """Read one document.

    Raises:
        StoreError: when it is not a JSON object.
    """
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} is not a readable JSON document: {error}") from error
    if not isinstance(document, dict):
        raise StoreError(f"{path} holds {type(document).__name__}, not a JSON object")
    return document
