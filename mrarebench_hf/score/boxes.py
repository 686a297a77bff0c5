"""Stage score: overlap of axis-aligned boxes, vectorised and pure.

In: arrays of shape (n, 4), one row (x0, y0, x1, y1) per box; any one unit. Out: arrays of shape (n,), dimensionless.
The order of the two corners does not matter: each axis is sorted first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Boxes", "Overlap", "area", "overlap", "protocol_overlap", "sorted_corners"]

Boxes = npt.NDArray[np.floating]

# Boxes that are scored at once: their columns fit into a core's cache.
_BLOCK = 8192


@dataclass(frozen=True, slots=True)
class Overlap:
    """Overlap of n predicted boxes with n target boxes, each an array of shape (n,) with values in [0, 1].

    Attributes:
        iou: intersection over union.
        f1: 2 · intersection / (sum of areas), also called Dice.
        precision: intersection over the predicted area.
        recall: intersection over the target's area.
    """

    iou: npt.NDArray[np.float64]
    f1: npt.NDArray[np.float64]
    precision: npt.NDArray[np.float64]
    recall: npt.NDArray[np.float64]


def sorted_corners(boxes: Boxes) -> Boxes:
    """The same boxes with x0 ≤ x1 and y0 ≤ y1; shape (n, 4), the dtype is kept."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    return np.concatenate([low, high], axis=1)


def area(boxes: Boxes) -> npt.NDArray[np.floating]:
    """Area of boxes of shape (n, 4), whatever the order of their corners; shape (n,), 0 for a degenerate box."""
    sides = np.abs(boxes[:, 2:] - boxes[:, :2])
    return sides[:, 0] * sides[:, 1]


def overlap(predicted: npt.ArrayLike, target: npt.ArrayLike) -> Overlap:
    """IoU, F1, precision and recall in float64; 0 throughout where the intersection has no area.

    A degenerate box (no width or no height) intersects nothing. Values are capped at 1, which rounding could pass.
    Source: published definitions of MedVision's detection metrics.

    Args:
        predicted: shape (n, 4), finite.
        target: shape (n, 4), finite.

    >>> found = overlap([[0, 0, 1, 1]], [[0.5, 0, 1.5, 1]])
    >>> float(found.iou[0]), float(found.f1[0])
    (0.3333333333333333, 0.5)
    """
    p, t = _as_boxes(predicted), _as_boxes(target)
    found = np.zeros((4, len(p)))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(p), _BLOCK):
            rows = slice(start, start + _BLOCK)
            _overlap(p[rows], t[rows], found[:, rows])
    return Overlap(*found)


def _overlap(p: Boxes, t: Boxes, found: npt.NDArray[np.float64]) -> None:
    """The four values of some boxes into the rows of ``found``, column by column, which stay in the cache."""
    p_left, p_low, p_right, p_high = _edges(p)
    t_left, t_low, t_right, t_high = _edges(t)
    width = np.minimum(p_right, t_right) - np.maximum(p_left, t_left)
    height = np.minimum(p_high, t_high) - np.maximum(p_low, t_low)
    shared = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    of_p, of_t = (p_right - p_left) * (p_high - p_low), (t_right - t_left) * (t_high - t_low)
    meets = shared > 0
    both = of_p + of_t
    wholes = ((shared, both - shared), (2.0 * shared, both), (shared, of_p), (shared, of_t))
    for values, (part, whole) in zip(found, wholes, strict=True):
        np.divide(part, whole, out=values, where=meets & (whole > 0))
        np.minimum(values, 1.0, out=values)


def _edges(boxes: Boxes) -> tuple[Boxes, Boxes, Boxes, Boxes]:
    """Left, low, right and high edges, each of shape (n,)."""
    x0, y0, x1, y1 = boxes.T
    return np.minimum(x0, x1), np.minimum(y0, y1), np.maximum(x0, x1), np.maximum(y0, y1)


def protocol_overlap(predicted: npt.ArrayLike, target: npt.ArrayLike) -> Overlap:
    """The same as medvision_bm 1.2.1 computes it from predictions that it holds in float32.

    IoU and F1 run in float64 on the rounded prediction. Precision and recall do not widen it: the predicted area, and
    each side of the intersection whose two edges are the prediction's, are rounded to float32. A predicted area that
    underflows gives a precision of NaN.
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        rounded = _as_boxes(predicted).astype(np.float32)
        wide = overlap(rounded.astype(np.float64), target)
        p, t = sorted_corners(rounded), sorted_corners(_as_boxes(target))
        p64 = p.astype(np.float64)
        # The edges of the intersection; where both boxes have the same edge the prediction's is taken.
        own_low, own_high = p64[:, :2] >= t[:, :2], p64[:, 2:] <= t[:, 2:]
        sides = np.minimum(p64[:, 2:], t[:, 2:]) - np.maximum(p64[:, :2], t[:, :2])
        narrow = (p[:, 2:] - p[:, :2]).astype(np.float64)
        sides = np.where(own_low & own_high, narrow, sides)
        shared = sides[:, 0] * sides[:, 1]
        inside = (own_low & own_high).all(axis=1)
        shared = np.where(inside, shared.astype(np.float32).astype(np.float64), shared)
        of_p, of_t = area(p), area(t)
        meets = (np.minimum(p64[:, 2:], t[:, 2:]) > np.maximum(p64[:, :2], t[:, :2])).all(axis=1)
        precision = np.where(of_p > 0, shared / of_p.astype(np.float64), np.nan)
        inner = (shared.astype(np.float32) / of_p).astype(np.float64)
        precision = np.where(inside & (of_p > 0), inner, precision)
        recall = shared / of_t
    return Overlap(
        wide.iou,
        wide.f1,
        np.where(meets, np.minimum(precision, 1.0), 0.0),
        np.where(meets, np.minimum(recall, 1.0), 0.0),
    )


def _as_boxes(boxes: npt.ArrayLike) -> npt.NDArray[np.float64]:
    return np.asarray(boxes, np.float64).reshape(-1, 4)
