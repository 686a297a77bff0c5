"""Stage source: a task's file in, ``Case`` records out, batch by batch, so that memory holds a few rows only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from mrarebench_hf import tasks
from mrarebench_hf.errors import DataFormatError, PictureError
from mrarebench_hf.records import Case, Picture
from mrarebench_hf.source import cells, references, tsv
from mrarebench_hf.source.files import read_picture
from mrarebench_hf.source.picture import decode_base64, size_px

__all__ = ["extra_columns", "read_cases"]


def read_cases(
    path: Path, task: str, *, pictures: bool = True, on_file: Callable[[Path], None] | None = None
) -> Iterator[list[Case]]:
    """The cases of a file, in its order.

    Args:
        path: the file; pictures named by ``image_path`` are looked for beside it.
        task: entry of ``mrarebench_hf.tasks``.
        pictures: whether to read them; without, cases have none, and picture cells are at most counted.
        on_file: told of each picture file that a row depends on, whether it is there or not.

    Yields:
        Non-empty lists of cases. A picture that cannot be had has no data and a fault; only its header was read, so
        damage further in shows when it is decoded.

    Raises:
        DataFormatError: for a damaged file (``tsv.read``), or an ``image_path`` that leaves the file's folder.
    """
    known = tasks.get(task)
    _refuse_misspelt(path, tsv.header(path), known.columns)
    columns = None if pictures else [*known.columns, *extra_columns(path, task)]
    counts = "n_images" in references.FIELDS[task]
    wanted = columns and [name for name in columns if counts or name != "image"]
    for rows in tsv.read(path, known.required, wanted):
        yield [_case(row, known, path, pictures, on_file or _ignore) for row in rows]


def extra_columns(path: Path, task: str) -> tuple[str, ...]:
    """Columns of a file that its task does not know, in the file's order."""
    known = tasks.get(task).columns
    return tuple(name for name in tsv.header(path) if name not in known)


def _refuse_misspelt(path: Path, columns: Sequence[str], known: Sequence[str]) -> None:
    """A column that is ours but for case or separators would be passed through unread, ids or findings and all."""
    missing = {_plain(name): name for name in known if name not in columns}
    for column in columns:
        name = missing.get(_plain(column))
        if name is not None and column not in known:
            raise DataFormatError(f"{path}: the column {column!r} is probably meant to be {name!r}; rename it")


def _plain(column: str) -> str:
    return re.sub(r"[\s_-]+", "", column).casefold()


def _ignore(_path: Path) -> None:
    pass


def _case(
    row: Mapping[str, Any], task: tasks.Task, path: Path, pictures: bool, on_file: Callable[[Path], None]
) -> Case:
    index = row["index"]
    texts = {name: row[name] for name in task.columns if name != "image" and row.get(name)}
    extras = {name: cell for name, cell in row.items() if name not in task.columns}
    shown = tuple(_pictures(row, texts, task.name, path, on_file)) if pictures else ()
    n_images = len(shown) if pictures else _count(row, texts)
    return Case(
        task=task.name,
        index=index,
        cells=texts,
        pictures=shown,
        references=references.of(task.name, texts, n_images),
        extras=extras,
    )


def _pictures(
    row: Mapping[str, Any], texts: Mapping[str, str], task: str, path: Path, on_file: Callable[[Path], None]
) -> Iterator[Picture]:
    index, image = row["index"], row.get("image", b"")
    paths = _paths(texts.get("image_path", ""))
    label = _Labeller(index, texts, task, paths)
    try:
        embedded = _entries(image) if len(image) else []
    except PictureError as error:
        yield Picture(1, None, label(1), str(error))
        return
    from_files = not any(embedded)
    label.from_files = from_files
    for slot, entry in enumerate(paths if from_files else embedded, 1):
        if entry is None or entry == "":
            continue
        try:
            data = read_picture(path, entry, on_file) if from_files else _data(entry)
            size_px(data)
        except PictureError as error:
            yield Picture(slot, None, label(slot), str(error))
        except DataFormatError as error:
            raise DataFormatError(f"{path}, id {index!r}: {error}") from None
        else:
            yield Picture(slot, data, label(slot))


def _count(row: Mapping[str, Any], texts: Mapping[str, str]) -> int:
    """How many pictures ``_pictures`` would give, none of them read."""
    image = row.get("image", b"")
    try:
        embedded = _entries(image) if len(image) else []
    except PictureError:
        return 1
    entries = embedded if any(embedded) else _paths(texts.get("image_path", ""))
    return sum(entry is not None and entry != "" for entry in entries)


def _data(entry: Any) -> bytes:
    if not isinstance(entry, str):
        raise PictureError(f"a {type(entry).__name__} where base64 text is expected")
    return decode_base64(entry)


def _entries(image: bytes | memoryview) -> list[Any]:
    """The places of a picture cell: a JSON list, or one text, bare or as a JSON string."""
    try:
        value = orjson.loads(image)
    except orjson.JSONDecodeError as error:
        text = bytes(image).decode("utf-8", "replace").strip()
        if text[:1] in ("[", "{", '"', "'", "("):
            raise PictureError(f"the image cell is no JSON list: {error}") from None
        return [text]
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        # A base64 text of digits alone reads as a number; it is no picture either way.
        raise PictureError("the image cell is no JSON list of base64 texts")
    return value


def _paths(cell: str) -> list[str]:
    """The entries of an ``image_path`` cell, places kept: a JSON list, a JSON string, or a bare path."""
    if not cell.strip():
        return []
    try:
        value = orjson.loads(cell)
    except orjson.JSONDecodeError:
        return [cell.strip()]
    entries = value if isinstance(value, list) else [value]
    return [entry if isinstance(entry, str) else "" for entry in entries]


class _Labeller:
    """What stands before the picture of a slot."""

    def __init__(self, index: str, texts: Mapping[str, str], task: str, paths: Sequence[str]) -> None:
        self._index = index
        self._paths = paths
        self._slots = cells.slot_labels(texts.get("image_slot_map", "")) if task == "evidence" else None
        self._figures = cells.figure_labels(texts.get("figure_mapping", ""))
        self.from_files = False

    def __call__(self, slot: int) -> str | None:
        """T2: the slot's public name, else ``Image <slot>``. T1: the figure whose file this is, else None."""
        if self._slots is not None:
            named = self._slots[slot - 1] if slot <= len(self._slots) else None
            return named or f"Image {slot}"
        by_place = self._figures.get(f"{self._index}--{slot}.jpg")
        by_name = self._figures.get(cells.basename(self._paths[slot - 1])) if slot <= len(self._paths) else None
        # A picture read from a file is that file, whatever its place.
        return (by_name or by_place) if self.from_files else (by_place or by_name)
