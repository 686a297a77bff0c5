"""Stage source: the samples of a MedVision task, from the plan of its dataset.

In: the data folder and a task's name. Out: ``MeasuredSample`` in the plan's order (cases, slices, labels or measures),
and how many candidates were dropped, by reason. No volume, mask or landmark file is opened.

Samples that were dropped when ``filtered``, as MedVision does:

- boxes: a label with several boxes in a slice (``several boxes``), or whose box is under 10 pixels high or wide
  (``box under 10 px``); the sides are counted from the corners, both inclusive;
- tumors and lesions: ``n_total_clusters`` above 1 or, where the plan does not say, more than one ellipse
  (``several clusters``);
- measures of landmarks: none.

What has nothing to measure is always dropped: no box (``no box``), no ellipse (``no ellipse``), a value that is NaN or
infinite (``no finite value``). Where several boxes or ellipses are let through, the first one counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mrarebench_hf.errors import DataFormatError, UsageError
from mrarebench_hf.measured import Measure, MeasuredSample
from mrarebench_hf.measured_names import TaskName
from mrarebench_hf.source.benchmark_plan import (
    BenchmarkPlan,
    PlannedBoxes,
    PlannedCase,
    PlannedEllipses,
    PlannedEntry,
    PlannedMetric,
    PlannedTask,
    read_plan,
)
from mrarebench_hf.source.landmarks import planned_measure
from mrarebench_hf.source.releases import LATEST, PlanFile, find_plan

__all__ = ["LEAST_BOX_SIDE_PX", "SampleSet", "read_samples"]

LEAST_BOX_SIDE_PX = 10


@dataclass(frozen=True, slots=True)
class SampleSet:
    """The samples of a task.

    Attributes:
        name: the task.
        samples: in the plan's order; ids are unique.
        plan: the file that they come from.
        plan_sha256: SHA-256 of that file in hex.
        dropped: reason → how many candidates were left out for it.
    """

    name: TaskName
    samples: tuple[MeasuredSample, ...]
    plan: PlanFile
    plan_sha256: str
    dropped: Mapping[str, int]


class _Measured(NamedTuple):
    """What a sample's fields hold that depend on the family."""

    label: int | None
    label_name: str
    unit: str
    values: tuple[float, ...]
    box_px: tuple[int, int, int, int] | None
    measure: Measure | None


def read_samples(data_dir: Path, name: TaskName, release: str = LATEST, *, filtered: bool = True) -> SampleSet:
    """Read the samples of a task from the plan that a release means.

    Sample ids are unique and do not depend on ``filtered``: when a plan lists the same label or measure of a slice
    again, the later ones end in ``#2``, ``#3``, counted before anything is dropped.

    Args:
        data_dir: the folder that holds ``Datasets/``.
        name: the task; it picks the plan, the task in it, the split, the plane and, for landmarks, the kind of measure.
        release: a published version or ``latest``.
        filtered: leave out the candidates that MedVision leaves out.

    Raises:
        DataNotFoundError: when the dataset or its plan is not there.
        DataFormatError: when the plan cannot be read; file and place are named.
        UsageError: when the plan has no such task, or one that measures something else.
        UnknownNameError: when the release is not a published one.
    """
    file = find_plan(data_dir, name.dataset, "detection" if name.family.is_box else "biometry", release)
    plan = read_plan(file)
    task = _task(plan, name)
    seen: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    samples = []
    measured = _measured_by(task)
    for case, entry in _entries(task, name):
        sample_id = _sample_id(case, entry, task, name, file.version)
        seen[sample_id] += 1
        if reason := _reason(entry, filtered):
            dropped[reason] += 1
            continue
        again = f"#{seen[sample_id]}" if seen[sample_id] > 1 else ""
        samples.append(_sample(sample_id + again, case, entry, task, name, file.version, measured(entry)))
    return SampleSet(name, tuple(samples), file, plan.sha256, dict(dropped))


def _task(plan: BenchmarkPlan, name: TaskName) -> PlannedTask:
    if not 1 <= name.number <= len(plan.tasks):
        raise UsageError(
            f"{name.text!r}: {plan.file.path} has {len(plan.tasks)} tasks, Task01 to Task{len(plan.tasks):02d}"
        )
    task = plan.tasks[name.number - 1]
    measures_ellipses = task.target_label is not None
    if not name.family.is_box and measures_ellipses != (name.family.name == "TL"):
        kind = "TumorLesionSize" if measures_ellipses else "BiometricsFromLandmarks"
        raise UsageError(
            f"{name.text!r}: Task{task.task_id} of {plan.file.path} has {'a' if measures_ellipses else 'no'} "
            f"target_label, so it is one of {kind}; ask for that, or for another task"
        )
    return task


