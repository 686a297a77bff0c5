"""Stage score: what a task's scorer is given besides answers and references, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Aids", "Matrix", "Scored", "VerdictsOf"]

# Per rubric, per question (a case's id, or a candidate) its verdict, None where the judge failed.
VerdictsOf: TypeAlias = "Mapping[str, Mapping[str, Mapping[str, Any] | None]]"


class Matrix(Protocol):
    """Similarity of texts."""

    @property
    def name(self) -> str:
        """What stands beside every value that depends on it."""

    def matrix(self, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
        """Similarities, shape ``(len(a), len(b))``, 1 for equal texts."""


@dataclass(frozen=True, slots=True)
class Aids:
    """What a scorer may use besides answers and references.

    Attributes:
        similarity: of texts, prepared for those of the run; None to leave out what needs it.
        verdicts: of the judge, empty without one.
    """

    similarity: Matrix | None = None
    verdicts: VerdictsOf = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of a run.

    Attributes:
        rows: per case its outcome, and ``values``: metric → that case's own value, for paired contrasts.
        counts: ``n_total``, ``n_scored``, ``n_unparsed``, ``n_missing`` and further ones, with ``reasons``.
        metrics: name → value, n, direction, unit.
        groups: further views of the same cases.
        warnings: what a reader of the numbers must know.
    """

    rows: list[dict[str, Any]]
    counts: dict[str, Any]
    metrics: dict[str, dict[str, Any]]
    groups: dict[str, Any]
    warnings: tuple[str, ...]
