"""Stage score: what a metric is, and the one way in which a mean over items is taken; pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

__all__ = ["Metric", "Values", "as_metrics", "mean"]

# Per metric its value (None over nothing) and the number of items, or points, that it is over.
Values: TypeAlias = "dict[str, tuple[float | None, int]]"


@dataclass(frozen=True, slots=True)
class Metric:
    """What a metric is.

    Attributes:
        direction: whether "higher" or "lower" is better, or "neither".
        unit: "fraction" (0 to 1), "rank" (1 is best), "cosine" (−1 to 1), "difference" of two fractions, "grade"
            (0 to 3), "ratio" (0 or more), "as the target", or "count".
        description: one sentence.
        formula: in the names that the metric's card explains.
    """

    direction: Literal["higher", "lower", "neither"]
    unit: Literal["fraction", "rank", "cosine", "difference", "grade", "ratio", "as the target", "count"]
    description: str
    formula: str


def mean(values: Iterable[float | None]) -> tuple[float | None, int]:
    """Mean of the values that are there, and how many they are; the order of the values does not matter.

    >>> mean([1.0, None, 0.0]), mean([])
    ((0.5, 2), (None, 0))
    """
    found = [value for value in values if value is not None]
    return (math.fsum(found) / len(found) if found else None), len(found)


def as_metrics(table: Mapping[str, Metric], values: Values) -> dict[str, dict[str, Any]]:
    """The values in the form of the summary document: name → value, n, direction, unit, in the order of the table."""
    return {
        name: {"value": values[name][0], "n": values[name][1], "direction": metric.direction, "unit": metric.unit}
        for name, metric in table.items()
        if name in values
    }
