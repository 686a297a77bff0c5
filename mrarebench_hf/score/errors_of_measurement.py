"""Stage score: errors of measured numbers, vectorised and pure.

In: predictions and targets of shape (n, k), k numbers per sample. Out: arrays of shape (n,), NaN where undefined.
A length is in millimetres, an angle in degrees, a box's corner a fraction of the picture.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["mean_absolute_error", "mean_relative_error", "normalised_error", "physical_diagonal_mm"]

Floats = npt.NDArray[np.float64]

# What medvision_bm adds to a target before it divides by it.
_PROTOCOL_EPSILON = 1e-15


def mean_absolute_error(predicted: npt.ArrayLike, target: npt.ArrayLike) -> Floats:
    """MAE = mean over the k numbers of |p − t|, in the unit of the numbers; NaN where a prediction is NaN.

    Corners of a box are compared as given: an answer with swapped corners is not the one that was asked for.

    >>> mean_absolute_error([[10.0, 6.0]], [[12.0, 5.0]]).tolist()
    [1.5]
    """
    difference = np.abs(np.asarray(predicted, np.float64) - np.asarray(target, np.float64))
    return np.asarray(difference.mean(axis=1), np.float64)


def mean_relative_error(predicted: npt.ArrayLike, target: npt.ArrayLike, *, protocol: bool = False) -> Floats:
    """MRE = mean over the k numbers of |p − t| / |t|, dimensionless; NaN where a target is 0 or a prediction NaN.

    With ``protocol`` as medvision_bm 1.2.1 divides: by t + 1e-15, sign included.

    >>> mean_relative_error([[10.0], [3.0]], [[8.0], [0.0]]).tolist()
    [0.25, nan]
    """
    p, t = np.asarray(predicted, np.float64), np.asarray(target, np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if protocol:
            return np.asarray((np.abs(p - t) / (t + _PROTOCOL_EPSILON)).mean(axis=1), np.float64)
        relative = np.asarray((np.abs(p - t) / np.abs(t)).mean(axis=1), np.float64)
    return np.where((t == 0).any(axis=1), np.nan, relative)


def normalised_error(mae_mm: npt.ArrayLike, diagonal_mm: npt.ArrayLike) -> Floats:
    """NMAE = MAE / physical diagonal of the picture, dimensionless; NaN where either is unknown or the diagonal 0."""
    mae, diagonal = np.asarray(mae_mm, np.float64), np.asarray(diagonal_mm, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(diagonal > 0, mae / diagonal, np.nan)


def physical_diagonal_mm(size_px: npt.ArrayLike, spacing_mm: npt.ArrayLike, scale: npt.ArrayLike = 1.0) -> Floats:
    """Diagonal of a picture in millimetres: sqrt((rows · row spacing)² + (columns · column spacing)²).

    Args:
        size_px: shape (n, 2), rows and columns.
        spacing_mm: shape (n, 2), millimetres per pixel along rows and columns.
        scale: factor on the spacing, shape (n, 2) or broadcast to it (scaled-pixel-size tasks).

    >>> physical_diagonal_mm([[30, 20]], [[0.1, 0.2]]).tolist()
    [5.0]
    """
    sides = np.asarray(size_px, np.float64) * np.asarray(spacing_mm, np.float64) * np.asarray(scale, np.float64)
    return np.sqrt(sides[:, 0] ** 2 + sides[:, 1] ** 2)
