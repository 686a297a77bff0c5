"""Stage parse, T1: a reply into a ranked list of diagnoses, by the published protocol and by a careful reading.

In: the text of a reply. Out: ``protocol_list`` gives the protocol's candidates, ``strict_list`` those that a careful
reader would take down, or the reason why there are none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mrarebench_hf.parse._fold import fold
from mrarebench_hf.parse._protocol_list import MAX_CANDIDATES, first_ten, protocol_list
from mrarebench_hf.parse._thinking import after_thinking

__all__ = ["MAX_CANDIDATES", "RankedList", "fold_repeats", "protocol_list", "protocol_ten", "strict_list"]

protocol_ten = first_ten


@dataclass(frozen=True, slots=True)
class RankedList:
    """What a careful reading of a reply gives.

    Attributes:
        candidates: names of diagnoses, best first, at most ten, explanations cut off.
        raw: the piece of the reply that each candidate was taken from.
        reason: why there is no candidate; None when there is one.
        refusal: whether the reply declines to diagnose.
    """

    candidates: tuple[str, ...]
    raw: tuple[str, ...]
    reason: str | None
    refusal: bool


def strict_list(text: str) -> RankedList:
    """Candidates of a reply as a careful reader would take them down."""
    answer = after_thinking(text)
    if answer.unclosed or not answer.text:
        return RankedList((), (), "unclosed_thinking" if answer.unclosed else "empty", False)
    names = fold_repeats(protocol_list(answer.text))
    return RankedList(names, names, None if names else "no_list", False)


def fold_repeats(names: Iterable[str]) -> tuple[str, ...]:
    """Drop names without a letter or digit and repeats of equal names (the first stays), and keep ten."""
    kept: dict[str, str] = {}
    for name in names:
        key = fold(name)
        if key and len(kept) < MAX_CANDIDATES:
            kept.setdefault(key, name)
    return tuple(kept.values())
