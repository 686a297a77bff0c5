"""Stage score: boxes in a declared convention as fractions of the picture from the lower left; vectorised and pure.

In: four numbers per box, a format and an origin. Out: (x0, y0, x1, y1) as MedVision's targets have them.
Nothing is guessed: a model that answers in another convention than the one asked for is scored by what is declared.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

__all__ = ["BOX_FORMATS", "BOX_ORIGINS", "BoxFormat", "BoxOrigin", "out_of_range", "to_fractions"]

# Corners as fractions of the picture; corners in thousandths; corners in pixels; corner and size as fractions.
BoxFormat: TypeAlias = Literal["xyxy01", "xyxy1000", "xyxy_px", "xywh01"]
BoxOrigin: TypeAlias = Literal["lower-left", "upper-left"]
BOX_FORMATS: tuple[BoxFormat, ...] = get_args(BoxFormat)
BOX_ORIGINS: tuple[BoxOrigin, ...] = get_args(BoxOrigin)

Floats = npt.NDArray[np.float64]


def to_fractions(
    boxes: npt.ArrayLike,
    box_format: BoxFormat,
    origin: BoxOrigin = "lower-left",
    size_px: npt.ArrayLike | None = None,
) -> Floats:
    """Boxes as fractions of width and height, (x0, y0, x1, y1), y counted upwards from the lower edge.

    Args:
        boxes: shape (n, 4); of ``xywh01`` the first two numbers are the corner nearest to the origin.
        box_format: what the numbers are.
        origin: where y is 0.
        size_px: shape (n, 2), rows and columns of the picture; for ``xyxy_px`` only, NaN gives NaN.

    >>> to_fractions([[100, 200, 500, 600]], "xyxy1000").tolist()
    [[0.1, 0.2, 0.5, 0.6]]
    >>> to_fractions([[64, 96, 320, 288]], "xyxy_px", size_px=[[480, 640]]).tolist()
    [[0.1, 0.2, 0.5, 0.6]]
    """
    found = np.array(boxes, np.float64).reshape(-1, 4)
    with np.errstate(over="ignore"):
        if box_format == "xyxy1000":
            found /= 1000.0
        elif box_format == "xywh01":
            found[:, 2:] += found[:, :2]
        elif box_format == "xyxy_px":
            if size_px is None:
                raise ValueError("boxes in pixels need the size of the picture")
            rows_columns = np.asarray(size_px, np.float64).reshape(-1, 2)
            found /= rows_columns[:, [1, 0, 1, 0]]
    if origin == "upper-left":
        # The corner that is the upper one there is the lower one here, and corners are compared in order.
        found[:, [1, 3]] = 1.0 - found[:, [3, 1]]
    return found


def out_of_range(fractions: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether any corner of a box lies outside the picture; shape (n,), False for NaN."""
    found = np.asarray(fractions, np.float64).reshape(-1, 4)
    return np.asarray(((found < 0) | (found > 1)).any(axis=1), np.bool_)
