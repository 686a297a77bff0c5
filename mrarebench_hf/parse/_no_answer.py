"""Stage parse, shared: texts that are no answer: refusals, error messages, placeholders.

In: the text after thinking. Out: whether it is one of them. None of these is ever read as a diagnosis.
"""

from __future__ import annotations

import re

__all__ = ["heads_advice", "is_advice", "is_error_text", "is_placeholder", "refuses"]

# A refusal says so at its beginning; further in, the same words belong to the reasoning.
_OPENING = 400
_REFUSAL = re.compile(
    r"\b(?:i|we)(?:'m| am| are)?(?: sorry[,.]? but i)?"
    r" (?:cannot|can't|can not|could not|couldn't|unable to|won't|will not|not able to|don't|do not)"
    r"(?: [a-z]+){0,3}? (?:diagnos|provide|determine|give|offer|make|assist|help|identify"
    r"|see|view|access|analy|interpret)"
    r"|\bi(?:'m| am) sorry\b|\bas an ai\b|\bnot visible to me\b|\bplease (?:re-?)?upload\b"
    r"|\bno images? (?:was|were|is|are|has been) (?:provided|attached|visible)|无法(?:诊断|提供|确定|查看)|很?抱歉",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\s*(?:<!doctype|<html|failed to obtain answer|error(?:$|:| code| \d| occurred| while| calling)"
    r"|exception(?:$|:| occurred)|traceback\b|request timed out"
    r"|timed? ?out\b|http error|\d{3} (?:bad|internal|gateway|service|too many|unauthorized|forbidden|not found)\b"
    r"|\{\s*\"error\")",
    re.IGNORECASE,
)
_PLACEHOLDERS = frozenset(
    (
        "nan",
        "none",
        "null",
        "n/a",
        "na",
        "yes",
        "no",
        "true",
        "false",
        "unknown",
        "undetermined",
        "unclear",
        "no diagnosis",
    )
)
_ADVICE = re.compile(
    r"(?:please|see|consult|bring|seek|contact|visit|ask|talk|speak|schedule|go to|call|upload|get|keep|take"
    r"|seeing|consulting|bringing|seeking|contacting|visiting|asking|talking|speaking|scheduling|getting|keeping"
    r"|taking)\b",
    re.IGNORECASE,
)
_HEADS_ADVICE = re.compile(
    r"\byou (?:can|could|should|may|might)\b|\brecommend|\bsuggest(?:ions?)?\b|\badvi[cs]e you|\bsteps?\b|\bhelp\b",
    re.IGNORECASE,
)


def refuses(text: str) -> bool:
    """Whether a text opens with declining to answer.

    >>> refuses("I'm sorry, but I can't provide a medical diagnosis."), refuses("1. Fabry disease")
    (True, False)
    """
    return _REFUSAL.search(text[:_OPENING].replace("’", "'")) is not None


def is_error_text(text: str) -> bool:
    """Whether a text is a program's error message in place of an answer.

    >>> is_error_text("502 Bad Gateway"), is_error_text("1. Fabry disease")
    (True, False)
    """
    return _ERROR.match(text[:_OPENING]) is not None


def is_placeholder(name: str) -> bool:
    """Whether a word stands for having nothing to say, or holds no letter at all.

    >>> is_placeholder("N/A"), is_placeholder("7"), is_placeholder("Gout")
    (True, True, False)
    """
    return name.lower() in _PLACEHOLDERS or not (name[:1].isalpha() or any(map(str.isalpha, name)))


def is_advice(name: str) -> bool:
    """Whether an item tells the reader what to do, which is no diagnosis.

    >>> is_advice("See a doctor")
    True
    """
    return _ADVICE.match(name) is not None


def heads_advice(line: str) -> bool:
    """Whether a line announces advice to the reader: its last clause says so.

    >>> heads_advice("I cannot diagnose. Here is what you can do:"), heads_advice("I can't advise you, but consider:")
    (True, False)
    """
    return _HEADS_ADVICE.search(re.split(r"[.,;!?]\s", line)[-1]) is not None
