"""Samples from plans written by hand: which there are, what they hold, which are dropped and why."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from medvision_plans import angle_task, box, boxes_task, case, distance, ellipse, lesion_task, write_plan

from mrarebench_hf.errors import DataNotFoundError, UnknownNameError, UsageError
from mrarebench_hf.measured import Measure
from mrarebench_hf.measured_names import parse_task
from mrarebench_hf.source.measured_samples import SampleSet, read_samples

DETECTION = "Toy_BoxCoordinate_Task01_Axial"
LESION = "Toy_TumorLesionSize_Task01_Axial"
LANDMARKS = "Toy_BiometricsFromLandmarks{}_Task01_Coronal"


def _boxes(index: int, label: float, *boxes: Any) -> dict[str, Any]:
    return {"slice_idx": index, "slice_profile": [{"label": label, "bboxes": list(boxes)}]}


def _ellipses(index: int, *ellipses: Any, **more: Any) -> dict[str, Any]:
    return {"slice_idx": index, "slice_profile": list(ellipses), **more}


def _read(data_dir: Path, name: str, release: str = "latest", filtered: bool = True) -> SampleSet:
    return read_samples(data_dir, parse_task(name), release, filtered=filtered)


def test_a_box_with_a_float_label(tmp_path: Path) -> None:
    path = write_plan(tmp_path, "detection", boxes_task(case(z=[_boxes(17, 2.0, box())])))
    found = _read(tmp_path, DETECTION)
    [sample] = found.samples
    assert sample.sample_id == "Toy|01|Box-Size|Axial|17|case_a|2|1.4.0"
    assert (sample.family, sample.dataset, sample.task_id, sample.task_type) == ("Detection", "Toy", "01", "Box-Size")
    assert (sample.plane, sample.slice_dim, sample.slice_idx, sample.case_id) == ("Axial", 2, 17, "case_a")
    assert sample.image_file == "Datasets/Toy/Images/a.nii.gz"
    assert (sample.mask_file, sample.landmark_file) == ("Datasets/Toy/Masks/a.nii.gz", None)
    assert (sample.modality, sample.description) == ("MRI", "a brain MR slice")
    assert (sample.label, sample.label_name, sample.unit, sample.values) == (2, "brain lesion", "", ())
    assert isinstance(sample.label, int)
    assert (sample.box_px, sample.measure) == ((20, 30, 33, 49), None)
    assert (sample.array_size, sample.voxel_mm, sample.release) == ((60, 80, 40), (1.0, 1.0, 2.5), "1.4.0")
    assert found.plan.path == path
    assert found.plan_sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.dropped == {}


def test_axes_of_an_ellipse(tmp_path: Path) -> None:
    slices = [_ellipses(17, ellipse(20.6, 12.9), n_total_clusters=1)]
    write_plan(tmp_path, "biometry", lesion_task(case(landmarks="Landmarks/a.json.gz", z=slices)))
    [sample] = _read(tmp_path, LESION + "-CoT-scaledPS").samples
    assert sample.sample_id == "Toy|01|Tumor-Lesion-Size|Axial|17|case_a|2|1.4.0"
    assert (sample.label, sample.label_name, sample.unit, sample.values) == (2, "brain lesion", "mm", (20.6, 12.9))
    assert (sample.box_px, sample.measure) == (None, None)
    assert sample.landmark_file == "Datasets/Toy/Landmarks/a.json.gz"


def test_measures_of_landmarks_from_repeated_slice_entries(tmp_path: Path) -> None:
    write_plan(tmp_path, "biometry", angle_task())
    length, angle = _read(tmp_path, LANDMARKS.format("")).samples
    assert length.sample_id == "Toy|01|Biometrics-From-Landmarks|Coronal|33|case_a|L-3-4|1.4.0"
    assert (length.values, length.unit, angle.values, angle.unit) == ((41.231,), "mm", (75.964,), "degree")
    assert (length.label, length.label_name, length.mask_file) == (None, "", None)
    assert length.measure == Measure(
        "distance", "L-3-4", "height", (("P3", "P4"),), (("P3", "the crown"), ("P4", "the chin"))
    )
    assert angle.measure == Measure(
        "angle",
        "A-L_1_2-L_3_4",
        "tilt",
        (("P1", "P2"), ("P3", "P4")),
        (("P1", "the left end"), ("P2", "the right end"), ("P3", "the crown"), ("P4", "the chin")),
    )


def test_a_landmark_of_both_lines_is_named_once(tmp_path: Path) -> None:
    task = angle_task()
    task["lines_map"]["L-3-4"]["element_keys"] = ["P2", "P4"]
    del task["angles_map"]["A-L_1_2-L_3_4"]["name"]
    write_plan(tmp_path, "biometry", task)
    [sample] = _read(tmp_path, LANDMARKS.format("_Angle")).samples
    assert sample.measure is not None
    assert [key for key, _ in sample.measure.landmarks] == ["P1", "P2", "P4"]
    assert sample.measure.name == ""


def test_a_name_may_ask_for_one_kind_of_measure(tmp_path: Path) -> None:
    write_plan(tmp_path, "biometry", angle_task())
    for metric in ("Distance", "Angle"):
        found = _read(tmp_path, LANDMARKS.format(f"_{metric}"))
        [sample] = found.samples
        assert sample.measure is not None
        assert (sample.measure.kind, sample.task_type) == (metric.lower(), f"Biometrics-From-Landmarks-{metric}")
        assert found.dropped == {}


def test_several_records_in_one_entry_are_as_good(tmp_path: Path) -> None:
    records = [distance(1.0, "L-1-2", 1), distance(2.0, "L-3-4", 1)]
    cases = case(mask=False, y=[{"slice_idx": 5, "slice_profile": records}])
    write_plan(tmp_path, "biometry", angle_task(cases))
    assert [sample.values for sample in _read(tmp_path, LANDMARKS.format("")).samples] == [(1.0,), (2.0,)]


def test_boxes_that_are_several_or_small_are_dropped(tmp_path: Path) -> None:
    slices = [
        _boxes(1, 1.0, box(), box((1, 1), (12, 12))),
        _boxes(2, 1.0, box((0, 0), (9, 8))),
        _boxes(3, 1.0, box((0, 0), (8, 9))),
        _boxes(4, 1.0, box((0, 0), (9, 9))),
        _boxes(5, 1.0),
    ]
    write_plan(tmp_path, "detection", boxes_task(case(z=slices)))
    found = _read(tmp_path, DETECTION)
    assert [sample.slice_idx for sample in found.samples] == [4]
    assert found.dropped == {"several boxes": 1, "box under 10 px": 2, "no box": 1}
    everything = _read(tmp_path, DETECTION, filtered=False)
    assert [sample.slice_idx for sample in everything.samples] == [1, 2, 3, 4]
    assert everything.samples[0].box_px == (20, 30, 33, 49)
    assert everything.dropped == {"no box": 1}


def test_slices_of_several_clusters_are_dropped(tmp_path: Path) -> None:
    one, two = ellipse(20.6, 12.9), ellipse(9.0, 8.0)
    slices = [
        _ellipses(1, one, n_total_clusters=2),
        _ellipses(2, one, two),
        _ellipses(3, one),
        _ellipses(4, one, n_total_clusters=None),
        _ellipses(5, one, two, n_total_clusters=1),
        _ellipses(6, n_total_clusters=1),
        _ellipses(7, ellipse(float("nan"), 3.0)),
        _ellipses(8, ellipse(float("inf"), 3.0)),
    ]
    write_plan(tmp_path, "biometry", lesion_task(case(z=slices)))
    found = _read(tmp_path, LESION)
    assert [sample.slice_idx for sample in found.samples] == [3, 4, 5]
    assert found.dropped == {"several clusters": 2, "no ellipse": 1, "no finite value": 2}
    everything = _read(tmp_path, LESION, filtered=False)
    assert [(sample.slice_idx, sample.values) for sample in everything.samples] == [
        (index, (20.6, 12.9)) for index in range(1, 6)
    ]


def test_ids_are_unique_and_the_same_without_the_filter(tmp_path: Path) -> None:
    small = _boxes(3, 1.0, box((0, 0), (3, 3)))
    slices = [small, _boxes(3, 1.0, box()), _boxes(3, 2.0, box()), _boxes(3, 1.0, box())]
    write_plan(tmp_path, "detection", boxes_task(case(z=slices)))
    kept = [sample.sample_id for sample in _read(tmp_path, DETECTION).samples]
    every = [sample.sample_id for sample in _read(tmp_path, DETECTION, filtered=False).samples]
    name = "Toy|01|Box-Size|Axial|3|case_a|{}|1.4.0{}"
    assert every == [name.format(1, ""), name.format(1, "#2"), name.format(2, ""), name.format(1, "#3")]
    assert kept == every[1:]


def test_split_plane_and_order(tmp_path: Path) -> None:
    many = {"slice_idx": 9, "slice_profile": [{"label": label, "bboxes": [box()]} for label in (2.0, 1.0)]}
    test = [case("b", z=[many, _boxes(4, 1.0, box())], x=[_boxes(7, 1.0, box())]), case("a", z=[many])]
    write_plan(tmp_path, "detection", boxes_task(*test, train=[case("c", z=[_boxes(5, 1.0, box())])]))
    order = [(s.case_id[-1], s.slice_idx, s.label) for s in _read(tmp_path, DETECTION).samples]
    assert order == [("b", 9, 2), ("b", 9, 1), ("b", 4, 1), ("a", 9, 2), ("a", 9, 1)]
    [train] = _read(tmp_path, "Toy_BoxSize_Task01_Axial_Train").samples
    assert train.case_id == "case_c"
    [sagittal] = _read(tmp_path, "Toy_BoxSize_Task01_Sagittal_Test").samples
    assert (sagittal.plane, sagittal.slice_dim, sagittal.slice_idx) == ("Sagittal", 0, 7)
    assert _read(tmp_path, "Toy_BoxSize_Task01_Coronal").samples == ()


def test_the_release_picks_the_plan_and_the_plan_names_itself(tmp_path: Path) -> None:
    for version, axes in (("1.0.0", (20.12, 12.53)), ("1.4.0", (20.6, 12.9))):
        slices = [_ellipses(17, ellipse(*axes))]
        write_plan(tmp_path, "biometry", lesion_task(case(z=slices)), version=version)
    found = {}
    for release in ("1.0.0", "1.3.0", "1.4.0", "latest"):
        read = _read(tmp_path, LESION, release)
        [sample] = read.samples
        found[release] = (sample.release, sample.values)
        assert (read.plan.version, sample.sample_id.rsplit("|", 1)[1]) == (sample.release, sample.release)
    old, new = ("1.0.0", (20.12, 12.53)), ("1.4.0", (20.6, 12.9))
    assert found == {"1.0.0": old, "1.3.0": old, "1.4.0": new, "latest": new}
    with pytest.raises(UnknownNameError, match="MedVision release '2'"):
        _read(tmp_path, LESION, "2")


def test_a_task_that_measures_something_else_is_refused(tmp_path: Path) -> None:
    write_plan(tmp_path, "biometry", lesion_task(), angle_task())
    with pytest.raises(UsageError, match=r"Task02 of .* has no target_label, so it is one of BiometricsFromLandmarks"):
        _read(tmp_path, "Toy_TumorLesionSize_Task02_Axial")
    with pytest.raises(UsageError, match=r"Task01 of .* has a target_label, so it is one of TumorLesionSize"):
        _read(tmp_path, LANDMARKS.format(""))
    with pytest.raises(UsageError, match="has 2 tasks, Task01 to Task02"):
        _read(tmp_path, "Toy_TumorLesionSize_Task03_Axial")
    with pytest.raises(DataNotFoundError, match="no detection plan of Toy"):
        _read(tmp_path, DETECTION)
    [sample, _] = _read(tmp_path, "Toy_BiometricsFromLandmarks_Task02_Coronal").samples
    assert sample.task_id == "02"
