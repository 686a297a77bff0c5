"""Stage score: what boxes drawn at random score on the same targets, as a floor below every table; seeded and pure.

In: targets of shape (n, 4). Out: the overlap of random boxes with them, averaged over draws.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mrarebench_hf.score.boxes import Overlap, overlap
from mrarebench_hf.score.errors_of_measurement import mean_absolute_error

__all__ = ["random_boxes", "score_random_boxes"]

Floats = npt.NDArray[np.float64]


def random_boxes(n: int, generator: np.random.Generator) -> Floats:
    """Boxes of uniform width and height, uniformly placed inside the picture; shape (n, 4), fractions."""
    sides = generator.random((n, 2))
    low = generator.random((n, 2)) * (1 - sides)
    return np.concatenate([low, low + sides], axis=1)


def score_random_boxes(targets: npt.ArrayLike, seed: int, draws: int = 10) -> tuple[Overlap, Floats]:
    """Mean overlap and mean absolute error of ``draws`` random boxes with each target; arrays of shape (n,).

    >>> found, mae = score_random_boxes([[0, 0, 1, 1]], seed=0, draws=2000)
    >>> bool(abs(found.iou[0] - 0.25) < 0.02)  # the mean area of a random box
    True
    """
    boxes = np.asarray(targets, np.float64).reshape(-1, 4)
    generator = np.random.default_rng(seed)
    sums = np.zeros((5, len(boxes)))
    for _ in range(draws):
        drawn = random_boxes(len(boxes), generator)
        found = overlap(drawn, boxes)
        sums += np.stack([found.iou, found.f1, found.precision, found.recall, mean_absolute_error(drawn, boxes)])
    iou, f1, precision, recall, mae = sums / draws
    return Overlap(iou, f1, precision, recall), mae