def _entries(task: PlannedTask, name: TaskName) -> Iterator[tuple[PlannedCase, PlannedEntry]]:
    """Cases and their entries, of measures only the kind that the name asks for."""
    wanted = name.metric.lower() if name.metric else None
    for case in task.cases(name.split, name.slice_dim):
        for entry in case.entries:
            if wanted is None or not isinstance(entry, PlannedMetric) or entry.kind == wanted:
                yield case, entry


def _sample_id(case: PlannedCase, entry: PlannedEntry, task: PlannedTask, name: TaskName, version: str) -> str:
    match entry:
        case PlannedBoxes():
            what: int | str | None = entry.label
        case PlannedEllipses():
            what = task.target_label
        case PlannedMetric():
            what = entry.key
    parts = (name.dataset, task.task_id, name.task_type, name.plane, entry.slice_idx, case.case_id, what, version)
    return "|".join(map(str, parts))


def _reason(entry: PlannedEntry, filtered: bool) -> str | None:
    """Why an entry gives no sample; None when it gives one."""
    match entry:
        case PlannedBoxes():
            return _reason_of_boxes(entry, filtered)
        case PlannedEllipses():
            return _reason_of_ellipses(entry, filtered)
        case PlannedMetric():
            return None if math.isfinite(entry.value) else "no finite value"


def _reason_of_boxes(entry: PlannedBoxes, filtered: bool) -> str | None:
    if not entry.boxes:
        return "no box"
    if not filtered:
        return None
    if len(entry.boxes) > 1:
        return "several boxes"
    top, left, bottom, right = entry.boxes[0]
    return "box under 10 px" if min(bottom - top, right - left) + 1 < LEAST_BOX_SIDE_PX else None


def _reason_of_ellipses(entry: PlannedEllipses, filtered: bool) -> str | None:
    clusters = len(entry.axes) if entry.n_clusters is None else entry.n_clusters
    if not entry.axes:
        return "no ellipse"
    if filtered and clusters > 1:
        return "several clusters"
    return None if all(map(math.isfinite, entry.axes[0])) else "no finite value"


def _measured_by(task: PlannedTask) -> Callable[[PlannedEntry], _Measured]:
    """How an entry of a task becomes what its sample holds; names are looked up only for samples that are kept."""
    names = {} if task.target_label is None and not task.is_detection else _label_names(task)

    def label_name(label: int) -> str:
        if label not in names:
            raise DataFormatError(f"{task.node.get('labels_map').where}.{label} is missing")
        return names[label]

    def measured(entry: PlannedEntry) -> _Measured:
        match entry:
            case PlannedBoxes():
                return _Measured(entry.label, label_name(entry.label), "", (), entry.boxes[0], None)
            case PlannedEllipses():
                assert task.target_label is not None
                return _Measured(task.target_label, label_name(task.target_label), "mm", entry.axes[0], None, None)
            case PlannedMetric():
                measure = planned_measure(task.node, entry.kind, entry.key)
                return _Measured(None, "", entry.unit, (entry.value,), None, measure)

    return measured


def _label_names(task: PlannedTask) -> Mapping[int, str]:
    labels = task.node.get("labels_map")
    found = {}
    for key in labels.mapping():
        name = labels.get(key)
        try:
            found[int(float(key))] = name.text()
        except (ValueError, OverflowError) as error:
            raise DataFormatError(f"{name.where}: the key {key!r} is no label, labels are whole numbers") from error
    return found


def _sample(
    sample_id: str,
    case: PlannedCase,
    entry: PlannedEntry,
    task: PlannedTask,
    name: TaskName,
    version: str,
    measured: _Measured,
) -> MeasuredSample:
    def below(path: str | None) -> str | None:
        return None if path is None else f"Datasets/{name.dataset}/{path}"

    return MeasuredSample(
        sample_id=sample_id,
        family=name.family.name,
        dataset=name.dataset,
        task_id=task.task_id,
        task_type=name.task_type,
        plane=name.plane,
        slice_dim=name.slice_dim,
        slice_idx=entry.slice_idx,
        case_id=case.case_id,
        image_file=f"Datasets/{name.dataset}/{case.image_file}",
        mask_file=below(case.mask_file),
        landmark_file=below(case.landmark_file),
        modality=task.modality,
        description=task.description,
        array_size=case.array_size,
        voxel_mm=case.voxel_mm,
        release=version,
        **measured._asdict(),
    )
