"""Stage parse, T1: a ranked list written as JSON, whole or cut off.

In: the text after thinking. Out: the names in it, or None without any. Keys that mean diagnoses come before all others,
ranks and probabilities order what they belong to. The standard parser reads, nothing is evaluated.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["json_items"]

_NAME_KEYS = ("diagnosis", "name", "disease", "condition", "diagnosis_name", "disease_name", "label", "answer", "term")
_MAIN_KEY = re.compile(r"(?:primary|final|most[_ ]likely|main|leading|top)[_ ]?diagnosis", re.IGNORECASE)
_WANTED_KEY = re.compile(r"diagnos|differential|disease|candidate|alternativ|诊断", re.IGNORECASE)
_ASIDE_KEY = re.compile(
    r"finding|feature|expla|symptom|reason|evidence|support|test|step|treat|note|history", re.IGNORECASE
)
_ABOUT_A_NAME = frozenset(
    ("rank", "score", "confidence", "probability", "likelihood", "age", "id", "count", "code", "n")
)
_PRINTED_NUMBER = re.compile(r"\s*\d{1,2}[.)] ")
_DIGITS = re.compile(r"\d{1,6}")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*("?)|[\[\]{},]', re.DOTALL)
_CLOSER = {"[": "]", "{": "}"}
_MAX_STARTS = 4
_MAX_DEPTH = 4
_MAX_OPEN = 20


def json_items(text: str) -> list[str] | None:
    """Names in the first JSON list or object of a text that holds any; None without one.

    Reads lists of names, lists of objects with a name, objects from rank to name or from name to probability, and an
    object around any of them. Of a text that ends within the JSON what is complete counts.

    >>> json_items('{"diagnoses": [{"rank": 1, "diagnosis": "Fabry disease"}]}')
    ['Fabry disease']
    >>> json_items('{"diagnoses": ["Fabry disease", "Go')
    ['Fabry disease']
    """
    starts = [match.start() for match, _ in zip(re.finditer(r"[\[{]", text), range(_MAX_STARTS), strict=False)]
    for start in starts:
        names = _names(_value(text[start:]), _MAX_DEPTH)
        if names:
            return [_PRINTED_NUMBER.sub("", name) for name in names]
    return None


def _value(text: str) -> Any:
    for attempt in (text, *_completed(text)):
        try:
            return json.JSONDecoder().raw_decode(attempt)[0]
        except (ValueError, RecursionError):
            continue
    return None


def _completed(text: str) -> tuple[str, ...]:
    """JSON that was cut off, closed at its end and after its last complete member; nothing where it was not cut off."""
    open_, cut = "", ("", 0)
    for token in _TOKEN.finditer(text):
        if token[0] in _CLOSER and len(open_) < _MAX_OPEN:
            open_ += token[0]
        elif token[0] in ("]", "}"):
            open_ = open_[:-1]
        elif token[0] == ",":
            cut = (open_, token.start())
        if not open_:
            return ()
    ends = ((open_, len(text.rstrip("`\n "))), cut)
    return tuple(text[:end] + "".join(_CLOSER[mark] for mark in reversed(marks)) for marks, end in ends)


def _names(value: Any, depth: int) -> list[str]:
    if depth == 0:
        return []
    if isinstance(value, list):
        return [name for entry in _by_rank(value) for name in _of_entry(entry, depth - 1)]
    return _of_object(value, depth) if isinstance(value, dict) else []


def _of_entry(entry: Any, depth: int) -> list[str]:
    if isinstance(entry, dict):
        return _named(entry)[:1] or _names(entry, depth)
    return [entry] if isinstance(entry, str) else _names(entry, depth)


def _of_object(value: dict[str, Any], depth: int) -> list[str]:
    ordered = _ranked(value) or _weighed(value)
    if ordered:
        return ordered
    main = _named(value)[:1]
    for key in sorted(value, key=_unlike_a_diagnosis):
        if main and not _WANTED_KEY.search(key):
            continue
        found = _names(value[key], depth - 1)
        if found:
            return found if main and main[0] in found else main + found
    return main


def _named(value: dict[str, Any]) -> list[str]:
    found = [(not _MAIN_KEY.fullmatch(key), entry) for key, entry in value.items() if _names_one(key, entry)]
    return [entry for _, entry in sorted(found, key=lambda pair: pair[0])]


def _names_one(key: str, entry: Any) -> bool:
    return isinstance(entry, str) and (key.lower() in _NAME_KEYS or _MAIN_KEY.fullmatch(key) is not None)


def _unlike_a_diagnosis(key: str) -> int:
    return 2 if _ASIDE_KEY.search(key) else 0 if _WANTED_KEY.search(key) else 1


def _by_rank(entries: list[Any]) -> list[Any]:
    ranks = [_number(entry.get("rank", entry.get("Rank"))) if isinstance(entry, dict) else None for entry in entries]
    numbers = [rank for rank in ranks if rank is not None]
    return [entries[i] for i in sorted(range(len(entries)), key=numbers.__getitem__)] if numbers == ranks else entries


def _number(value: Any) -> int | None:
    digits = _DIGITS.search(value if isinstance(value, str) else repr(value))
    return int(digits[0]) if digits else None


def _ranked(value: dict[str, Any]) -> list[str]:
    """Names of an object from rank to name."""
    ranks = {key: _number(key) for key in value}
    if None in ranks.values() or not all(isinstance(entry, str) for entry in value.values()):
        return []
    return [value[key] for key in sorted(value, key=lambda key: ranks[key] or 0)]


def _weighed(value: dict[str, Any]) -> list[str]:
    """Names of an object from name to probability, the likeliest first, or from name to rank."""
    weights = list(value.values())
    if len(value) < 2 or not all(type(weight) in (int, float) for weight in weights):
        return []
    if not _ABOUT_A_NAME.isdisjoint(map(str.lower, value)):
        return []
    ranks = sorted(weights) == list(range(1, len(weights) + 1))
    return sorted(value, key=lambda name: value[name] if ranks else -value[name])
