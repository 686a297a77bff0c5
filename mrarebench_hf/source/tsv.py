"""Stage source: a tab-separated benchmark file in, its rows as text out, batch by batch.

Every cell is text; only the empty cell is missing. Cells may hold line breaks, tabs and doubled quotes inside quotes,
and be many MB long. Columns go by their names. What a file does wrong ends the reading with a ``DataFormatError``
that names the file and the row, rows counted from 1 without the header.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mrarebench_hf.errors import DataFormatError, DataNotFoundError
from mrarebench_hf.source.tsv_feed import Feed, draining_at_exit
from mrarebench_hf.source.tsv_header import Header, read_header

__all__ = ["BINARY", "check", "header", "read", "require"]

BINARY = frozenset({"image"})  # columns handed out as bytes: pictures, which nobody reads as text
INDEX = "index"
_FIRST_BLOCK = 8 << 20
_LAST_BLOCK = (1 << 31) - (1 << 20)
_THREADED_BLOCK = 32 << 20  # larger blocks are read one by one: the reader keeps several in memory
# Blocks read beyond those used; a parser holds two, and threads are to have work.
_AHEAD, _AHEAD_THREADED = 3, 6
_ROW = re.compile(r"Row #(\d+): ")
_STRADDLE = "straddling object"
_BREAK = re.compile(r"\r\n|\r|\n")
_BREAK_BYTES, _TAB = re.compile(rb"[\r\n]"), re.compile(rb"\t")


def require(path: Path, columns: Sequence[str], needed: Sequence[str]) -> None:
    """Check that a file has the columns it needs.

    Raises:
        DataFormatError: naming the file, the missing columns and the nearest ones it has.
    """
    missing = [name for name in needed if name not in columns]
    if not missing:
        return
    hints = []
    for name in missing:
        near = difflib.get_close_matches(name, columns, n=2, cutoff=0.6)
        hints.append(f"{name!r}" + (f" (nearest: {', '.join(map(repr, near))})" if near else ""))
    raise DataFormatError(f"{path} lacks the column {' and '.join(hints)}; it has {', '.join(map(repr, columns))}")


def read(
    path: Path, needed: Sequence[str] = (), columns: Sequence[str] | None = None
) -> Iterator[list[dict[str, Any]]]:
    """The rows of a file, in batches, each a mapping from column to text.

    Args:
        path: the file.
        needed: columns without which the file is refused.
        columns: columns to hand out; all when None. ``index`` is always there: made "0" to "n-1" if the file has none.

    Yields:
        Non-empty lists of rows. An empty cell is an empty text. Columns of ``BINARY`` are memoryviews of UTF-8 that
        hold good as long as they are referenced.

    Raises:
        DataFormatError: for a missing column, an id that is empty or stands twice, a row of another length, a cell that
            holds whole rows, and a file without rows, as soon as it is met.
        DataNotFoundError: when there is no such file.
    """
    head = _header(path)
    require(path, head.columns, needed)
    wanted = [name for name in head.columns if columns is None or name in columns or name == INDEX]
    # A quote in a picture cell swallows rows whether or not anybody wants pictures: those cells are always looked at.
    unwanted = [name for name in head.columns if name in BINARY and name not in wanted]
    seen: dict[str, int] = {}
    n_rows = 0
    for batch in _batches(path, head, [*wanted, *unwanted]):
        rows = _rows(batch, [*wanted, *unwanted], n_rows)
        _check_rows(path, head.columns, rows, n_rows, seen)
        n_rows += len(rows)
        for row in rows if unwanted else ():
            for name in unwanted:
                del row[name]
        if rows:
            yield rows
    if n_rows == 0:
        raise DataFormatError(f"{path} has a header and no rows")


def check(path: Path, needed: Sequence[str] = ()) -> int:
    """Read a whole file for its faults alone and return its number of rows; raises as ``read`` does."""
    return sum(len(rows) for rows in read(path, needed))


def header(path: Path) -> tuple[str, ...]:
    """The column names of a file, in order; raises as ``read`` does for its header."""
    return _header(path).columns


def _header(path: Path) -> Header:
    if not path.is_file():
        raise DataNotFoundError(f"{path} is no file")
    return read_header(path)


def _rows(batch: Any, wanted: Sequence[str], n_before: int) -> list[dict[str, Any]]:
    cells = [_views(batch.column(name)) if name in BINARY else batch.column(name).to_pylist() for name in wanted]
    rows = [dict(zip(wanted, row, strict=True)) for row in zip(*cells, strict=True)]
    if INDEX not in wanted:
        rows = [{INDEX: str(n_before + place), **row} for place, row in enumerate(rows)]
    return rows


def _views(column: Any) -> list[memoryview]:
    """The cells of a binary column without copying them."""
    import numpy as np

    _, offsets_buffer, data = column.buffers()
    offsets = np.frombuffer(offsets_buffer, dtype=np.int32, count=len(column) + 1 + column.offset)[column.offset :]
    view = memoryview(data) if data is not None else memoryview(b"")
    return [view[begin:end] for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]


def _check_rows(
    path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]], n_before: int, seen: dict[str, int]
) -> None:
    for number, row in enumerate(rows, n_before + 1):
        index = row[INDEX]
        if not index:
            raise DataFormatError(f"{path}, row {number}: the cell 'index' is empty; every row needs an id")
        first = seen.setdefault(index, number)
        if first != number:
            raise DataFormatError(f"{path}: the id {index!r} stands in row {first} and again in row {number}")
        for place, name in enumerate(columns):
            cell = row.get(name)
            if cell is not None and _swallows(cell, place, columns):
                begin = cell[:40] if isinstance(cell, str) else bytes(cell[:40]).decode("utf-8", "replace")
                raise DataFormatError(
                    f"{path}, row {number}: the cell {name!r} holds whole rows of the file; a stray quote before "
                    f"{begin!r} swallows what follows it"
                )


def _swallows(cell: str | memoryview, place: int, columns: Sequence[str]) -> bool:
    if isinstance(cell, str):
        return "\t" in cell and _BREAK.search(cell) is not None and _holds_rows(cell, place, columns)
    # Base64 and JSON have neither a tab nor, here, a reason for one.
    return _TAB.search(cell) is not None and _BREAK_BYTES.search(cell) is not None


def _holds_rows(cell: str, place: int, columns: Sequence[str]) -> bool:
    """Whether a cell looks like the end of one row and the beginning of the next.

    Cut out of the file by two stray quotes, its first line has the tabs that were left in its row, and its last line
    those that come before its column. A written table may have both too, so the part that would be the next row's id
    must look like one.
    """
    # A quote that is never closed swallows the file's last line break as well.
    lines = _BREAK.split(cell.rstrip("\r\n"))
    if lines[0].count("\t") != len(columns) - 1 - place or lines[-1].count("\t") != place:
        return False
    id_place = columns.index(INDEX) if INDEX in columns else 0
    fields = lines[-1].split("\t")
    return id_place >= place or (bool(fields[id_place]) and not re.search(r"\s", fields[id_place]))


def _batches(path: Path, header: Header, wanted: Sequence[str]) -> Iterator[Any]:
    """Record batches of the file; starts again with larger blocks when a row does not fit, past what it gave."""
    import pyarrow as pa

    block = _FIRST_BLOCK
    n_given = 0
    while True:
        skip = n_given
        try:
            for batch in _open(path, header, wanted, block, threads=block <= _THREADED_BLOCK):
                dropped = min(skip, batch.num_rows)
                skip -= dropped
                n_given += batch.num_rows - dropped
                if batch.num_rows > dropped:
                    yield batch.slice(dropped)
            return
        except pa.ArrowInvalid as error:
            if _STRADDLE not in str(error) or block > max(path.stat().st_size, _FIRST_BLOCK) or block >= _LAST_BLOCK:
                raise DataFormatError(_explain(path, header, wanted, block, str(error))) from None
        block = min(block * 2, _LAST_BLOCK)


def _open(path: Path, header: Header, wanted: Sequence[str], block: int, *, threads: bool) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import csv

    if path.stat().st_size <= header.n_bytes:
        return
    with Feed(path, header.n_bytes, ahead=_AHEAD_THREADED if threads else _AHEAD) as feed:
        reader = csv.open_csv(
            pa.PythonFile(feed, mode="r"),
            read_options=csv.ReadOptions(column_names=list(header.columns), block_size=block, use_threads=threads),
            parse_options=csv.ParseOptions(delimiter="\t", newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types={name: pa.binary() if name in BINARY else pa.string() for name in wanted},
                include_columns=list(wanted),
                strings_can_be_null=False,
                null_values=[],
            ),
        )
        with draining_at_exit(feed, reader):
            for batch in reader:
                feed.taken()
                yield batch


def _explain(path: Path, header: Header, wanted: Sequence[str], block: int, words: str) -> str:
    """The fault in words; read once more without threads, which alone count rows."""
    import pyarrow as pa

    n_rows = 0
    try:
        for batch in _open(path, header, wanted, block, threads=False):
            n_rows += batch.num_rows
    except pa.ArrowInvalid as error:
        words = str(error)
    words = " ".join(words.split())[:300]
    counted = _ROW.search(words)
    row = int(counted.group(1)) if counted else n_rows + 1
    where = f"row {row}" if counted else f"row {row} or later"
    words = _ROW.sub("", words).removeprefix("CSV parse error: ")
    return f"{path}, {where}: {words}. A stray quote or tab in a cell reads like this"
