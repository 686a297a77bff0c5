"""Stage source: checks of landmarks, and of what a plan measures between them.

In: a landmark file, and what a plan says of a slice. Out: its groups of points; what is wrong with them, in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from mrarebench_hf.errors import DataFormatError
from mrarebench_hf.source.inside import file_inside
from mrarebench_hf.source.json_node import JsonNode, read_gz_json
from mrarebench_hf.source.targets import angle_degree, distance_mm

__all__ = ["Groups", "Line", "length_fault", "line_of", "point_faults", "read_groups", "value_fault"]

# Axis that is cut and number of the slice → the groups of points in it, in the file's order.
Groups: TypeAlias = Mapping[tuple[int, int], tuple[JsonNode, ...]]
Line: TypeAlias = tuple[str, str]

# Planners round values to three decimals; the rest is for spacings that were rounded before they measured.
_TOLERANCE = 0.05 + 0.0005
_ROUNDED_ENDS_VOXELS = 2


def read_groups(root: Path, relative: str) -> Groups:
    """The groups of points in a landmark file: one for each ellipse, or one for each time that a slice is listed.

    Args:
        root: the data folder.
        relative: the file's path below it.

    Raises:
        DataNotFoundError: when there is no such file.
        DataFormatError: when it does not have this form; the place is named.
    """
    path = file_inside(root, relative, "landmark file")
    try:
        document, _ = read_gz_json(path)
    except DataFormatError as error:
        raise DataFormatError(str(error).replace(str(path), relative, 1)) from None
    document = JsonNode(document.value, relative)
    found: dict[tuple[int, int], tuple[JsonNode, ...]] = {}
    for slice_dim, letter in enumerate("xyz"):
        slices = document.find(f"slice_landmarks_{letter}")
        for entry in () if slices is None else slices.items():
            place = slice_dim, entry.get("slice_idx").integer()
            landmarks = entry.get("landmarks")
            groups = tuple(landmarks.items()) if isinstance(landmarks.value, list) else (landmarks,)
            found[place] = (*found.get(place, ()), *groups)
    return found


def line_of(task: JsonNode, key: str) -> Line:
    """The landmarks at the ends of a line of a plan's task.

    Raises:
        DataFormatError: when the task has no such line.
    """
    first, second = (end.text() for end in task.get("lines_map").get(key).get("element_keys").items(2))
    return first, second


def point_faults(
    group: JsonNode, lines: Iterable[Line], slice_dim: int, slice_idx: int, sides: tuple[int, int, int]
) -> Iterator[str]:
    """What is wrong with the ends of lines.

    Args:
        group: the points of an ellipse or of a slice.
        lines: whose ends are looked at.
        slice_dim: the axis that is cut.
        slice_idx: number of the slice along it, in which every point has to lie.
        sides: voxels along the three axes.

    Raises:
        DataFormatError: when a point has another form.
    """
    for key in dict.fromkeys(end for line in lines for end in line):
        if group.find(key) is None:
            yield f"{group.where} has no {key}"
            continue
        point = _point(group, key)
        if point[slice_dim] != slice_idx:
            yield f"{key} {_written(point)} of {group.where} lies in slice {point[slice_dim]:g}, not {slice_idx}"
        # The centre of a voxel has a whole number: an index of -0.5 is the array's edge.
        elif not all(-0.5 <= index < side - 0.5 for index, side in zip(point, sides, strict=True)):
            yield f"{key} {_written(point)} of {group.where} lies outside the volume of {_written(sides)} voxels"


def value_fault(
    group: JsonNode, lines: Sequence[Line], value: float, spacings_mm: Iterable[Sequence[float]]
) -> str | None:
    """Why a value is not what its landmarks give; None when it is.

    Args:
        group: the points.
        lines: one for a distance in mm, two for an angle in degrees.
        value: the plan's.
        spacings_mm: millimetres along the three axes; the plan's and the volume's differ by rounding, either will do.

    Raises:
        DataFormatError: when a point is missing, or a line of an angle has no length.
    """
    found = [_measured(group, lines, spacing) for spacing in spacings_mm]
    if any(abs(value - one) <= _TOLERANCE for one in found):
        return None
    unit = "mm" if len(lines) == 1 else "degrees"
    return f"{value:g} {unit} is not what its landmarks give, {round(found[-1], 3):g}"


def length_fault(
    group: JsonNode, key: str, line: Line, value: float, slice_dim: int, spacings_mm: Sequence[Sequence[float]]
) -> str | None:
    """Why the length of an axis is not what its landmarks say; None when it is.

    It has to be the file's own measurement or, where there is none, the distance of the end points but for their
    rounding to voxels.

    Args:
        group: the points of the ellipse, and its measurements.
        key: the axis, as the measurements call it.
        line: its ends.
        value: the plan's length, mm.
        slice_dim: the axis that is cut.
        spacings_mm: as ``value_fault`` takes them.

    Raises:
        DataFormatError: when a measurement or a point is missing.
    """
    measurements = group.find("measurements")
    if measurements is not None:
        measured = measurements.get(key).number()
        if abs(value - measured) <= _TOLERANCE:
            return None
        return f"{value:g} mm is not the landmark file's {round(measured, 3):g}"
    coarser = max(side for axis, side in enumerate(spacings_mm[-1]) if axis != slice_dim)
    found = _measured(group, [line], spacings_mm[-1])
    if abs(value - found) <= _ROUNDED_ENDS_VOXELS * coarser:
        return None
    return f"{value:g} mm is more than {_ROUNDED_ENDS_VOXELS} voxels from what its landmarks give, {round(found, 3):g}"


def _measured(group: JsonNode, lines: Sequence[Line], spacing_mm: Sequence[float]) -> float:
    ends = [(_point(group, first), _point(group, second)) for first, second in lines]
    if len(ends) == 1:
        return distance_mm(*ends[0], spacing_mm)
    return angle_degree(ends[0], ends[1], spacing_mm)


def _point(group: JsonNode, key: str) -> tuple[float, float, float]:
    node = group.get(key)
    first, second, third = (index.number() for index in node.items(3))
    if not (math.isfinite(first) and math.isfinite(second) and math.isfinite(third)):
        raise node.fault("a point")
    return first, second, third


def _written(indices: Sequence[float]) -> str:
    return f"[{', '.join(f'{index:g}' for index in indices)}]"
