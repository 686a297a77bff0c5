"""Stage parse: the numbers of a measurement's answer, or why there are none.

In: a reply and how many numbers it must hold. Out: a ``Reading``. Two profiles, as DESIGN of the project has them:

- ``spec``, the published definition: exactly k numbers in the last complete ``<answer>`` block after any thinking.
  Either the numbers that were meant, or a named reason; never another number counted as a success (BR-17, 18, 20).
- ``medvision_bm``, what that package does at version 1.2.1: the last k numbers of the first block, as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mrarebench_hf.families import Family
from mrarebench_hf.parse._number_text import UNITS, Token, is_doubtful, tidy, tokens, units_in
from mrarebench_hf.parse.answer_block import first_block, last_block

__all__ = ["REASONS", "Reading", "read", "read_protocol"]

# Why an answer is unparsed, in the order in which they are looked for.
REASONS = ("no_tag", "ambiguous", "wrong_unit", "no_number", "too_few", "too_many", "not_finite")

_PLAIN_NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
# What most answers look like, and what the long way reads the same.
_PLAIN = re.compile(rf"[\s\[(]{{0,40}}{_PLAIN_NUMBER}(?:,\s{{0,9}}{_PLAIN_NUMBER})*[\s\])]{{0,40}}")
# Sums and products of what is larger would overflow, and drop the worst answers out of a mean.
_LARGEST = 1e100
_NO_NUMBER_WORD = re.compile(r"\b(?:nan|inf|infinity)\b|∞", re.IGNORECASE)
_PROTOCOL_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read.

    Attributes:
        values: the k numbers, all finite; None when unparsed.
        reason: one of ``REASONS`` when unparsed, else None.
    """

    values: tuple[float, ...] | None
    reason: str | None


def read(reply: str, family: Family, metric_type: str | None = None) -> Reading:
    """Read an answer by the profile ``spec``; degrees are no answer to a distance, nor millimetres to an angle.

    >>> from mrarebench_hf.families import get
    >>> read("so <answer>12.5 mm x 8.0 mm</answer>", get("TL")).values
    (12.5, 8.0)
    >>> read("<answer>10-12</answer>", get("AD")).reason
    'too_many'
    """
    block = last_block(reply)
    if block is None:
        return Reading(None, "no_tag")
    if _PLAIN.fullmatch(block):
        plain = block.strip(" \t\r\n\v\f[]()").split(",")
        if len(plain) == family.n_values:
            return _finite(tuple(float(number) for number in plain))
    if is_doubtful(block):
        return Reading(None, "ambiguous")
    units = family.units_of(metric_type)
    if not units_in(block) <= units:
        return Reading(None, "wrong_unit")
    return _read_block(tidy(block), family.n_values, units)


def read_protocol(reply: str, n_values: int) -> str:
    """Read an answer by the profile ``medvision_bm``: the last k numbers of the first block, comma-joined, or "".

    >>> read_protocol("<answer>x1=0.1, y1=0.2</answer>", 1)
    '0.2'
    """
    block = first_block(reply)
    if block is None:
        return ""
    numbers = [match.replace(",", "") for match in _PROTOCOL_NUMBER.findall(block)]
    return ",".join(numbers[-n_values:]) if len(numbers) >= n_values else ""


def _read_block(block: str, n_values: int, units: frozenset[str]) -> Reading:
    found = tokens(block)
    if found is None:
        return Reading(None, "ambiguous")
    if any(UNITS[token.unit] not in units for token in found if token.unit in UNITS):
        return Reading(None, "wrong_unit")
    if len(found) == n_values:
        if _NO_NUMBER_WORD.search(block):
            return Reading(None, "not_finite")
        return _finite(tuple(token.value for token in found))
    grouped = _thousands(block, found)
    if len(grouped) == n_values:
        return _finite(tuple(grouped))
    if not found:
        return Reading(None, "not_finite" if _NO_NUMBER_WORD.search(block) else "no_number")
    return Reading(None, "too_few" if len(found) < n_values else "too_many")


def _finite(values: tuple[float, ...]) -> Reading:
    return Reading(values, None) if all(abs(value) <= _LARGEST for value in values) else Reading(None, "not_finite")


def _thousands(block: str, found: Sequence[Token]) -> list[float]:
    """The second reading of commas: those that form groups of three digits join."""
    values: list[float] = []
    group: list[Token] = []
    for token in found:
        if group and _joins(block, group, token):
            group.append(token)
            continue
        values += _joined(group)
        group = [token]
    return values + _joined(group)


def _joins(block: str, group: Sequence[Token], token: Token) -> bool:
    """Whether the number is the next three digits of the group."""
    first, left, whole = group[0].digits, group[-1], token.digits.partition(".")[0]
    return (
        first.isdigit()
        and len(first) <= 3
        and not first.startswith("0")
        and left.digits.isdigit()
        and token.start == left.end + 1
        and block[left.end] == ","
        and len(whole) == 3
        and whole.isdigit()
    )


def _joined(group: Sequence[Token]) -> list[float]:
    if not group:
        return []
    value = float("".join(token.digits for token in group))
    return [-value if group[0].negative else value]
