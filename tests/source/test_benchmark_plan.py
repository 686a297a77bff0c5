"""Plans that are damaged: each fault is one error that names the file and the place in it."""

from __future__ import annotations

import copy
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from medvision_plans import angle_task, box, boxes_task, case, ellipse, lesion_task, write_gz, write_plan

from mrarebench_hf.errors import DataFormatError, DataNotFoundError
from mrarebench_hf.measured_names import parse_task
from mrarebench_hf.source.benchmark_plan import read_plan
from mrarebench_hf.source.json_node import read_gz_json
from mrarebench_hf.source.measured_samples import read_samples
from mrarebench_hf.source.releases import PlanFile

NAMES = {
    "detection": "Toy_BoxCoordinate_Task01_Axial",
    "lesion": "Toy_TumorLesionSize_Task01_Axial",
    "angle": "Toy_BiometricsFromLandmarks_Task01_Coronal",
}
BOXES = [{"slice_idx": 17, "slice_profile": [{"label": 2.0, "bboxes": [box()]}]}]
ELLIPSES = [{"slice_idx": 17, "n_total_clusters": 1, "slice_profile": [ellipse(20.6, 12.9)]}]
TASKS = {
    "detection": boxes_task(case(z=BOXES)),
    "lesion": lesion_task(case(z=ELLIPSES)),
    "angle": angle_task(),
}
CASE = "tasks[0].test_cases[0]"
REMOVED = object()


def _read_damaged(tmp_path: Path, which: str, place: str, value: Any) -> None:
    """Read a plan in which one value is another, or is removed."""
    document: Any = {"tasks": [copy.deepcopy(TASKS[which])]}
    *steps, last = [int(n) if n else key for n, key in re.findall(r"\[(\d+)\]|\.?([^.\[]+)", place)]
    node = document
    for step in steps:
        node = node[step]
    if value is REMOVED:
        del node[last]
    else:
        node[last] = value
    kind = "detection" if which == "detection" else "biometry"
    write_gz(tmp_path / f"Datasets/Toy/benchmark_plan_{kind}_v1.4.0.json.gz", document)
    read_samples(tmp_path, parse_task(NAMES[which]))


@pytest.mark.parametrize(
    ("which", "place"),
    [
        ("detection", "tasks"),
        ("detection", "tasks[0].image_modality"),
        ("detection", "tasks[0].labels_map"),
        ("detection", "tasks[0].labels_map.2"),
        ("detection", "tasks[0].test_cases"),
        ("detection", f"{CASE}.case_ID"),
        ("detection", f"{CASE}.image_file"),
        ("detection", f"{CASE}.image_file_info"),
        ("detection", f"{CASE}.image_file_info.array_size"),
        ("detection", f"{CASE}.image_file_info.voxel_size"),
        ("detection", f"{CASE}.slice_profiles_z[0].slice_idx"),
        ("detection", f"{CASE}.slice_profiles_z[0].slice_profile"),
        ("detection", f"{CASE}.slice_profiles_z[0].slice_profile[0].label"),
        ("detection", f"{CASE}.slice_profiles_z[0].slice_profile[0].bboxes"),
        ("detection", f"{CASE}.slice_profiles_z[0].slice_profile[0].bboxes[0].min_coords"),
        ("detection", f"{CASE}.slice_profiles_z[0].slice_profile[0].bboxes[0].max_coords"),
        ("lesion", "tasks[0].labels_map"),
        ("lesion", "tasks[0].labels_map.2"),
        ("lesion", f"{CASE}.slice_profiles_z[0].slice_profile[0][1].metric_value"),
        ("angle", "tasks[0].lines_map"),
        ("angle", "tasks[0].lines_map.L-3-4"),
        ("angle", "tasks[0].lines_map.L-1-2.element_keys"),
        ("angle", "tasks[0].angles_map"),
        ("angle", "tasks[0].angles_map.A-L_1_2-L_3_4"),
        ("angle", "tasks[0].landmarks_map.P4"),
        ("angle", f"{CASE}.slice_profiles_y[1].slice_profile[0].metric_type"),
        ("angle", f"{CASE}.slice_profiles_y[1].slice_profile[0].metric_key"),
        ("angle", f"{CASE}.slice_profiles_y[1].slice_profile[0].metric_value"),
        ("angle", f"{CASE}.slice_profiles_y[1].slice_profile[0].metric_unit"),
    ],
)
def test_a_needed_key_that_is_missing_is_named(tmp_path: Path, which: str, place: str) -> None:
    with pytest.raises(DataFormatError) as error:
        _read_damaged(tmp_path, which, place, REMOVED)
    kind = "detection" if which == "detection" else "biometry"
    path = tmp_path / f"Datasets/Toy/benchmark_plan_{kind}_v1.4.0.json.gz"
    assert str(error.value) == f"{path}: {place} is missing"


