"""Stage source: checks of boxes and axes against the slice that they lie in; pure.

In: what a plan says of a label in a slice, and the mask's slice. Out: what is wrong with it, in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrarebench_hf.errors import MissingDependencyError
from mrarebench_hf.source.benchmark_plan import Box

__all__ = ["axes_faults", "component_boxes", "label_pixels", "mask_fault", "side_faults"]


def label_pixels(pixels: NDArray[Any], label: int) -> NDArray[np.bool_]:
    """Where a mask's slice holds a label."""
    # A plan's label may lie outside of what the mask's type can hold; then nothing is equal to it.
    with np.errstate(over="ignore"):
        return np.asarray(pixels == label, np.bool_)


def component_boxes(structure: NDArray[np.bool_]) -> list[Box]:
    """The boxes around the parts of a structure; pixels that share an edge belong to one part.

    Args:
        structure: rows x columns.

    Raises:
        MissingDependencyError: when scipy is not installed.
    """
    try:
        from scipy import ndimage
    except ImportError as error:
        raise MissingDependencyError("scipy", "medvision", "checking boxes against masks") from error
    rows, columns = np.flatnonzero(structure.any(axis=1)), np.flatnonzero(structure.any(axis=0))
    if not rows.size:
        return []
    # Most structures fill a small part of their slice.
    top, left = int(rows[0]), int(columns[0])
    components, _ = ndimage.label(structure[top : rows[-1] + 1, left : columns[-1] + 1])
    return [
        (top + int(down.start), left + int(right.start), top + int(down.stop) - 1, left + int(right.stop) - 1)
        for down, right in ndimage.find_objects(components)
    ]


def mask_fault(box: Box, expected: Sequence[Box]) -> str | None:
    """Why a box is none of the boxes in the mask, of which there is at least one; None when it is."""
    if box in expected:
        return None
    nearest = min(expected, key=lambda other: sum(abs(a - b) for a, b in zip(box, other, strict=True)))
    if len(expected) == 1:
        return f"box {list(box)} is not the mask's {list(nearest)}"
    return f"box {list(box)} is none of the mask's {len(expected)}, the nearest is {list(nearest)}"


def side_faults(box: Box, size_px: tuple[int, int], dimensions: tuple[int, int] | None) -> Iterator[str]:
    """What is wrong with a box by itself.

    Args:
        box: first row, first column, last row, last column, all inclusive, in this order.
        size_px: rows and columns of the slice.
        dimensions: rows and columns of the box as the plan repeats them; None where it does not.
    """
    if box[2] >= size_px[0] or box[3] >= size_px[1]:
        yield f"box {list(box)} does not lie in a slice of {size_px[0]} rows and {size_px[1]} columns"
    sides = box[2] - box[0] + 1, box[3] - box[1] + 1
    if dimensions is not None and dimensions != sides:
        yield f"box {list(box)} has the dimensions {list(dimensions)}, its corners give {list(sides)}"


def axes_faults(axes_mm: tuple[float, float]) -> Iterator[str]:
    """What is wrong with the axes of an ellipse, major and minor, by themselves."""
    major, minor = axes_mm
    if not (math.isfinite(major) and math.isfinite(minor) and min(major, minor) > 0.0):
        yield f"the axes {major:g} and {minor:g} mm are not both finite lengths above 0"
    elif major < minor:
        yield f"the major axis of {major:g} mm is shorter than the minor one of {minor:g} mm"
