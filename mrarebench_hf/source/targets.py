"""Stage source: what the right answer to a MedVision sample is; pure.

In: a sample. Out: its target in the order of an answer: left, bottom, right and top of a box as fractions of the
picture; major and minor axis; one angle or distance. Values are float64.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from mrarebench_hf.errors import DataFormatError
from mrarebench_hf.measured import MeasuredSample

__all__ = ["angle_degree", "box_target", "distance_mm", "float16_values", "scale_fields", "scaled_target", "target"]

Indices: TypeAlias = Sequence[int | float]


def box_target(box_px: tuple[int, int, int, int], size_px: tuple[int, int]) -> tuple[float, float, float, float]:
    """A box as fractions of the picture: left, bottom, right, top, with the origin at the picture's lower left.

    The last row and column are inclusive indices and used as they are, so the target is one pixel short: its bottom and
    right edges lie one pixel inside the structure. Published definition; a pixel-exact 14×20 box has an IoU of 0.882.

    Args:
        box_px: first row, first column, last row, last column, all inclusive.
        size_px: rows and columns of the picture.

    >>> box_target((20, 30, 33, 49), (60, 80))[:2]
    (0.375, 0.45)
    """
    (top, left, bottom, right), (rows, columns) = box_px, size_px
    return left / columns, (rows - bottom) / rows, right / columns, (rows - top) / rows


def distance_mm(first: Indices, second: Indices, spacing_mm: Sequence[float]) -> float:
    """Distance of two points in millimetres.

    Args:
        first: indices of a point along two or three axes.
        second: likewise of the other.
        spacing_mm: millimetres per index along each axis.

    >>> distance_mm((0, 0), (3, 2), (1.0, 2.0))
    5.0
    """
    return math.hypot(*_vector((first, second), spacing_mm))


def angle_degree(line1: tuple[Indices, Indices], line2: tuple[Indices, Indices], spacing_mm: Sequence[float]) -> float:
    """Angle of two lines in degrees, folded to [0, 90]: neither the order of a line's ends nor of the lines matters.

    Args:
        line1: two points, indices along two or three axes.
        line2: likewise.
        spacing_mm: millimetres per index along each axis.

    Raises:
        DataFormatError: when a line has no length.

    >>> round(angle_degree(((0, 0), (1, 0)), ((0, 0), (-1, 1)), (1.0, 1.0)), 6)
    45.0
    """
    u, v = _vector(line1, spacing_mm), _vector(line2, spacing_mm)
    u_length, v_length = math.hypot(*u), math.hypot(*v)
    if u_length == 0.0 or v_length == 0.0:
        raise DataFormatError(f"a line from a point to itself has no angle: {line1} and {line2}")
    # Lengths first: their product may vanish or overflow.
    cosine = sum((a / u_length) * (b / v_length) for a, b in zip(u, v, strict=True))
    return math.degrees(math.acos(min(abs(cosine), 1.0)))


def target(sample: MeasuredSample) -> tuple[float, ...]:
    """The target of a sample: four fractions, two lengths in mm, or one measure in the sample's unit.

    Raises:
        DataFormatError: when a box does not lie in its slice.
    """
    if sample.box_px is None:
        return sample.values
    rows, columns = _in_plane(sample.array_size, sample.slice_dim)
    top, left, bottom, right = sample.box_px
    if not (0 <= top <= bottom < rows and 0 <= left <= right < columns):
        raise DataFormatError(
            f"{sample.sample_id}: the box from [{top}, {left}] to [{bottom}, {right}] does not lie in a slice of "
            f"{rows} rows and {columns} columns"
        )
    return box_target(sample.box_px, (rows, columns))


def scaled_target(
    sample: MeasuredSample,
    factors: tuple[float, float],
    points: Mapping[str, tuple[int | float, int | float, int | float]] | None,
    spacing_mm: tuple[float, float],
) -> tuple[float, ...]:
    """The target when the spacing that a prompt states is multiplied.

    Args:
        sample: one of lengths or angles.
        factors: by what the spacing of rows and columns is multiplied; for axes of ellipses both are the same.
        points: key of a landmark → voxel indices along the three axes; needed for measures of landmarks only, which are
            measured again inside the slice.
        spacing_mm: the slice's own spacing, along the rows' axis and along the columns' axis.

    Raises:
        DataFormatError: when a landmark is missing, or a line of an angle has no length.
        ValueError: for a box, for an ellipse with two factors, for landmarks without points.
    """
    if sample.box_px is not None:
        raise ValueError(f"{sample.sample_id} is a box: fractions of a picture do not depend on its spacing")
    if sample.measure is None:
        if factors[0] != factors[1]:
            raise ValueError(f"axes of an ellipse scale by one factor only, not by {factors}")
        return tuple(value * factors[0] for value in sample.values)
    if points is None:
        raise ValueError(f"{sample.sample_id} is measured between landmarks: their points are needed")
    down, right = spacing_mm[0] * factors[0], spacing_mm[1] * factors[1]
    lines = [(_flat(sample, points, a), _flat(sample, points, b)) for a, b in sample.measure.lines]
    if sample.measure.kind == "distance":
        return (distance_mm(*lines[0], (down, right)),)
    return (angle_degree(lines[0], lines[1], (down, right)),)


def scale_fields(sample: MeasuredSample) -> tuple[str, int, int, str, int | None]:
    """What seeds the draw of a sample's factors, for ``source.pixel_scale.draw_scale``.

    The image file counts from the data folder, so that another place of the data means the same factors.
    """
    return sample.image_file, sample.slice_dim, sample.slice_idx, sample.task_id, sample.label


def float16_values(values: Iterable[float]) -> tuple[float, ...]:
    """Values as MedVision's own rows hold them, rounded to float16; those above 65,504 become infinite.

    >>> float16_values([41.231])
    (41.21875,)
    """
    with np.errstate(over="ignore"):
        return tuple(np.asarray(tuple(values), np.float64).astype(np.float16).tolist())


def _in_plane(sides: tuple[int, int, int], slice_dim: int) -> tuple[int, int]:
    rows, columns = (side for axis, side in enumerate(sides) if axis != slice_dim)
    return rows, columns


def _flat(sample: MeasuredSample, points: Mapping[str, Indices], key: str) -> tuple[int | float, ...]:
    if key not in points:
        raise DataFormatError(f"{sample.sample_id}: landmark {key} is not among {', '.join(points) or 'no points'}")
    return tuple(index for axis, index in enumerate(points[key]) if axis != sample.slice_dim)


def _vector(line: tuple[Indices, Indices], spacing_mm: Sequence[float]) -> tuple[float, ...]:
    return tuple((b - a) * mm for a, b, mm in zip(*line, spacing_mm, strict=True))
