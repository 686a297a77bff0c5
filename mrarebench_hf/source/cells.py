"""Stage source: the text of one cell in, its value out.

JSON only, never ``eval``: a cell that holds Python's own notation is text, and what is asked of it is not found.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import orjson

__all__ = ["Ids", "basename", "evidence_points", "figure_labels", "findings", "id_list", "list_cell", "slot_labels"]

_RANGE = re.compile(r"(?<!\d)(\d{1,4})\s*[-\u2013]\s*(\d{1,4})(?!\d)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MAX_ID = 9999
_POINT_FIELDS = ("image", "point", "category", "credit")
_NOT_JSON = object()


class Ids(NamedTuple):
    """Picture numbers of a cell, and what had to be guessed to read them (None when nothing)."""

    ids: list[int]
    note: str | None


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return _NOT_JSON


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def list_cell(text: str) -> list[str]:
    """The entries of a list cell, trimmed, empty ones dropped; an empty cell gives none.

    A JSON list is that list; a JSON string is one entry; text that is no JSON is split at semicolons. Any other JSON
    value is a word like every other and keeps its own spelling (``null``, ``true``, ``12``).

    >>> list_cell('["ECD", " Pompe disease "]'), list_cell("AS; Susac ;"), list_cell("null")
    (['ECD', 'Pompe disease'], ['AS', 'Susac'], ['null'])
    """
    value = _json(text)
    if value is _NOT_JSON:
        entries = text.split(";")
    elif isinstance(value, list):
        entries = [_as_text(entry) for entry in value]
    else:
        entries = [value if isinstance(value, str) else text]
    return [entry.strip() for entry in entries if entry.strip()]


def basename(path: str) -> str:
    """The last part of a path in either system's notation.

    >>> basename("images/0--1.jpg"), basename("images\\\\0--1.jpg")
    ('0--1.jpg', '0--1.jpg')
    """
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def figure_labels(text: str) -> dict[str, str]:
    """File name to label of a ``figure_mapping`` cell, a JSON object label → path; of two labels the last wins.

    Anything but a JSON object gives no labels; so do entries whose path is no text or whose label is empty.

    >>> figure_labels('{"Figure 1": "images/0--1.jpg"}')
    {'0--1.jpg': 'Figure 1'}
    """
    value = _json(text)
    if not isinstance(value, dict):
        return {}
    return {basename(path): label for label, path in value.items() if label and isinstance(path, str)}


def findings(text: str) -> str:
    """The text of an ``image findings`` cell: its entries' blocks, equal ones once, joined by a blank line.

    An entry is an object; its block is ``markdown``, else ``### title`` over ``body``, else the body, trimmed.
    Anything but a JSON list of objects gives nothing.

    >>> findings('[{"title": "CT", "body": "A mass."}, {"body": "More."}]')
    '### CT\\nA mass.\\n\\nMore.'
    """
    value = _json(text)
    entries = value if isinstance(value, list) else []
    blocks = (_block(entry) for entry in entries if isinstance(entry, dict))
    return "\n\n".join(dict.fromkeys(block for block in blocks if block))


def _block(entry: dict[str, Any]) -> str:
    markdown, title, body = (_text(entry.get(key)) for key in ("markdown", "title", "body"))
    if markdown:
        return markdown
    return f"### {title}\n{body}".strip() if title else body


def _text(value: Any) -> str:
    return "" if value is None else _as_text(value).strip()


def evidence_points(text: str) -> list[dict[str, str]]:
    """The points of an ``acceptable_evidence_points`` cell, each with ``image``, ``point``, ``category``, ``credit``.

    Entries that are no objects or whose point is blank are left out; an absent field is an empty text. A cell that is
    no JSON list, as one in Python's notation, gives no points.

    >>> evidence_points('[{"point": " A ring. ", "credit": "required"}, "text"]')
    [{'image': '', 'point': 'A ring.', 'category': '', 'credit': 'required'}]
    """
    value = _json(text)
    entries = value if isinstance(value, list) else []
    points = [{name: _text(entry.get(name)) for name in _POINT_FIELDS} for entry in entries if isinstance(entry, dict)]
    return [point for point in points if point["point"]]


def slot_labels(text: str) -> list[str | None]:
    """The ``public_slot`` of each entry of an ``image_slot_map`` cell, None where an entry gives none.

    >>> slot_labels('[{"public_slot": "Panel A"}, {}, "x"]')
    ['Panel A', None, None]
    """
    value = _json(text)
    entries = value if isinstance(value, list) else []
    slots = (entry.get("public_slot") if isinstance(entry, dict) else None for entry in entries)
    return [(slot.strip() or None) if isinstance(slot, str) else None for slot in slots]


def id_list(text: str) -> Ids:
    """Picture numbers of a cell, in order, once each.

    The form is a JSON list of whole numbers. Text is read too, with a note: numbers in words ("Image 3"), separated
    by anything ("1;2"), whole numbers with a point ("2.0"), ranges ("1-3" is 1, 2, 3). Other numbers are left out.

    >>> id_list("[1, 2]"), id_list("Image 3").ids, id_list("2.0").ids
    (Ids(ids=[1, 2], note=None), [3], [2])
    """
    if not text.strip():
        return Ids([], None)
    value = _json(text)
    entries: list[Any] = value if isinstance(value, list) else [text if value is _NOT_JSON else value]
    if isinstance(value, list) and all(type(entry) is int and 0 < entry <= _MAX_ID for entry in entries):
        return Ids(list(dict.fromkeys(entries)), None)
    ids: list[int] = list(dict.fromkeys(number for entry in entries for number in _numbers(_as_text(entry))))
    if len(entries) == 1 and [value] == ids and type(value) is int:
        return Ids(ids, None)
    return Ids(ids, f"{text[:60]!r} is no JSON list of picture numbers; read as {ids}")


def _numbers(text: str) -> list[int]:
    spans = [range(int(a), int(b) + 1) for a, b in _RANGE.findall(text)]
    ids = [number for span in spans if len(span) <= 100 for number in span]
    for word in _NUMBER.findall(_RANGE.sub(" ", text)):
        if float(word).is_integer():
            ids.append(int(float(word)))
    return [number for number in ids if 0 < number <= _MAX_ID]
