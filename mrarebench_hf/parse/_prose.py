"""Stage parse, T1: candidates of a reply without numbers or bullets: bare lines, one line of names, a sentence.

In: the lines of the reply. Out: its items, empty when it reads as prose that names no diagnosis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mrarebench_hf.parse._lines import Line

__all__ = ["prose_items"]

_MAX_NAME_WORDS = 12
_MIN_COMMA_NAMES = 4
_MIN_SEMICOLON_NAMES = 2
_NO_ITEM = re.compile(
    r"(?:note|disclaimer|please|image|figure|fig\.?|final answer|reason|explanation|rationale)\b|图", re.IGNORECASE
)
_STATES = re.compile(
    r"(?:most likely|likely|probable|final|primary|leading|top) diagnos[ei]s (?:is|are|would be|includes?)"
    r"|\bdiagnosis (?:is|would be)|\bconsistent with|\b(?:i|we) (?:suspect|diagnose|favou?r)",
    re.IGNORECASE,
)
_JOINTS = re.compile(r",? followed by |,? and then |, and |, then |, or | and |, |; ", re.IGNORECASE)
_DISEASE_ENDING = re.compile(
    r"\b(?:disease|syndrome|disorder|deficiency|dystrophy)\W*$|\w(?:itis|osis|oma|emia|pathy|plasia|asis)\W*$",
    re.IGNORECASE,
)
_HEADER_END = (":", "：")
_SENTENCE_END = (".", "。", "!")


def prose_items(lines: Sequence[Line]) -> list[str]:
    """Items of a reply without list marks.

    >>> from mrarebench_hf.parse._lines import read_lines
    >>> prose_items(read_lines("The most likely diagnosis is Fabry disease, followed by gout."))
    ['Fabry disease', 'gout.']
    """
    texts = [line.whole for line in lines if not _is_frame(line)]
    if len(texts) == 1:
        return _one_line(texts[0])
    short = [text for text in texts if len(text.split()) <= _MAX_NAME_WORDS]
    return short if 2 * len(short) > len(texts) else _stated(texts)


def _is_frame(line: Line) -> bool:
    """Headers and footers: what stands around a list and is no item of it."""
    text = line.whole.rstrip("*_ ")
    if line.style == "heading" or text.endswith(_HEADER_END) or _NO_ITEM.match(text):
        return True
    return text.endswith(_SENTENCE_END) and len(text.split()) > _MAX_NAME_WORDS and not _STATES.search(text)


def _one_line(text: str) -> list[str]:
    for separator, least in ((";", _MIN_SEMICOLON_NAMES), ("；", _MIN_SEMICOLON_NAMES), ("、", _MIN_COMMA_NAMES)):
        parts = [part for part in text.split(separator) if part.strip()]
        if len(parts) >= least:
            return parts
    stated = _stated([text])
    if stated:
        return stated
    parts = text.split(", ")
    if len(parts) > 1 and _are_names(parts):
        return parts
    if len(parts) >= _MIN_COMMA_NAMES and all(len(part.split()) <= _MAX_NAME_WORDS for part in parts):
        return parts
    return [text] if len(text.split()) <= _MAX_NAME_WORDS else []


def _are_names(parts: Sequence[str]) -> bool:
    """Whether all are names of diseases, and not one that is turned around ("Anemia, Sickle Cell")."""
    short = all(part[:1].isupper() and len(part.split()) <= _MAX_NAME_WORDS for part in parts)
    return short and all(map(_DISEASE_ENDING.search, parts[1:]))


def _stated(texts: Sequence[str]) -> list[str]:
    for text in texts:
        statement = _STATES.search(text)
        if statement:
            named = text[statement.end() :].strip(" :")
            return [part for part in _JOINTS.split(named) if part]
    return []
