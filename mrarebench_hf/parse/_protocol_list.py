"""Stage parse, T1: the published protocol's reading of a ranked list, kept exactly, faults included.

In: a reply. Out: at most ten candidates. Headline numbers use this reading, because published ones do.
Source: specification of the published benchmark, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["MAX_CANDIDATES", "protocol_list", "protocol_ten"]

MAX_CANDIDATES = 10

_THINK = re.compile(r"<(/?)think>", re.IGNORECASE)
_ITEM = re.compile(r"\s*\d+[.)]\s*(.+)")
_INLINE_NUMBER = re.compile(r"(?:^|\s)\d{1,2}[.)]\s+")
_LINE_OR_SEMICOLON = re.compile(r"[\n;]")


def protocol_list(text: str) -> list[str]:
    """Candidates of a reply, best first, as the published protocol reads them.

    Numbered lines in textual order (the printed number is ignored); after a closed thinking block also numbers inside
    a line; failing both, the pieces between line ends and semicolons. Empty text gives no candidates; never raises.
    Runs in linear time.

    >>> protocol_list("1. Fabry disease\\n2) Pompe disease\\n3. fabry disease")
    ['Fabry disease', 'Pompe disease']
    """
    had_thinking, text = _without_closed_thinking(text)
    items = [match[1].strip() for match in map(_ITEM.match, text.splitlines()) if match]
    if had_thinking and len(items) < 2:
        pieces = [piece.strip(" -*\t\n") for piece in _INLINE_NUMBER.split(text)]
        pieces = [piece for piece in pieces if piece]
        if len(pieces) > len(items):
            items = pieces
    if not items:
        items = [piece.strip(" -*\t") for piece in _LINE_OR_SEMICOLON.split(text)]
    return protocol_ten(items)


def protocol_ten(items: Iterable[str]) -> list[str]:
    """Drop empty items and case-insensitive repeats (the first stays), and keep ten.

    >>> protocol_ten(["a", "A", "", "b"])
    ['a', 'b']
    """
    kept: dict[str, str] = {}
    for item in items:
        if item and kept.setdefault(item.lower(), item) is item and len(kept) == MAX_CANDIDATES:
            break
    return list(kept.values())


def _without_closed_thinking(text: str) -> tuple[bool, str]:
    if "<" not in text:
        return False, text.strip()
    kept: list[str] = []
    position, start, seen = 0, -1, False
    # One pass over the tags does what a lazy pattern from tag to tag does, without its quadratic worst case.
    for tag in _THINK.finditer(text):
        if not tag[1]:
            seen = True
            start = tag.start() if start < 0 else start
        elif start >= 0:
            kept.append(text[position:start])
            position, start = tag.end(), -1
    kept.append(text[position:])
    return seen, "".join(kept).strip()
