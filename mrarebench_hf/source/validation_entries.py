"""Stage source: checks of a case's slice entries against its mask and its landmarks.

In: a case of a plan whose files have been looked at. Out: the faults of its entries, plane by plane.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from mrarebench_hf.errors import DataError
from mrarebench_hf.measured_names import PLANES
from mrarebench_hf.source.benchmark_plan import (
    Box,
    PlannedMetric,
    PlannedTask,
    planned_axes,
    planned_box,
    planned_metric,
)
from mrarebench_hf.source.json_node import JsonNode
from mrarebench_hf.source.landmarks import planned_measure
from mrarebench_hf.source.validation_boxes import (
    axes_faults,
    component_boxes,
    label_pixels,
    mask_fault,
    side_faults,
)
from mrarebench_hf.source.validation_fault import Fault, Place, guarded, told
from mrarebench_hf.source.validation_landmarks import (
    Groups,
    length_fault,
    line_of,
    point_faults,
    value_fault,
)
from mrarebench_hf.source.volume import Volumes

__all__ = ["EntryCheck", "entry_faults"]

_KEYS = tuple(f"slice_profiles_{axis}" for axis in "xyz")


@dataclass(frozen=True, slots=True)
class EntryCheck:
    """A case, and what its entries are checked against.

    Attributes:
        place: the case's.
        node: the case in the plan.
        task: the task that it belongs to.
        labels: those that the task names; None when it is not to be asked for them.
        sides: voxels along the three axes, as the plan has them.
        spacings_mm: millimetres along the three axes: the plan's and, where it can be read, the volume's.
        mask: path of the mask below the data folder; None when boxes and labels are not to be compared with it.
        groups: the case's landmarks; None when there are none to look at.
    """

    place: Place
    node: JsonNode
    task: PlannedTask
    labels: frozenset[int] | None
    sides: tuple[int, int, int]
    spacings_mm: tuple[tuple[float, float, float], ...]
    mask: str | None
    groups: Groups | None


@dataclass(frozen=True, slots=True)
class _Slice:
    """One entry of a plane: the case, where it is, its profile, and the mask's slice where that is looked at."""

    case: EntryCheck
    place: Place
    slice_dim: int
    slice_idx: int
    entry: JsonNode
    pixels: NDArray[Any] | None

    @property
    def size_px(self) -> tuple[int, int]:
        rows, columns = (side for axis, side in enumerate(self.case.sides) if axis != self.slice_dim)
        return rows, columns


def entry_faults(case: EntryCheck, volumes: Volumes) -> Iterator[Fault]:
    """The faults of a case's entries. The mask's voxels are read once, and only when there is an entry.

    Args:
        case: what is checked.
        volumes: the data folder's volumes; no other one is cut meanwhile.

    Raises:
        MissingDependencyError: when nibabel or scipy is not installed.
    """
    if case.mask is not None and any(case.node.mapping().get(key) for key in _KEYS):
        try:
            volumes.cut(case.mask, 0, 0)
        except DataError as error:
            # Said once, not again for each slice.
            yield case.place.unreadable(error)
            case = replace(case, mask=None)
    for slice_dim, plane in enumerate(PLANES):
        place = case.place.at(plane=plane.lower())
        yield from guarded(place, _plane_faults(case, volumes, place, slice_dim))


def _plane_faults(case: EntryCheck, volumes: Volumes, plane: Place, slice_dim: int) -> Iterator[Fault]:
    slices = case.node.find(_KEYS[slice_dim])
    for entry in () if slices is None else slices.items():
        yield from guarded(plane, _slice_faults(case, volumes, plane, slice_dim, entry))


def _slice_faults(case: EntryCheck, volumes: Volumes, plane: Place, slice_dim: int, entry: JsonNode) -> Iterator[Fault]:
    slice_idx = entry.get("slice_idx").integer()
    place = plane.at(slice=slice_idx)
    if slice_idx >= case.sides[slice_dim]:
        yield place.fault(f"there is no such slice, slices are 0 to {case.sides[slice_dim] - 1}")
        return
    pixels = None if case.mask is None else volumes.cut(case.mask, slice_dim, slice_idx)
    found = _Slice(case, place, slice_dim, slice_idx, entry, pixels)
    if case.task.is_detection:
        yield from guarded(place, _labels(found))
    elif case.task.target_label is not None:
        yield from guarded(place.at(label=case.task.target_label), _ellipses(found, case.task.target_label))
    else:
        yield from guarded(place, _metrics(found))


def _labels(found: _Slice) -> Iterator[Fault]:
    for item in found.entry.get("slice_profile").items():
        yield from guarded(found.place, _label(found, item))