@pytest.mark.parametrize(
    ("which", "place", "value", "said"),
    [
        ("detection", "tasks", {}, "is an object, not a list"),
        ("detection", "tasks[0]", [1], "is a list of 1, not an object"),
        ("detection", "tasks[0].image_modality", 3, "is 3, not text"),
        ("detection", "tasks[0].labels_map", [], "is a list of 0, not an object"),
        ("detection", f"{CASE}.image_file_info.array_size", [60, 80], "is a list of 2, not a list of 3"),
        ("detection", f"{CASE}.image_file_info.array_size[1]", 0, "is 0, not a whole number from 1"),
        ("detection", f"{CASE}.image_file_info.voxel_size", [1, 0, 1], "is a list of 3, not lengths above 0"),
        ("detection", f"{CASE}.image_file_info.voxel_size[2]", "2.5", "is '2.5', not a number"),
        ("detection", f"{CASE}.slice_profiles_z[0].slice_idx", -1, "is -1, not a whole number from 0"),
        ("detection", f"{CASE}.slice_profiles_z[0].slice_idx", True, "is True, not a number"),
        ("detection", f"{CASE}.slice_profiles_z[0].slice_profile[0].label", 2.5, "is 2.5, not a whole number from 0"),
        ("detection", f"{CASE}.slice_profiles_z[0].slice_profile[0].label", 10**400, "is inf, not a whole number"),
        (
            "detection",
            f"{CASE}.slice_profiles_z[0].slice_profile[0].bboxes[0].max_coords",
            [19, 49],
            "is a list of 2, not at or after min_coords",
        ),
        ("lesion", f"{CASE}.slice_profiles_z[0].slice_profile[0]", ellipse(2, 1)[0], "is an object, not a list of 2"),
        ("lesion", "tasks[0].labels_map", {"two": "lesion"}, "the key 'two' is no label"),
        ("angle", f"{CASE}.slice_profiles_y[0].slice_profile[0].metric_type", "area", "is 'area', not distance or"),
        ("angle", f"{CASE}.landmark_file", "../../x.json.gz", "is '../../x.json.gz', not a path below"),
        ("detection", f"{CASE}.image_file", "/etc/passwd", "is '/etc/passwd', not a path below"),
        ("detection", f"{CASE}.image_file", "", "is '', not a path below"),
        ("detection", f"{CASE}.image_file", "Images\\..\\x", "not a path below"),
        ("detection", f"{CASE}.mask_file", "Masks/../../x", "not a path below"),
        ("detection", f"{CASE}.mask_file", "Masks/a\0.nii.gz", "not a path below"),
        ("detection", f"{CASE}.mask_file", "Masks/\ud800.nii.gz", "not a path below"),
    ],
)
def test_a_value_of_another_kind_is_named(tmp_path: Path, which: str, place: str, value: Any, said: str) -> None:
    with pytest.raises(DataFormatError) as error:
        _read_damaged(tmp_path, which, place, value)
    assert f"v1.4.0.json.gz: {place}" in str(error.value)
    assert said in str(error.value)


def packed(content: bytes) -> bytes:
    """A gzip file without the time, so that every process collects the same tests."""
    return gzip.compress(content, mtime=0)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"tasks": []}', "is no whole gzip file of JSON"),
        (b"", "is no whole gzip file of JSON"),
        (packed(json.dumps(list(range(999))).encode())[:-12], "is no whole gzip file of JSON"),
        (packed(b'{"tasks": ['), "is no whole gzip file of JSON"),
        (packed(b"\xff\xfe"), "is no whole gzip file of JSON"),
        (packed(b"[" * 100_000), "is no whole gzip file of JSON"),
        (packed(b"[1, 2]"), "the document is a list of 2, not an object"),
        (packed(b"null"), "the document is None, not an object"),
        (packed(b"{}"), "tasks is missing"),
    ],
)
def test_a_file_that_is_no_plan_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "benchmark_plan_detection_v1.4.0.json.gz"
    path.write_bytes(content)
    with pytest.raises(DataFormatError, match=said) as error:
        read_plan(PlanFile(path, "detection", "1.4.0"))
    assert str(path) in str(error.value)


def test_no_file_and_a_folder_are_two_faults(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match="no file"):
        read_gz_json(tmp_path / "a.json.gz")
    with pytest.raises(DataFormatError, match="is no whole gzip file"):
        read_gz_json(tmp_path)


def test_cases_come_in_the_order_of_the_plan_by_split(tmp_path: Path) -> None:
    cases = [case(name, z=BOXES) for name in "cab"]
    path = write_plan(tmp_path, "detection", boxes_task(*cases[:2], train=cases[2:]))
    [task] = read_plan(PlanFile(path, "detection", "1.4.0")).tasks
    assert [found.case_id for found in task.cases("Test", 2)] == ["case_c", "case_a"]
    assert [found.case_id for found in task.cases("Train", 2)] == ["case_b"]
    assert [found.entries for found in task.cases("Train", 0)] == [()]
