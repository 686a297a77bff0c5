"""Stage source: the beginning of a tab-separated file in, its column names and where its rows begin out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from mrarebench_hf.errors import DataFormatError, DataNotFoundError

__all__ = ["Header", "read_header"]

_LIMIT = 1 << 20  # a header is one line of names
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Header:
    """Column names, in order, and the bytes that come before the first row."""

    columns: tuple[str, ...]
    n_bytes: int


def read_header(path: Path) -> Header:
    """The header of a file; a byte order mark before it is skipped.

    Raises:
        DataFormatError: when the file is empty, the header is no UTF-8 line of at most 1 MB, or a name is empty or
            occurs twice.
        DataNotFoundError: when the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            start = file.read(_LIMIT)
    except OSError as error:
        raise DataNotFoundError(f"{path} cannot be read: {error.strerror}") from None
    n_bom = len(_BOM) if start.startswith(_BOM) else 0
    end = _line_end(start, n_bom)
    if end is None:
        raise DataFormatError(f"{path}: no header line within the first {_LIMIT} bytes; is it a tab-separated file?")
    try:
        line = start[n_bom:end].decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataFormatError(f"{path}: the header is no UTF-8 text ({error.reason})") from None
    if not line.strip("\r\n"):
        raise DataFormatError(f"{path} is empty" if len(start) == end else f"{path}: the header line is empty")
    columns = tuple(_unquote(field) for field in _fields(line.rstrip("\r\n")))
    _refuse_bad_names(path, columns)
    return Header(columns, end)


def _refuse_bad_names(path: Path, columns: tuple[str, ...]) -> None:
    double = [name for name, n in Counter(columns).items() if n > 1]
    if double:
        raise DataFormatError(f"{path}: the column {double[0]!r} occurs more than once")
    if "" in columns:
        raise DataFormatError(f"{path}: column {columns.index('') + 1} of the header has no name")


def _line_end(start: bytes, begin: int) -> int | None:
    """Offset behind the first line break outside quotes; the whole of a short file without one."""
    quoted = False
    for place in range(begin, len(start)):
        byte = start[place : place + 1]
        if byte == b'"':
            quoted = not quoted
        elif byte in b"\r\n" and not quoted:
            return place + (2 if start[place : place + 2] == b"\r\n" else 1)
    return len(start) if len(start) < _LIMIT and not quoted else None


def _fields(line: str) -> list[str]:
    fields, quoted = [""], False
    for character in line:
        if character == "\t" and not quoted:
            fields.append("")
            continue
        quoted ^= character == '"'
        fields[-1] += character
    return fields


def _unquote(field: str) -> str:
    if len(field) > 1 and field[0] == field[-1] == '"':
        return field[1:-1].replace('""', '"')
    return field
