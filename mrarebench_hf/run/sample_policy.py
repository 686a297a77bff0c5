"""Which samples of a task a capped run takes: pure, and the same whatever the number of processes."""

from __future__ import annotations

import random
from typing import Literal, TypeAlias, get_args

from mrarebench_hf.errors import UnknownNameError, UsageError

__all__ = ["POLICIES", "Policy", "choose"]

Policy: TypeAlias = Literal["first", "spread", "random"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


def choose(n: int, limit: int | None, policy: Policy = "first", seed: int = 0) -> tuple[int, ...]:
    """The numbers of the samples that are taken, in rising order.

    Args:
        n: number of samples.
        limit: at most so many; None for all.
        policy: "first" takes the first ones, as MedVision does, which may be slices of very few patients; "spread"
            takes them at even distances over all; "random" draws them, seeded.
        seed: of the draw.

    Raises:
        UsageError: for a negative limit.
        UnknownNameError: for another policy.

    >>> choose(10, 4, "spread")
    (0, 2, 5, 7)
    """
    if policy not in POLICIES:
        raise UnknownNameError("sample policy", policy, POLICIES)
    if limit is not None and limit < 0:
        raise UsageError(f"limit must be 0 or more, got {limit}")
    if limit is None or limit >= n:
        return tuple(range(n))
    if policy == "spread":
        return tuple(number * n // limit for number in range(limit))
    if policy == "random":
        return tuple(sorted(random.Random(seed).sample(range(n), limit)))
    return tuple(range(limit))
