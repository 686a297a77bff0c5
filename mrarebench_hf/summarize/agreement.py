"""Agreement of two judges, or of two passes of one, on the same questions; pure.

Source: Cohen 1960, unweighted kappa.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["agreement", "cohen_kappa"]


def cohen_kappa(a: Sequence[object], b: Sequence[object]) -> float | None:
    """Cohen's κ of two equally long lists of verdicts; 1 is full agreement, 0 that of chance.

    None over nothing, and where chance alone agrees fully (both lists hold one and the same value).

    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0])
    0.5
    """
    if len(a) != len(b):
        raise ValueError(f"verdicts must be equally many, got {len(a)} and {len(b)}")
    n = len(a)
    first, second = Counter(a), Counter(b)
    by_chance = sum(first[name] * second[name] for name in first)
    if by_chance == n * n:  # also over nothing
        return None
    same = sum(x == y for x, y in zip(a, b, strict=True))
    return (same * n - by_chance) / (n * n - by_chance)


def agreement(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any] | None:
    """Compare the verdicts of two documents that ``judge`` has written, on the questions that both have judged.

    Args:
        a: one judge's verdicts on one rubric, in one pass.
        b: another's.

    Returns:
        Number of questions judged by both or by one only, and per kind of verdict (and over ``all``) the number of
        verdicts, the share that is equal, and κ. None where the two share no question.
    """
    first, second = _judged(a), _judged(b)
    shared = [key for key in first if key in second]
    if not shared:
        return None
    kinds: dict[str, list[tuple[object, object]]] = {}
    for key in shared:
        for kind, x, y in _pairs(first[key], second[key]):
            kinds.setdefault(kind, []).append((x, y))
            kinds.setdefault("all", []).append((x, y))
    return {
        "rubric": a["rubric"],
        "judges": [f"{one['judge']}" + (f" (pass {one['pass']})" if one["pass"] > 1 else "") for one in (a, b)],
        "n_both": len(shared),
        "n_one_only": len(first) + len(second) - 2 * len(shared),
        "verdicts": {kind: _measures(pairs) for kind, pairs in sorted(kinds.items())},
    }


def _judged(document: Mapping[str, Any]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Verdicts by question and content, so that verdicts on another answer are not compared."""
    rows = document["verdicts"]
    return {(row["index"], row["content_sha256"]): row["verdict"] for row in rows if row["verdict"] is not None}


def _pairs(x: Mapping[str, Any], y: Mapping[str, Any]) -> Iterator[tuple[str, object, object]]:
    for kind in x:
        values = [value if isinstance(value, list) else [value] for value in (x[kind], y[kind])]
        for one, other in zip(*values, strict=True):
            yield kind, one, other


def _measures(pairs: Sequence[tuple[object, object]]) -> dict[str, Any]:
    n_equal = sum(x == y for x, y in pairs)
    kappa = cohen_kappa([x for x, _ in pairs], [y for _, y in pairs])
    return {"n": len(pairs), "agreement": n_equal / len(pairs), "kappa": kappa}
