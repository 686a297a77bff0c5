"""Stage parse, T1: lists written with mark-up: Markdown tables, HTML and LaTeX.

In: the text after thinking. Out: the items of its table, or its lists as plain lines with bullets.
"""

from __future__ import annotations

import re

__all__ = ["lines_from_markup", "table_items"]

_FENCE = re.compile(r"```[a-zA-Z]{0,12}[ \t]*\n?")
_HTML_ITEM = re.compile(r"<li[^<>]{0,80}>", re.IGNORECASE)
_HTML_BREAK = re.compile(r"</?(?:br|p|div|ol|ul|table|tr|h[1-6])\b[^<>]{0,80}>", re.IGNORECASE)
_HTML_TAG = re.compile(
    r"</?(?:li|b|i|em|strong|span|u|td|th|html|body|answer|final|result)\b[^<>]{0,80}>", re.IGNORECASE
)
_CHAT_TOKEN = re.compile(r"<\|[\w ]{1,40}\|>(?:assistant\b)?|</?s>|\[/?INST\]")
_LATEX_ITEM = re.compile(r"\\item\b ?")
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf)\s?\{([^{}]*)\}")
_LATEX_BOX = re.compile(r"\\boxed\s?\{(\s*\d{1,2}[.)][^{}]*)\}")
_LATEX_BLOCK = re.compile(r"\\(?:begin|end)\{[a-z*]{1,20}\}")
_RULE_CELL = re.compile(r":?-+:?")
_NAME_COLUMN = re.compile(r"diagnos|disease|condition|name|disorder|疾病|诊断", re.IGNORECASE)


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
        text = _LATEX_BOX.sub(lambda box: box[1].replace("\\\\", "\n"), _LATEX_TEXT.sub(r"\1", text))
        text = _LATEX_ITEM.sub("\n- ", _LATEX_BLOCK.sub("\n", text)).replace("\\.", ".")
    return text.strip("\r\n")
