"""Stage source: the check of a data folder of MedVision: its plans against its volumes, masks and landmarks.

In: the folder that holds ``Datasets/``. Out: one fault for each thing that does not agree. Nothing ends the check: what
cannot be read is one fault, and the rest is checked. The cases of all plans of a dataset go by mask, so that each mask
is decoded once.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

from mrarebench_hf.errors import DataFormatError, DataNotFoundError, UnknownNameError
from mrarebench_hf.source.benchmark_plan import PlannedTask, read_plan
from mrarebench_hf.source.json_node import JsonNode
from mrarebench_hf.source.releases import LATEST, PlanFile, PlanKind, find_plan, resolve_release
from mrarebench_hf.source.validation_case import CaseCheck, Surroundings, case_faults
from mrarebench_hf.source.validation_fault import Fault, Place, guarded
from mrarebench_hf.source.volume import Volumes

__all__ = ["Fault", "Listener", "validate"]

_KINDS: tuple[PlanKind, ...] = ("detection", "biometry", "segmentation")
_SPLITS = ("train", "test")
_ByMask: TypeAlias = dict[str | None, list[CaseCheck]]


class Listener(Protocol):
    """Who is told how far a check is."""

    def planned(self, plans: int, cases: int) -> None:
        """A dataset has so many plans more; so many cases of them are checked next."""

    def checked(self) -> None:
        """One case of a plan is done."""

    def note(self, text: str) -> None:
        """Something that is no fault."""


def validate(
    data_dir: Path,
    datasets: Sequence[str] = (),
    release: str = LATEST,
    quick: bool = False,
    listener: Listener | None = None,
) -> Iterator[Fault]:
    """Check the plans of a data folder: boxes, sizes of tumors and lesions, measures of landmarks.

    Of segmentation plans, which nothing here is measured by, it is only seen whether they can be read.

    Args:
        data_dir: the folder that holds ``Datasets/``.
        datasets: names of those to check; none means all.
        release: a published version or ``latest``; of each dataset and kind the newest plan up to it is checked.
        quick: read plans, landmarks and the volumes' headers, but no voxel of a mask.
        listener: is told how far the check is, and of volumes that are not stored in RAS+ order.

    Returns:
        The faults, found while they are asked for; the iterator raises MissingDependencyError without nibabel or scipy.

    Raises:
        UnknownNameError: when the release is not a published one, or there is no such dataset.
        DataNotFoundError: when there is no such folder, or no dataset in it.
    """
    resolve_release(release)
    names = _chosen(data_dir, datasets)
    return _faults(data_dir, names, release, quick, _Deaf() if listener is None else listener)


class _Deaf:
    def planned(self, plans: int, cases: int) -> None: ...

    def checked(self) -> None: ...

    def note(self, text: str) -> None: ...


def _chosen(data_dir: Path, wanted: Sequence[str]) -> list[str]:
    folder = data_dir / "Datasets"
    if not folder.is_dir():
        raise DataNotFoundError(f"no folder {folder}: give the folder that holds MedVision's Datasets/")
    try:
        there = sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and entry.name[0] != ".")
    except OSError as error:
        raise DataNotFoundError(f"{folder} cannot be listed: {error}") from error
    if not there:
        raise DataNotFoundError(f"no dataset in {folder}: each has a folder of its own there, with its plans")
    for name in wanted:
        if name not in there:
            raise UnknownNameError(f"dataset of {folder}", name, there)
    return list(dict.fromkeys(wanted)) or there


def _faults(data_dir: Path, names: Iterable[str], release: str, quick: bool, listener: Listener) -> Iterator[Fault]:
    for name in names:
        folder = f"Datasets/{name}"
        around = Surroundings(data_dir, folder, Volumes(data_dir), quick, listener.note)
        yield from guarded(Place(folder), _dataset_faults(name, release, around, listener))


def _dataset_faults(name: str, release: str, around: Surroundings, listener: Listener) -> Iterator[Fault]:
    try:
        files = [file for kind in _KINDS if (file := _plan(around.root, name, kind, release)) is not None]
    except OSError as error:
        raise DataNotFoundError(f"the folder cannot be listed: {error}") from error
    if not files:
        yield Place(around.folder).fault(f"there is no plan of release {resolve_release(release)} or before it")
    by_mask: _ByMask = {}
    for file in files:
        place = Place(f"{around.folder}/{file.path.name}")
        yield from guarded(place, _gather(file, place, by_mask))
    listener.planned(len(files), sum(map(len, by_mask.values())))
    for cases in by_mask.values():
        for case in cases:
            yield from case_faults(case, around)
            listener.checked()


def _plan(data_dir: Path, name: str, kind: PlanKind, release: str) -> PlanFile | None:
    try:
        return find_plan(data_dir, name, kind, release)
    except DataNotFoundError:
        return None


def _gather(file: PlanFile, place: Place, by_mask: _ByMask) -> Iterator[Fault]:
    """Faults of a plan's frame; its cases are added to the others, by the mask that they name."""
    tasks = read_plan(file).tasks
    for task in () if file.kind == "segmentation" else tasks:
        at = place.at(task=task.task_id)
        labels = yield from _labels(task, at)
        seen: dict[str, str] = {}
        for split in _SPLITS:
            here = at.at(split=split)
            yield from guarded(here, _gather_split(task, here, labels, seen, by_mask))


def _labels(task: PlannedTask, place: Place) -> Generator[Fault, None, frozenset[int] | None]:
    """Faults of a task's names of labels; returns the labels, None where there are none that can be read."""
    if not task.is_detection and task.target_label is None:
        return None
    try:
        labels = task.node.get("labels_map")
        named = frozenset(_label(labels.get(key)) for key in labels.mapping())
    except DataFormatError as error:
        yield place.unreadable(error)
        return None
    if task.target_label is not None and task.target_label not in named:
        yield place.at(label=task.target_label).fault("the task's labels_map does not name this label, its target")
    return named


def _label(name: JsonNode) -> int:
    name.text()
    try:
        return int(float(name.key))
    except (ValueError, OverflowError) as error:
        raise DataFormatError(f"{name.where}: the key {name.key!r} is no label, labels are whole numbers") from error


def _gather_split(
    task: PlannedTask, place: Place, labels: frozenset[int] | None, seen: dict[str, str], by_mask: _ByMask
) -> Iterator[Fault]:
    for node in task.node.get(f"{place.split}_cases").items():
        case_id, mask, image = (_text(node, key) for key in ("case_ID", "mask_file", "image_file"))
        at = place.at(case=case_id)
        if case_id in seen:
            yield at.fault(f"the case is listed {'again' if seen[case_id] == place.split else 'in train too'}")
        elif case_id is not None:
            assert place.split is not None
            seen[case_id] = place.split
        by_mask.setdefault(mask or image, []).append(CaseCheck(at, node, task, labels))


def _text(case: JsonNode, key: str) -> str | None:
    """A text of a case that has not been looked at yet; None for whatever else is there."""
    value = case.value.get(key) if isinstance(case.value, dict) else None
    return value if isinstance(value, str) else None
