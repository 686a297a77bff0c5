"""Stage source: MedVision's benchmark plans, gzip JSON with one object per file.

In: a plan file. Out: its tasks, and their cases with the entries of one plane, of which samples are made. Keys that are
not needed are ignored; a needed one that is missing or holds something else is named with the file and its place.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

import orjson

from mrarebench_hf.errors import DataFormatError, DataNotFoundError
from mrarebench_hf.source.releases import PlanFile

__all__ = [
    "BenchmarkPlan",
    "JsonNode",
    "PlannedBoxes",
    "PlannedCase",
    "PlannedEllipses",
    "PlannedMetric",
    "PlannedTask",
    "read_gz_json",
    "read_plan",
]

_JSON_NAMES: dict[type, str] = {dict: "an object", list: "a list of {}"}


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value inside a JSON file, and the key or position that leads to it; for the root that is the file's path."""

    value: Any
    key: str | int
    parent: JsonNode | None = None

    @property
    def where(self) -> str:
        """The file and the place in it, ``plan.json.gz: tasks[0].test_cases``."""
        steps: list[str] = []
        node = self
        while node.parent is not None:
            steps.append(f"[{node.key}]" if isinstance(node.key, int) else f".{node.key}")
            node = node.parent
        inside = "".join(reversed(steps)).removeprefix(".")
        return f"{node.key}: {inside or 'the document'}"

    def fault(self, expected: str) -> DataFormatError:
        """An error that says what should be here."""
        name = _JSON_NAMES.get(type(self.value))
        found = name.format(len(self.value)) if name else repr(self.value)[:80]
        return DataFormatError(f"{self.where} is {found}, not {expected}")

    def mapping(self) -> dict[str, Any]:
        """The value as an object."""
        if not isinstance(self.value, dict):
            raise self.fault("an object")
        return self.value

    def find(self, key: str) -> JsonNode | None:
        """The value of a key that may be absent; null counts as absent."""
        found = self.mapping().get(key)
        return None if found is None else JsonNode(found, key, self)

    def get(self, key: str) -> JsonNode:
        """The value of a key that must be there."""
        node = self.find(key)
        if node is None:
            raise DataFormatError(f"{JsonNode(None, key, self).where} is missing")
        return node

    def items(self, length: int | None = None) -> Iterator[JsonNode]:
        """The elements of a list, of one length where it is given."""
        if not isinstance(self.value, list) or length not in (None, len(self.value)):
            raise self.fault("a list" if length is None else f"a list of {length}")
        for position, value in enumerate(self.value):
            yield JsonNode(value, position, self)

    def text(self) -> str:
        """The value as text."""
        if not isinstance(self.value, str):
            raise self.fault("text")
        return self.value

    def number(self) -> float:
        """The value as a number, which may be NaN or infinite."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.fault("a number")
        return float(self.value)

    def integer(self, least: int = 0) -> int:
        """The value as a whole number that is not below a bound; 2.0 is one."""
        value = self.number()
        if not value.is_integer() or value < least:
            raise self.fault(f"a whole number from {least}")
        return int(value)

    def path(self) -> str:
        """The value as a relative path that does not leave its folder."""
        text = self.text()
        path = PurePosixPath(text)
        if not path.parts or path.is_absolute() or ".." in path.parts or "\\" in text or not text.isprintable():
            raise self.fault("a path below the dataset's folder")
        return str(path)


@dataclass(frozen=True, slots=True)
class PlannedBoxes:
    """The boxes of one label in one slice; each is first row, first column, last row, last column, all inclusive."""

    slice_idx: int
    label: int
    boxes: tuple[tuple[int, int, int, int], ...]


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
            slices, info = case.find(f"slice_profiles_{'xyz'[slice_dim]}"), case.get("image_file_info")
            first, second, third = (side.integer(least=1) for side in info.get("array_size").items(3))
            yield PlannedCase(
                case.get("case_ID").text(),
                case.get("image_file").path(),
                _optional_path(case.find("mask_file")),
                _optional_path(case.find("landmark_file")),
                (first, second, third),
                _spacing(info.get("voxel_size")),
                () if slices is None else tuple(self._entries(slices)),
            )

    def _entries(self, slices: JsonNode) -> Iterator[PlannedEntry]:
        for entry in slices.items():
            index, profile = entry.get("slice_idx").integer(), entry.get("slice_profile")
            if self.is_detection:
                yield from (_boxes(index, item) for item in profile.items())
            elif self.target_label is None:
                yield from (_metric(index, record) for record in profile.items())
            else:
                clusters = entry.find("n_total_clusters")
                axes = tuple(_axes(ellipse) for ellipse in profile.items())
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


def read_gz_json(path: Path) -> tuple[JsonNode, str]:
    """A gzip file of one JSON object, and the SHA-256 of the file in hex.

    Raises:
        DataNotFoundError: when there is no such file.
        DataFormatError: when it cannot be read as that.
    """
    try:
        packed = path.read_bytes()
        document = _parsed(gzip.decompress(packed))
    except FileNotFoundError as error:
        raise DataNotFoundError(f"no file {path}") from error
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise DataFormatError(f"{path} is no whole gzip file of JSON: {error}") from error
    if not isinstance(document, dict):
        raise JsonNode(document, str(path)).fault("an object")
    return JsonNode(document, str(path)), hashlib.sha256(packed).hexdigest()


def _parsed(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # the slower reader knows NaN, which planners may have written
        return json.loads(text, parse_int=float)


def _optional_path(node: JsonNode | None) -> str | None:
    return None if node is None else node.path()


def _spacing(node: JsonNode) -> tuple[float, float, float]:
    first, second, third = (side.number() for side in node.items(3))
    if not (0.0 < first < math.inf and 0.0 < second < math.inf and 0.0 < third < math.inf):
        raise node.fault("lengths above 0")
    return first, second, third


def _boxes(slice_idx: int, item: JsonNode) -> PlannedBoxes:
    boxes = []
    for box in item.get("bboxes").items():
        first, last = ([side.integer() for side in box.get(name).items(2)] for name in ("min_coords", "max_coords"))
        if last[0] < first[0] or last[1] < first[1]:
            raise box.get("max_coords").fault("at or after min_coords")
        boxes.append((first[0], first[1], last[0], last[1]))
    return PlannedBoxes(slice_idx, item.get("label").integer(), tuple(boxes))


def _axes(ellipse: JsonNode) -> tuple[float, float]:
    major, minor = (record.get("metric_value").number() for record in ellipse.items(2))
    return major, minor


def _metric(slice_idx: int, record: JsonNode) -> PlannedMetric:
    kind = record.get("metric_type")
    if kind.text() not in ("distance", "angle"):
        raise kind.fault("distance or angle")
    key, value, unit = (record.get(name) for name in ("metric_key", "metric_value", "metric_unit"))
    return PlannedMetric(slice_idx, kind.text(), key.text(), value.number(), unit.text())
