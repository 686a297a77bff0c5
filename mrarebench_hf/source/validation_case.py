"""Stage source: the check of one case of a plan: its files first, then its entries.

In: a case of a plan, and the data folder. Out: its faults. Volumes that are not stored in RAS+ order are noted, since
they are read in that order; a plan that does not count in it is at fault.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mrarebench_hf.errors import DataError
from mrarebench_hf.source.benchmark_plan import PlannedCase, PlannedTask, planned_case
from mrarebench_hf.source.json_node import JsonNode
from mrarebench_hf.source.validation_entries import EntryCheck, entry_faults
from mrarebench_hf.source.validation_fault import Fault, Place, guarded, told
from mrarebench_hf.source.validation_landmarks import Groups, read_groups
from mrarebench_hf.source.volume import VolumeInfo, Volumes

__all__ = ["CaseCheck", "Surroundings", "case_faults"]

# Plans round spacings to three decimals; float32 headers are closer than that.
_SPACING_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the cases of a dataset are checked with.

    Attributes:
        root: the data folder.
        folder: the dataset's, below it.
        volumes: the data folder's volumes.
        quick: whether the masks' voxels are left alone.
        note: is told of what is no fault.
        noted: volumes that were noted already.
    """

    root: Path
    folder: str
    volumes: Volumes
    quick: bool
    note: Callable[[str], None]
    noted: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class CaseCheck:
    """A case that is to be checked.

    Attributes:
        place: where it stands.
        node: the case in the plan.
        task: the task that it belongs to.
        labels: those that the task names; None when it names none that can be read.
    """

    place: Place
    node: JsonNode
    task: PlannedTask
    labels: frozenset[int] | None


def case_faults(case: CaseCheck, around: Surroundings) -> Iterator[Fault]:
    """The faults of one case.

    Raises:
        MissingDependencyError: when nibabel or scipy is not installed.
    """
    return guarded(case.place, _case_faults(case, around))


def _case_faults(case: CaseCheck, around: Surroundings) -> Iterator[Fault]:
    place, planned = case.place, planned_case(case.node)
    yield from told(place, _orientation(case.node, "image_file_info"))
    yield from told(place, _orientation(case.node, "mask_file_info"))
    image = yield from _header(place, planned.image_file, around)
    if image is not None:
        yield from told(place, _unlike_plan(planned, image, around))
    mask = yield from _mask(case, planned, image, around)
    groups = yield from _groups(case, planned, around)
    spacings = (planned.voxel_mm,) if image is None else (planned.voxel_mm, image.zooms_mm)
    check = EntryCheck(place, case.node, case.task, case.labels, planned.array_size, spacings, mask, groups)
    yield from entry_faults(check, around.volumes)


def _orientation(case: JsonNode, key: str) -> Iterator[str]:
    info = case.find(key)
    orientation = None if info is None else info.find("orientation")
    if orientation is None:
        return
    letters = "".join(letter.text() for letter in orientation.items(3))
    if letters != "RAS":
        yield f"{key} has the orientation {letters}: the plan's indices have to count in RAS order"


def _header(place: Place, file: str, around: Surroundings) -> Generator[Fault, None, VolumeInfo | None]:
    relative = f"{around.folder}/{file}"
    try:
        info = around.volumes.info(relative)
    except DataError as error:
        yield place.unreadable(error)
        return None
    if info.orientation != "RAS" and relative not in around.noted:
        around.noted.add(relative)
        around.note(f"{relative} is stored as {info.orientation}, no fault: it is read in RAS order")
    return info


def _unlike_plan(planned: PlannedCase, image: VolumeInfo, around: Surroundings) -> Iterator[str]:
    name = f"{around.folder}/{planned.image_file}"
    if image.shape != planned.array_size:
        yield f"{name} has {_sides(image.shape)} voxels in RAS order, the plan says {_sides(planned.array_size)}"
    if not all(
        math.isclose(found, said, rel_tol=_SPACING_TOLERANCE, abs_tol=_SPACING_TOLERANCE)
        for found, said in zip(image.zooms_mm, planned.voxel_mm, strict=True)
    ):
        found, said = (_sides([round(side, 4) for side in sides]) for sides in (image.zooms_mm, planned.voxel_mm))
        yield f"{name} has voxels of {found} mm in RAS order, the plan says {said}"


def _mask(
    case: CaseCheck, planned: PlannedCase, image: VolumeInfo | None, around: Surroundings
) -> Generator[Fault, None, str | None]:
    """Faults of the mask's file; returns its path below the data folder where its voxels are to be looked at."""
    has_labels = case.task.is_detection or case.task.target_label is not None
    if planned.mask_file is None:
        if has_labels:
            yield case.place.fault("the case names no mask_file")
        return None
    mask = yield from _header(case.place, planned.mask_file, around)
    if mask is None:
        return None
    relative = f"{around.folder}/{planned.mask_file}"
    expected = planned.array_size if image is None else image.shape
    if mask.shape != expected:
        whose = "the plan says" if image is None else "its image has"
        yield case.place.fault(f"{relative} has {_sides(mask.shape)} voxels in RAS order, {whose} {_sides(expected)}")
    # Indices of the plan would point elsewhere in a mask of another size.
    compared = has_labels and not around.quick and mask.shape == planned.array_size
    return relative if compared else None


def _groups(case: CaseCheck, planned: PlannedCase, around: Surroundings) -> Generator[Fault, None, Groups | None]:
    if case.task.is_detection:
        return None
    if planned.landmark_file is None:
        yield case.place.fault("the case names no landmark_file")
        return None
    try:
        return read_groups(around.root, f"{around.folder}/{planned.landmark_file}")
    except DataError as error:
        yield case.place.unreadable(error)
        return None


def _sides(sides: Sequence[float]) -> str:
    return " x ".join(str(side) for side in sides)
