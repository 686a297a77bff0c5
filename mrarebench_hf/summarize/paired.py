"""Statistics of paired per-case values: seeded bootstrap intervals and the exact McNemar test; pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["Difference", "difference", "mcnemar_p"]

N_RESAMPLES = 2_000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean paired difference with its interval.

    Attributes:
        value: mean of minuend − subtrahend, None over no cases.
        low: lower end of the 95 % percentile bootstrap interval over cases.
        high: upper end.
        n: number of shared cases.
        p_mcnemar: exact two-sided McNemar p of 0/1 values, None for others.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    p_mcnemar: float | None


def difference(
    minuend: NDArray[np.float64], subtrahend: NDArray[np.float64], *, hits: bool, seed: int = 0
) -> Difference:
    """Mean paired difference of two equally long vectors of per-case values.

    Args:
        minuend: shape ``(n,)``.
        subtrahend: shape ``(n,)``, the same cases in the same order.
        hits: whether the values are hits (0 or 1), for which McNemar's test is given.
        seed: of the bootstrap; the same seed gives the same interval.

    >>> import numpy as np
    >>> difference(np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]), hits=True).value
    0.3333333333333333
    """
    if minuend.shape != subtrahend.shape:
        raise ValueError(f"paired values must be equally many, got {minuend.shape} and {subtrahend.shape}")
    n = len(minuend)
    if n == 0:
        return Difference(None, None, None, 0, None)
    differences = minuend - subtrahend
    means = _draws(n, seed) @ differences / n
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    p = mcnemar_p(int((differences > 0).sum()), int((differences < 0).sum())) if hits else None
    return Difference(float(differences.mean()), float(low), float(high), n, p)


@lru_cache(maxsize=2)
def _draws(n: int, seed: int) -> NDArray[np.uint16]:
    """How often each of n cases is drawn in each resample, all that a resample's mean depends on."""
    generator = np.random.default_rng(seed)
    return generator.multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES).astype(np.uint16)


def mcnemar_p(n_gained: int, n_lost: int) -> float:
    """Exact two-sided McNemar p: discordant pairs are a fair coin under the null; 1.0 without any.

    Source: McNemar 1947, binomial form.

    >>> mcnemar_p(5, 0)
    0.0625
    """
    n = n_gained + n_lost
    tail = sum(math.comb(n, k) for k in range(min(n_gained, n_lost) + 1))
    return min(1.0, float(2 * tail / 2**n))
