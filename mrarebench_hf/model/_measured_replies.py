"""Stage model, private: what baselines answer to a request for measurements; pure.

In: a sample's target, and those of all samples of its task. Out: a reply with its numbers in one ``<answer>`` block.
Numbers are written in the shortest way that reads back as the same float.
"""

from __future__ import annotations

import bisect
import math
import random
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from mrarebench_hf.errors import UnknownNameError, UsageError

__all__ = ["KINDS", "REFUSAL", "Target", "TargetPool", "measured_reply"]

Target = tuple[float, ...]

KINDS = ("oracle", "prior", "random", "center", "refusal")
REFUSAL = "I'm sorry, but I can't take measurements from medical images."
_CENTER = (0.25, 0.25, 0.75, 0.75)
_N_BOX = 4


@dataclass(frozen=True, slots=True)
class TargetPool:
    """The targets of all samples of a task.

    Attributes:
        targets: sorted, so that what is drawn does not depend on the order they came in.
        medians: of each number over all of them; none where there are no targets.
    """

    targets: tuple[Target, ...]
    medians: Target

    @classmethod
    def of(cls, targets: Iterable[Target]) -> TargetPool:
        """Take in targets.

        Raises:
            UsageError: when they do not hold equally many numbers, all finite.
        """
        ordered = tuple(sorted(tuple(map(float, target)) for target in targets))
        odd = next((t for t in ordered if len(t) != len(ordered[0]) or not t or not all(map(math.isfinite, t))), None)
        if odd is not None:
            raise UsageError(f"the targets of one task must hold equally many numbers, all finite; one is {odd}")
        return cls(ordered, tuple(statistics.median(numbers) for numbers in zip(*ordered, strict=True)))

    @property
    def is_box(self) -> bool:
        """Whether the targets are boxes; an empty pool is none."""
        return len(self.medians) == _N_BOX


def measured_reply(kind: str, target: Target, pool: TargetPool, seed: int, sample_id: str) -> str:
    """The reply of a baseline.

    Args:
        kind: one of ``KINDS``: the target itself, the median of each number, another sample's target, the middle
            quarter of the picture, or no answer.
        target: of the sample: four fractions of a box, or lengths and angles.
        pool: the targets of all samples of the task, this one's among them.
        seed: of the draw.
        sample_id: what is drawn depends on the seed and this alone, not on what else is asked.

    Raises:
        UnknownNameError: for another kind.
        UsageError: for "center" where no box is asked for, or an empty pool where one is drawn from.
    """
    if kind not in KINDS:
        raise UnknownNameError("baseline of measurements", kind, KINDS)
    if kind == "refusal":
        return REFUSAL
    if kind == "oracle":
        return _answer(target)
    if kind == "center":
        if len(target) != _N_BOX:
            raise UsageError("the baseline 'center' answers with a box; use oracle, prior, random or refusal here")
        return _answer(_CENTER)
    if not pool.targets:
        raise UsageError(f"the baseline {kind!r} needs the targets of the task, and there are none")
    return _answer(pool.medians if kind == "prior" else _drawn(target, pool.targets, seed, sample_id))


def _drawn(target: Target, targets: tuple[Target, ...], seed: int, sample_id: str) -> Target:
    generator = random.Random(f"{seed}\0{sample_id}")
    own = bisect.bisect_left(targets, target)
    if len(targets) == 1 or own == len(targets) or targets[own] != target:
        return targets[generator.randrange(len(targets))]
    number = generator.randrange(len(targets) - 1)
    return targets[number + (number >= own)]


def _answer(target: Target) -> str:
    return f"<answer>{', '.join(repr(float(number)) for number in target)}</answer>"
