"""Stage dataset: a file and a condition in, the foreign columns that may be passed through out.

A column that holds in any row what the condition withholds is left out as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from mrarebench_hf import tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset.columns import features
from mrarebench_hf.prompt import leaks
from mrarebench_hf.source import cells, tsv
from mrarebench_hf.source.cases import extra_columns

__all__ = ["aliases", "leaking", "passed_columns", "shows_findings"]

_MIN_LINE = 20  # a shorter line of findings, as "Normal.", stands in any text
_MIN_NAME = 5
_PICTURE = re.compile(r"iVBORw0KGgo|/9j/[24]|R0lGOD|UklGR")  # how PNG, JPEG, GIF and WebP begin in base64
_PROBE = 64  # characters of a picture's base64 text, all the same for many files of one kind: any picture is meant


def passed_columns(path: Path, condition: Condition) -> tuple[tuple[str, ...], dict[str, str]]:
    """Columns that the task does not know: those to pass through, and those left out with the reason.

    Args:
        path: the task's file; read once more when it has such columns.
        condition: what is shown and withheld.
    """
    extras = extra_columns(path, condition.task)
    taken = features(condition, ())
    clashing = {name: "has the name of a column of the dataset" for name in extras if name in taken}
    extras = tuple(name for name in extras if name not in clashing)
    left_out: set[str] = set()
    wanted = {*extras, *tasks.get(condition.task).columns}
    for rows in tsv.read(path, columns=list(wanted)) if extras else ():
        for row in rows:
            left_out |= leaking(row, [name for name in extras if name not in left_out], condition)
    held = {name: f"holds what {condition.name} withholds" for name in extras if name in left_out}
    return tuple(name for name in extras if name not in left_out), clashing | held


def leaking(row: Mapping[str, Any], extras: list[str], condition: Condition) -> set[str]:
    """Those of some columns that hold, in one row, what a condition withholds."""
    pieces = [_squeeze(piece) for piece in _pieces(row, condition)]
    names = list(_names(row, extras, condition))
    found = set()
    for name in extras:
        cell = _plain(row[name])
        shows = not condition.images and _PICTURE.search(cell)
        if cell and (shows or any(piece in _squeeze(cell) for piece in pieces) or leaks(cell, names)):
            found.add(name)
    return found


def _plain(cell: str) -> str:
    """A cell with the escapes of JSON undone, where it is JSON."""
    if cell[:1] not in ("[", "{", '"'):
        return cell
    try:
        text: str = orjson.dumps(orjson.loads(cell)).decode()
    except orjson.JSONDecodeError:
        return cell
    return text.replace('\\"', '"').replace("\\n", "\n")


def _squeeze(text: str) -> str:
    return "".join(text.split()).casefold()


def _pieces(row: Mapping[str, Any], condition: Condition) -> Iterator[str]:
    """Texts that must occur nowhere, however they are broken into lines."""
    if condition.task == "diagnosis" and not condition.findings:
        yield from _lines_of_findings(row.get("image findings", ""))
    if not condition.images:
        yield from (text[:_PROBE] for text in _strings(row.get("image", b"")) if len(text) >= _PROBE)
        paths = _strings(row.get("image_path", "").encode())
        yield from (cells.basename(path) for path in paths if len(cells.basename(path)) >= _MIN_NAME)


def _names(row: Mapping[str, Any], extras: list[str], condition: Condition) -> Iterator[str]:
    """Names that must not occur as words."""
    if condition.task != "evidence" or condition.diagnosis:
        return
    yield row.get("final_diagnosis", "")
    yield from aliases({name: row[name] for name in extras})


def aliases(extras: Mapping[str, str]) -> Iterator[str]:
    """Other names of the diagnosis, from the columns that say by their name that they hold such."""
    for name, cell in extras.items():
        if "alias" in name.lower():
            yield from cells.list_cell(cell)


def shows_findings(text: str, cell: str) -> bool:
    """Whether a text holds a line of an ``image findings`` cell that is long enough to tell something."""
    squeezed = _squeeze(text)
    return any(_squeeze(line) in squeezed for line in _lines_of_findings(cell))


def _lines_of_findings(cell: str) -> Iterator[str]:
    found = cells.findings(cell) or cell
    yield from (line for line in found.splitlines() if len(line.strip()) >= _MIN_LINE)


def _strings(cell: Any) -> list[str]:
    try:
        value = orjson.loads(cell)
    except orjson.JSONDecodeError:
        return [bytes(cell).decode("utf-8", "replace")]
    entries = value if isinstance(value, list) else [value]
    return [entry.rsplit("base64,", 1)[-1] for entry in entries if isinstance(entry, str)]
