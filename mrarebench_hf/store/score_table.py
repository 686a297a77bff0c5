"""Stage store: this package's own record of a parsed samples file: one Parquet row per sample, in the file's order.

In: columns, batch by batch. Out: ``parsed/<stamp>_scores_<task>.parquet``, seen complete or not at all, and what its
metadata say: by which rules it was made, of how many lines, and the checksum of the JSON lines that it belongs to.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mrarebench_hf.errors import StoreError

__all__ = ["SCHEMA", "ScoreTable", "as_table", "checksum", "read_about", "read_scores"]

_NUMBER, _TEXT, _FLAG = pa.float64(), pa.string(), pa.bool_()

SCHEMA = pa.schema(
    {
        "doc_id": pa.int64(),
        "status": _TEXT,  # scored, unparsed, missing
        "reason": _TEXT,  # why not scored
        "response": _TEXT,  # the numbers as filtered_resps has them
        "target_text": _TEXT,
        "target": pa.list_(_NUMBER),
        **dict.fromkeys(("mae", "mre", "nmae", "iou", "f1", "precision", "recall"), _NUMBER),
        "nmae_success": _FLAG,
        "no_diagonal": _TEXT,  # why nmae is unknown
        "flagged": _FLAG,  # a box out of range, a negative length or angle
        "profiles_differ": _FLAG,
        "box_ratio": _NUMBER,
        "size_px": pa.list_(_NUMBER),
        "image_file": _TEXT,
        "slice_dim": pa.int8(),
        "slice_idx": _TEXT,  # as JSON, as the three after it
        "task_id": _TEXT,
        "label": _TEXT,
        "scale": _TEXT,
        "metric_type": _TEXT,
        "metric_key": _TEXT,
        "label_name": _TEXT,
        "modality": _TEXT,
    }
)
_META = b"mrarebench_hf"


class ScoreTable:
    """Writes a table batch by batch; use it as a context manager, and ``finish`` it to make it appear."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        self._writer = pq.ParquetWriter(self._temporary, SCHEMA, compression="zstd")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError, pa.ArrowException):  # on a full disk closing fails once more
            self._writer.close()
        self._temporary.unlink(missing_ok=True)

    def write(self, rows: pa.Table) -> None:
        """Append rows, as ``as_table`` makes them."""
        self._writer.write_table(rows)

    def finish(self, about: Mapping[str, Any]) -> None:
        """Put the file in its place with what is to be known about it."""
        self._writer.add_key_value_metadata({_META: json.dumps(about, allow_nan=False)})
        self._writer.close()
        os.replace(self._temporary, self._path)


def as_table(columns: Mapping[str, Any]) -> pa.Table:
    """One list or array per column of ``SCHEMA`` as a table; NaN in an array becomes null."""
    return pa.Table.from_arrays([_array(columns[field.name], field.type) for field in SCHEMA], schema=SCHEMA)


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    # Not from_pandas=True, which would import pandas.
    is_floats = isinstance(values, np.ndarray) and values.dtype.kind == "f"
    return pa.array(values, kind, mask=np.isnan(values) if is_floats else None)


def read_scores(path: Path) -> tuple[dict[str, Any], pa.Table] | None:
    """What is known about a table, and its rows in the order of ``doc_id``; None when there is none of this schema.

    Raises:
        StoreError: when the file is none of ours.
    """
    if not path.is_file():
        return None
    try:
        with pq.ParquetFile(path) as file:
            about = json.loads(file.metadata.metadata[_META])
            table = file.read()
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{path} is no record of mrarebench parse ({error}): delete it and parse again") from error
    if table.schema.names != SCHEMA.names:  # another version's
        return None
    return about, table.sort_by("doc_id") if not _is_sorted(table["doc_id"].to_numpy()) else table


def read_about(path: Path) -> dict[str, Any] | None:
    """What is known about a table; None when there is none, or none that can be read."""
    try:
        found = json.loads(pq.read_metadata(path).metadata[_META])
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def checksum(path: Path) -> str:
    """CRC of a file, to see whether it has changed since; no protection against anybody."""
    found = 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            found = zlib.crc32(chunk, found)
    return f"crc32:{found:08x}"


def _is_sorted(numbers: Any) -> bool:
    return bool((numbers[1:] >= numbers[:-1]).all())
