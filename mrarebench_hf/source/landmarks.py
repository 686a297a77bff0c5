"""Stage source: landmarks, the points on slices that MedVision's lengths and angles are measured between.

In: a landmark file, gzip JSON with one object per case; or a plan's task and the key of a measure. Out: the points of a
slice, as voxel indices along the three axes; or what is measured between which landmarks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mrarebench_hf.measured import Measure
from mrarebench_hf.source.json_node import JsonNode, read_gz_json

__all__ = ["Landmarks", "Point", "planned_measure", "read_landmarks"]

Point: TypeAlias = tuple[int | float, int | float, int | float]

_POINT_KEY = re.compile(r"P[0-9]+")


@dataclass(frozen=True, slots=True)
class Landmarks:
    """The landmarks of one case.

    Attributes:
        slices: axis that is cut and number of the slice → its groups of points, in the file's order.
    """

    slices: Mapping[tuple[int, int], tuple[Mapping[str, Point], ...]]

    def points(self, slice_dim: int, slice_idx: int) -> tuple[Mapping[str, Point], ...]:
        """The groups of a slice, key of a landmark → voxel indices: one per ellipse, or one; none for a slice without.

        Args:
            slice_dim: the axis that is cut, 0 to 2.
            slice_idx: number of the slice along it.
        """
        return self.slices.get((slice_dim, slice_idx), ())


def read_landmarks(path: Path) -> Landmarks:
    """Read a landmark file. Points have keys such as P1; whatever else stands beside them is ignored.

    Raises:
        DataNotFoundError: when there is no such file.
        DataFormatError: when it does not have this form; the place is named.
    """
    root, _ = read_gz_json(path)
    found: dict[tuple[int, int], tuple[Mapping[str, Point], ...]] = {}
    for slice_dim, letter in enumerate("xyz"):
        slices = root.find(f"slice_landmarks_{letter}")
        for entry in () if slices is None else slices.items():
            place = slice_dim, entry.get("slice_idx").integer()
            # A slice may be listed again: plans list it once per measure.
            found[place] = (*found.get(place, ()), *map(_points, _groups(entry.get("landmarks"))))
    return Landmarks(found)


def planned_measure(task: JsonNode, kind: str, key: str) -> Measure:
    """What a measure of a plan's task is, from the task's maps of names.

    Args:
        task: the task in the plan.
        kind: "distance" or "angle".
        key: the plan's key of it, "L-1-2" or "A-L_1_2-L_3_4".

    Raises:
        DataFormatError: when a map lacks something that it refers to; the place is named.
    """
    if kind == "distance":
        entry = task.get("lines_map").get(key)
        lines: tuple[tuple[str, str], ...] = (_pair(entry),)
    else:
        entry = task.get("angles_map").get(key)
        first, second = _pair(entry)
        lines = (_pair(task.get("lines_map").get(first)), _pair(task.get("lines_map").get(second)))
    name, texts = entry.find("name"), task.get("landmarks_map")
    used = dict.fromkeys(landmark for line in lines for landmark in line)
    landmarks = tuple((landmark, texts.get(landmark).text()) for landmark in used)
    return Measure(kind, key, "" if name is None else name.text(), lines, landmarks)


def _pair(entry: JsonNode) -> tuple[str, str]:
    first, second = (key.text() for key in entry.get("element_keys").items(2))
    return first, second


def _groups(landmarks: JsonNode) -> Iterator[JsonNode]:
    # One object where landmarks were given, a list of them where ellipses were fitted.
    if isinstance(landmarks.value, list):
        yield from landmarks.items()
    else:
        yield landmarks


def _points(group: JsonNode) -> Mapping[str, Point]:
    return {key: _point(group.get(key)) for key, value in group.mapping().items() if _is_point(key, value)}


def _is_point(key: str, value: object) -> bool:
    return value is not None and _POINT_KEY.fullmatch(key) is not None


def _point(node: JsonNode) -> Point:
    first, second, third = (index.number() for index in node.items(3))
    if not (math.isfinite(first) and math.isfinite(second) and math.isfinite(third)):
        raise node.fault("a point")
    return _index(first), _index(second), _index(third)


def _index(number: float) -> int | float:
    return int(number) if number.is_integer() else number
