"""Stage parse, T1: lists written as data or mark-up: JSON, Markdown tables, HTML and LaTeX.

In: the text after thinking. Out: its items, or None when the text is not of that kind. JSON is read by the standard
parser, nothing is evaluated.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["json_items", "lines_from_markup", "table_items"]

_FENCE = re.compile(r"```[a-zA-Z]{0,12}[ \t]*\n?")
_NAME_KEYS = ("diagnosis", "name", "disease", "condition", "diagnosis_name", "disease_name", "label", "answer", "term")
_MAX_STARTS = 4
_MAX_DEPTH = 4
_HTML_ITEM = re.compile(r"<li[^<>]{0,80}>", re.IGNORECASE)
_HTML_BREAK = re.compile(r"</?(?:br|p|div|ol|ul|table|tr|h[1-6])\b[^<>]{0,80}>", re.IGNORECASE)
_HTML_TAG = re.compile(
    r"</?(?:li|b|i|em|strong|span|u|td|th|html|body|answer|final|result)\b[^<>]{0,80}>", re.IGNORECASE
)
_CHAT_TOKEN = re.compile(r"<\|[\w ]{1,40}\|>(?:assistant\b)?|</?s>|\[/?INST\]")
_LATEX_ITEM = re.compile(r"\\item\b ?")
_LATEX_BLOCK = re.compile(r"\\(?:begin|end)\{[a-z*]{1,20}\}")
_RULE_CELL = re.compile(r":?-+:?")
_NAME_COLUMN = re.compile(r"diagnos|disease|condition|name|disorder|疾病|诊断", re.IGNORECASE)


def json_items(text: str) -> list[str] | None:
    """Names in the first JSON list or object of a text that holds any; None without one.

    Reads lists of names, lists of objects with a name, objects from rank to name, and an object around any of them.

    >>> json_items('{"diagnoses": [{"rank": 1, "diagnosis": "Fabry disease"}]}')
    ['Fabry disease']
    """
    decoder = json.JSONDecoder()
    starts = [match.start() for match, _ in zip(re.finditer(r"[\[{]", text), range(_MAX_STARTS), strict=False)]
    for start in starts:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        names = _names(value, _MAX_DEPTH)
        if names:
            return names
    return None


def _names(value: Any, depth: int) -> list[str]:
    if depth == 0:
        return []
    if isinstance(value, list):
        return [
            name for entry in value for name in (_names(entry, depth - 1) if not isinstance(entry, str) else [entry])
        ]
    if not isinstance(value, dict):
        return []
    for key, entry in value.items():
        if key.lower() in _NAME_KEYS and isinstance(entry, str):
            return [entry]
    if value and all(any(map(str.isdecimal, key)) and isinstance(entry, str) for key, entry in value.items()):
        return list(value.values())
    for entry in value.values():
        found = _names(entry, depth - 1) if isinstance(entry, list | dict) else []
        if found:
            return found
    return []


def table_items(text: str) -> list[str] | None:
    """Names in a Markdown table: the column headed by a word for diagnosis, else the first that is not numbers.

    >>> table_items("| Rank | Diagnosis |\\n|---|---|\\n| 1 | Fabry disease |")
    ['Fabry disease']
    """
    rows = [_cells(line) for line in text.splitlines() if line.count("|") >= 2 or line.lstrip().startswith("|")]
    rule = next((i for i, row in enumerate(rows) if row and all(map(_RULE_CELL.fullmatch, row))), None)
    if rule is None:
        return None
    head = rows[rule - 1] if rule else []
    body = [row for row in rows[rule + 1 :] if not all(map(_RULE_CELL.fullmatch, row))]
    named = next((i for i, cell in enumerate(head) if _NAME_COLUMN.search(cell)), None)
    column = named if named is not None else _first_worded_column(body)
    return [row[column] for row in body if column < len(row)]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _first_worded_column(body: list[list[str]]) -> int:
    first = body[0] if body else []
    return next((i for i, cell in enumerate(first) if any(map(str.isalpha, cell))), 0)


def lines_from_markup(text: str) -> str:
    """HTML and LaTeX lists as bullets on lines, chat tokens and code fences dropped.

    >>> lines_from_markup("<ol><li>Fabry disease</li></ol>").split()
    ['-', 'Fabry', 'disease']
    """
    text = _FENCE.sub("\n", text) if "```" in text else text
    if "<" in text or "[" in text:
        text = _CHAT_TOKEN.sub("\n", text)
        text = _HTML_TAG.sub("", _HTML_BREAK.sub("\n", _HTML_ITEM.sub("\n- ", text)))
    if "\\" in text:
        text = _LATEX_ITEM.sub("\n- ", _LATEX_BLOCK.sub("\n", text)).replace("\\.", ".")
    return text.strip("\r\n")
