"""Stage source: MedVision's benchmark plans, gzip JSON with one object per file.

In: a plan file. Out: its tasks, and their cases with the entries of one plane, of which samples are made. Keys that are
not needed are ignored; a needed one that is missing or holds something else is named with the file and its place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from mrarebench_hf.source.json_node import JsonNode, read_gz_json
from mrarebench_hf.source.releases import PlanFile

__all__ = [
    "BenchmarkPlan",
    "Box",
    "PlannedBoxes",
    "PlannedCase",
    "PlannedEllipses",
    "PlannedMetric",
    "PlannedTask",
    "planned_axes",
    "planned_box",
    "planned_case",
    "planned_metric",
    "read_plan",
]

# First row, first column, last row, last column, all inclusive.
Box: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class PlannedBoxes:
    """The boxes of one label in one slice; each is first row, first column, last row, last column, all inclusive."""

    slice_idx: int
    label: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class PlannedEllipses:
    """The ellipses of one slice, major and minor axis of each; ``n_clusters`` is None in plans that do not say."""

    slice_idx: int
    n_clusters: int | None
    axes: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class PlannedMetric:
    """One measure of landmarks in one slice: "distance" or "angle", its key in the task, its value and unit."""

    slice_idx: int
    kind: str
    key: str
    value: float
    unit: str


PlannedEntry: TypeAlias = PlannedBoxes | PlannedEllipses | PlannedMetric


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """One volume: its files below the dataset's folder, its size, and the entries of one plane in the plan's order."""

    case_id: str
    image_file: str
    mask_file: str | None
    landmark_file: str | None
    array_size: tuple[int, int, int]
    voxel_mm: tuple[float, float, float]
    entries: tuple[PlannedEntry, ...]


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """One task of a plan.

    Attributes:
        node: the task in the document, for its maps of names.
        task_id: its position in the plan, "01"; plans repeat it as ``task_ID``.
        modality: as the plan writes it.
        description: what the pictures are; may be empty.
        target_label: the label whose ellipses are measured; None for boxes and for measures of landmarks.
        is_detection: whether the plan is one of boxes.
    """

    node: JsonNode
    task_id: str
    modality: str
    description: str
    target_label: int | None
    is_detection: bool

    def cases(self, split: str, slice_dim: int) -> Iterator[PlannedCase]:
        """The cases of a split, "Train" or "Test", each with the entries of the plane that cuts one axis."""
        for case in self.node.get(f"{split.lower()}_cases").items():
            slices = case.find(f"slice_profiles_{'xyz'[slice_dim]}")
            yield planned_case(case, () if slices is None else tuple(self._entries(slices)))

    def _entries(self, slices: JsonNode) -> Iterator[PlannedEntry]:
        for entry in slices.items():
            index, profile = entry.get("slice_idx").integer(), entry.get("slice_profile")
            if self.is_detection:
                yield from (_boxes(index, item) for item in profile.items())
            elif self.target_label is None:
                yield from (planned_metric(index, record) for record in profile.items())
            else:
                clusters = entry.find("n_total_clusters")
                axes = tuple(planned_axes(ellipse) for ellipse in profile.items())
                yield PlannedEllipses(index, None if clusters is None else clusters.integer(), axes)


@dataclass(frozen=True, slots=True)
class BenchmarkPlan:
    """A plan, where it came from and the SHA-256 of that file in hex; its tasks hold on to the whole document."""

    file: PlanFile
    sha256: str
    tasks: tuple[PlannedTask, ...]


def read_plan(file: PlanFile) -> BenchmarkPlan:
    """Read a plan file; cases are read when they are asked for.

    Raises:
        DataNotFoundError: when there is no such file.
        DataFormatError: when it is no gzip file of a JSON object with tasks; ``cases`` raises it too.
    """
    root, digest = read_gz_json(file.path)
    tasks = []
    for number, node in enumerate(root.get("tasks").items(), 1):
        description, label = node.find("image_description"), node.find("target_label")
        tasks.append(
            PlannedTask(
                node,
                f"{number:02d}",
                node.get("image_modality").text(),
                "" if description is None else description.text(),
                None if label is None else label.integer(),
                file.kind == "detection",
            )
        )
    return BenchmarkPlan(file, digest, tuple(tasks))


def planned_case(case: JsonNode, entries: tuple[PlannedEntry, ...] = ()) -> PlannedCase:
    """A case of a plan.

    Args:
        case: the case in the plan.
        entries: those of the plane that is asked for.

    Raises:
        DataFormatError: when something is missing or of another form; the place is named.
    """
    info = case.get("image_file_info")
    first, second, third = (side.integer(least=1) for side in info.get("array_size").items(3))
    return PlannedCase(
        case.get("case_ID").text(),
        case.get("image_file").path(),
        _optional_path(case.find("mask_file")),
        _optional_path(case.find("landmark_file")),
        (first, second, third),
        _spacing(info.get("voxel_size")),
        entries,
    )


def planned_box(box: JsonNode) -> Box:
    """One box of a label: rows and columns of its corners.

    Raises:
        DataFormatError: when a corner is missing, of another form, or the last one lies before the first.
    """
    first, last = ([side.integer() for side in box.get(name).items(2)] for name in ("min_coords", "max_coords"))
    if last[0] < first[0] or last[1] < first[1]:
        raise box.get("max_coords").fault("at or after min_coords")
    return first[0], first[1], last[0], last[1]


def planned_axes(ellipse: JsonNode) -> tuple[float, float]:
    """The axes of an ellipse, major and minor, which may be NaN or infinite.

    Raises:
        DataFormatError: when there are not two of them, or a value is missing or of another form.
    """
    major, minor = (record.get("metric_value").number() for record in ellipse.items(2))
    return major, minor


def planned_metric(slice_idx: int, record: JsonNode) -> PlannedMetric:
    """A measure of landmarks in a slice; its value may be NaN or infinite.

    Raises:
        DataFormatError: when something is missing or of another form.
    """
    kind = record.get("metric_type")
    if kind.text() not in ("distance", "angle"):
        raise kind.fault("distance or angle")
    key, value, unit = (record.get(name) for name in ("metric_key", "metric_value", "metric_unit"))
    return PlannedMetric(slice_idx, kind.text(), key.text(), value.number(), unit.text())


def _boxes(slice_idx: int, item: JsonNode) -> PlannedBoxes:
    boxes = tuple(planned_box(box) for box in item.get("bboxes").items())
    return PlannedBoxes(slice_idx, item.get("label").integer(), boxes)


def _optional_path(node: JsonNode | None) -> str | None:
    return None if node is None else node.path()


def _spacing(node: JsonNode) -> tuple[float, float, float]:
    first, second, third = (side.number() for side in node.items(3))
    if not (0.0 < first < math.inf and 0.0 < second < math.inf and 0.0 < third < math.inf):
        raise node.fault("lengths above 0")
    return first, second, third