def _label(found: _Slice, item: JsonNode) -> Iterator[Fault]:
    label = item.get("label").integer()
    place = found.place.at(label=label)
    if found.case.labels is not None and label not in found.case.labels:
        yield place.fault("the task's labels_map does not name this label")
    expected = None if found.pixels is None else component_boxes(label_pixels(found.pixels, label))
    if expected is not None and not expected:
        yield place.fault(_no_such_pixels(found))
    yield from guarded(place, _boxes(found, place, item, expected or ()))


def _boxes(found: _Slice, place: Place, item: JsonNode, expected: Sequence[Box]) -> Iterator[Fault]:
    for node in item.get("bboxes").items():
        yield from told(place, _box(node, found.size_px, expected))


def _box(node: JsonNode, size_px: tuple[int, int], expected: Sequence[Box]) -> Iterator[str]:
    box, dimensions = planned_box(node), node.find("dimensions")
    wrong = list(side_faults(box, size_px, None if dimensions is None else _pair(dimensions)))
    yield from wrong
    # A box that is wrong by itself is not the mask's either.
    if expected and not wrong and (fault := mask_fault(box, expected)):
        yield fault


def _ellipses(found: _Slice, label: int) -> Iterator[Fault]:
    place = found.place.at(label=label)
    if found.pixels is not None and not label_pixels(found.pixels, label).any():
        yield place.fault(_no_such_pixels(found))
    ellipses = list(found.entry.get("slice_profile").items())
    groups: Sequence[JsonNode | None] = [None] * len(ellipses)
    if found.case.groups is not None:
        listed = found.case.groups.get((found.slice_dim, found.slice_idx), ())
        if len(listed) == len(ellipses):
            groups = listed
        else:
            yield place.fault(f"the landmark file has the points of {len(listed)} ellipses, the plan {len(ellipses)}")
    for number, (ellipse, group) in enumerate(zip(ellipses, groups, strict=True), 1):
        # Most slices have one only.
        which = "" if len(ellipses) == 1 else f"ellipse {number}: "
        yield from told(place, (which + what for what in _ellipse(found, ellipse, group)))


def _ellipse(found: _Slice, ellipse: JsonNode, group: JsonNode | None) -> Iterator[str]:
    axes = planned_axes(ellipse)
    yield from axes_faults(axes)
    if group is None:
        return
    keys = [record.get("metric_key").text() for record in ellipse.items(2)]
    lines = [line_of(found.case.task.node, key) for key in keys]
    wrong = list(point_faults(group, lines, found.slice_dim, found.slice_idx, found.case.sides))
    yield from wrong
    if wrong:
        return
    for key, line, value in zip(keys, lines, axes, strict=True):
        if math.isfinite(value):
            fault = length_fault(group, key, line, value, found.slice_dim, found.case.spacings_mm)
            if fault:
                yield f"{key}: {fault}"


def _metrics(found: _Slice) -> Iterator[Fault]:
    for record in found.entry.get("slice_profile").items():
        yield from told(found.place, _metric(found, record))


def _metric(found: _Slice, record: JsonNode) -> Iterator[str]:
    metric = planned_metric(found.slice_idx, record)
    lines = planned_measure(found.case.task.node, metric.kind, metric.key).lines
    if not math.isfinite(metric.value):
        yield f"{metric.key}: the value {metric.value} is not finite"
    if found.case.groups is not None:
        for what in _against_landmarks(found, found.case.groups, metric, lines):
            yield f"{metric.key}: {what}"


def _against_landmarks(
    found: _Slice, groups: Groups, metric: PlannedMetric, lines: Sequence[tuple[str, str]]
) -> Iterator[str]:
    listed = groups.get((found.slice_dim, found.slice_idx), ())
    if not listed:
        yield "the landmark file has no points in this slice"
        return
    # As planners do: the first group that holds all of them.
    ends = {end for line in lines for end in line}
    group = next((one for one in listed if all(one.find(end) for end in ends)), listed[0])
    wrong = list(point_faults(group, lines, found.slice_dim, found.slice_idx, found.case.sides))
    yield from wrong
    if not wrong and math.isfinite(metric.value):
        fault = value_fault(group, lines, metric.value, found.case.spacings_mm)
        if fault:
            yield fault


def _pair(node: JsonNode) -> tuple[int, int]:
    first, second = (side.integer() for side in node.items(2))
    return first, second


def _no_such_pixels(found: _Slice) -> str:
    return f"{found.case.mask} has no pixel of this label in this slice"
