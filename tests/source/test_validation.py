"""The check of a data folder: nothing is found in the demo's, and each damage gives its own faults and no others."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
from medvision_plans import (
    angle_task,
    box,
    boxes_task,
    case,
    ellipse,
    landmark_files,
    lesion_task,
    write_gz,
    write_plan,
)

from mrarebench_hf.demo.volumes import write_volumes
from mrarebench_hf.errors import DataFormatError, DataNotFoundError, UnknownNameError
from mrarebench_hf.source import volume
from mrarebench_hf.source.validation import Fault, validate
from mrarebench_hf.source.validation_boxes import (
    axes_faults,
    component_boxes,
    label_pixels,
    mask_fault,
    side_faults,
)
from mrarebench_hf.source.validation_fault import Place

NIBABEL: Any = nibabel
DETECTION = "Datasets/DemoCT/benchmark_plan_detection_v1.0.0.json.gz"
LESIONS = "Datasets/DemoCT/benchmark_plan_biometry_v1.4.0.json.gz"
MEASURES = "Datasets/DemoMR/benchmark_plan_biometry_v1.0.0.json.gz"
# The first test case of each, and its first axial (sagittal for heads) entry.
CASE, HEAD = "demo_ct_02", "demo_mr_02"


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("volumes")
    write_volumes(folder)
    return folder


@pytest.fixture
def root(pristine: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(pristine, tmp_path / "data"))


def read(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def edit(root: Path, file: str, change: Callable[[Any], Any]) -> Any:
    """Change a document in place, and return what the change returns."""
    document = read(root / file)
    result = change(document)
    write_gz(root / file, document)
    return result


def first_case(document: Any) -> Any:
    return document["tasks"][0]["test_cases"][0]


def found(root: Path, **options: Any) -> list[Fault]:
    return list(validate(root, **options))


class Heard:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.plans, self.cases, self.done = 0, 0, 0
        self.notes: list[str] = []

    def planned(self, plans: int, cases: int) -> None:
        self.plans += plans
        self.cases += cases

    def checked(self) -> None:
        self.done += 1

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.mark.parametrize("release", ["latest", "1.0.0", "1.2.1"])
@pytest.mark.parametrize("quick", [False, True])
def test_the_demo_has_no_fault(pristine: Path, release: str, quick: bool) -> None:
    heard = Heard()
    assert found(pristine, release=release, quick=quick, listener=heard) == []
    # Three plans of DemoCT, one of which is only read, and one of DemoMR; four cases each.
    assert (heard.plans, heard.cases, heard.done) == (4, 12, 12)
    # The one case on disk in another order, once although two plans name it.
    assert [note.split()[0].rpartition("/")[2] for note in heard.notes] == [
        "demo_ct_02_image.nii.gz",
        "demo_ct_02_mask.nii.gz",
    ]
    assert all("LAS, no fault" in note for note in heard.notes)


def test_each_mask_is_decoded_once_and_never_when_quick(pristine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_voxels, decoded = volume._read_voxels, []

    def counted(relative: str, stored: Any) -> Any:
        decoded.append(relative)
        return read_voxels(relative, stored)

    monkeypatch.setattr(volume, "_read_voxels", counted)
    assert found(pristine, quick=True) == []
    assert decoded == []
    assert found(pristine) == []
    masks = sorted(path.relative_to(pristine).as_posix() for path in pristine.glob("Datasets/*/Masks/*"))
    assert sorted(decoded) == masks


# --- boxes ---


def axial_box(document: Any) -> tuple[Any, Any, Any]:
    """Entry, label and box of the first axial box of the first test case."""
    entry = first_case(document)["slice_profiles_z"][0]
    item = entry["slice_profile"][0]
    return entry, item, item["bboxes"][0]


def test_a_moved_box(root: Path) -> None:
    def move(document: Any) -> tuple[int, int, list[int]]:
        entry, item, one = axial_box(document)
        one["min_coords"][0] += 1
        one["max_coords"][0] += 1
        return entry["slice_idx"], int(item["label"]), one["min_coords"] + one["max_coords"]

    index, label, moved = edit(root, DETECTION, move)
    was = [moved[0] - 1, moved[1], moved[2] - 1, moved[3]]
    [fault] = found(root)
    what = f"box {moved} is not the mask's {was}"
    assert fault == Fault(
        file=DETECTION, task="01", split="test", case=CASE, plane="axial", slice=index, label=label, what=what
    )
    assert fault.line == f"{DETECTION}: task 01 test case {CASE} axial slice {index} label {label}: {what}"
    assert found(root, quick=True) == []
    assert found(root, datasets=["DemoMR"]) == []


def _outside(document: Any) -> None:
    _, _, one = axial_box(document)
    shift = 500
    one["min_coords"][1] += shift
    one["max_coords"][1] += shift


def _swapped(document: Any) -> None:
    _, _, one = axial_box(document)
    one["min_coords"], one["max_coords"] = one["max_coords"], one["min_coords"]


def _dimensions(document: Any) -> None:
    axial_box(document)[2]["dimensions"][0] += 1


def _no_dimensions(document: Any) -> None:
    del axial_box(document)[2]["dimensions"]


def _slice(document: Any) -> None:
    axial_box(document)[0]["slice_idx"] = 4000


def _negative_slice(document: Any) -> None:
    axial_box(document)[0]["slice_idx"] = -1


def _text_for_box(document: Any) -> None:
    axial_box(document)[1]["bboxes"][0] = "box"


def _entry_is_no_object(document: Any) -> None:
    first_case(document)["slice_profiles_z"][0] = 7


def _profiles_are_no_list(document: Any) -> None:
    first_case(document)["slice_profiles_z"] = {}


def _case_is_no_object(document: Any) -> None:
    document["tasks"][0]["test_cases"][0] = 5


def _no_case_id(document: Any) -> None:
    del first_case(document)["case_ID"]


def _no_train_cases(document: Any) -> None:
    del document["tasks"][0]["train_cases"]


def _array_size(document: Any) -> None:
    first_case(document)["image_file_info"]["array_size"] = [0, 3, 3]


def _left(document: Any) -> None:
    first_case(document)["image_file_info"]["orientation"] = ["L", "A", "S"]


def _mask_left(document: Any) -> None:
    first_case(document)["mask_file_info"]["orientation"] = ["L", "A", "S"]


def _spacing(document: Any) -> None:
    first_case(document)["image_file_info"]["voxel_size"][0] += 0.1


def _rounded_spacing(document: Any) -> None:
    first_case(document)["image_file_info"]["voxel_size"][0] += 0.0005


def _no_mask(document: Any) -> None:
    del first_case(document)["mask_file"]


def _no_labels_map(document: Any) -> None:
    del document["tasks"][0]["labels_map"]


def _bad_label(document: Any) -> None:
    document["tasks"][0]["labels_map"]["two"] = "kidney"


def _leaving_path(document: Any) -> None:
    first_case(document)["image_file"] = "../../secret.nii.gz"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_outside, ["does not lie in a slice of"]),
        (_swapped, ["not at or after min_coords"]),
        (_dimensions, ["its corners give"]),
        (_no_dimensions, []),
        (_slice, ["there is no such slice, slices are 0 to"]),
        (_negative_slice, ["slice_idx is -1, not a whole number from 0"]),
        (_text_for_box, ["bboxes[0] is 'box', not an object"]),
        (_entry_is_no_object, ["slice_profiles_z[0] is 7, not an object"]),
        (_profiles_are_no_list, ["slice_profiles_z is an object, not a list"]),
        (_case_is_no_object, ["tasks[0].test_cases[0] is 5, not an object"]),
        (_no_case_id, ["tasks[0].test_cases[0].case_ID is missing"]),
        (_no_train_cases, ["tasks[0].train_cases is missing"]),
        (_array_size, ["array_size[0] is 0, not a whole number from 1"]),
        (_left, ["image_file_info has the orientation LAS"]),
        (_mask_left, ["mask_file_info has the orientation LAS"]),
        (_spacing, ["mm in RAS order, the plan says"]),
        (_rounded_spacing, []),
        (_no_mask, ["the case names no mask_file"]),
        (_no_labels_map, ["tasks[0].labels_map is missing"]),
        (_bad_label, ["the key 'two' is no label"]),
        (_leaving_path, ["not a path below the dataset's folder"]),
    ],
)
def test_damage_of_a_plan_is_its_own_fault_and_no_other(
    root: Path, change: Callable[[Any], None], said: list[str]
) -> None:
    edit(root, DETECTION, change)
    faults = found(root)
    assert len(faults) == len(said), [fault.line for fault in faults]
    for fault, words in zip(faults, said, strict=True):
        assert fault.file == DETECTION
        assert words in fault.what
        assert str(root) not in fault.line


def test_a_label_that_the_task_does_not_name(root: Path) -> None:
    def forget(document: Any) -> int:
        del document["tasks"][0]["labels_map"]["2"]
        cases = [*document["tasks"][0]["train_cases"], *document["tasks"][0]["test_cases"]]
        entries = [e for one in cases for axis in "xyz" for e in one[f"slice_profiles_{axis}"]]
        return sum(item["label"] == 2.0 for entry in entries for item in entry["slice_profile"])

    n_items = edit(root, DETECTION, forget)
    faults = found(root)
    assert {(fault.label, fault.what) for fault in faults} == {(2, "the task's labels_map does not name this label")}
    assert len(faults) == n_items > 0


def test_a_case_in_both_splits_is_a_leak(root: Path) -> None:
    def leak(document: Any) -> str:
        [task] = document["tasks"]
        task["test_cases"].append(task["train_cases"][0])
        task["train_cases"].append(task["train_cases"][1])
        return str(task["train_cases"][0]["case_ID"])

    leaked = edit(root, DETECTION, leak)
    again, both = found(root)
    assert (again.split, again.what) == ("train", "the case is listed again")
    assert (both.split, both.case, both.what) == ("test", leaked, "the case is listed in train too")


# --- files ---


@pytest.mark.parametrize("kind", ["Images", "Masks"])
def test_a_missing_volume_is_a_fault_of_each_plan_that_names_it(root: Path, kind: str) -> None:
    [path] = (root / f"Datasets/DemoCT/{kind}").glob(f"{CASE}*")
    path.unlink()
    faults = found(root)
    assert [fault.file for fault in faults] == [DETECTION, LESIONS]
    assert all(fault.case == CASE and f"no volume Datasets/DemoCT/{kind}/" in fault.what for fault in faults)


def rewrite(path: Path, change: Callable[[Any], Any]) -> None:
    """Write a volume anew with other voxels."""
    image = NIBABEL.load(path)
    voxels, affine = change(np.asarray(image.dataobj).copy()), image.affine
    NIBABEL.save(NIBABEL.Nifti1Image(voxels, affine), path)


def test_an_image_and_a_mask_of_another_size(root: Path) -> None:
    [image] = (root / "Datasets/DemoMR/Images").glob(f"{HEAD}*")
    rewrite(image, lambda voxels: np.pad(voxels, [(0, 0), (0, 0), (0, 1)]))
    [mask] = (root / "Datasets/DemoCT/Masks").glob(f"{CASE}*")
    rewrite(mask, lambda voxels: voxels[:, :, 1:])
    faults = found(root)
    assert [fault.file for fault in faults] == [DETECTION, LESIONS, MEASURES]
    assert "voxels in RAS order, its image has" in faults[0].what
    assert "voxels in RAS order, the plan says" in faults[2].what


def test_a_mask_whose_voxels_cannot_be_read_is_one_fault_of_each_plan(root: Path) -> None:
    [mask] = (root / "Datasets/DemoCT/Masks").glob(f"{CASE}*")
    mask.write_bytes(mask.read_bytes()[:-200])
    faults = found(root)
    assert [fault.file for fault in faults] == [DETECTION, LESIONS]
    assert all("cannot be read" in fault.what for fault in faults)
    assert found(root, quick=True) == []


def test_a_label_that_is_gone_from_the_mask(root: Path) -> None:
    index, label = edit(root, DETECTION, lambda d: (axial_box(d)[0]["slice_idx"], axial_box(d)[1]["label"]))
    [mask] = (root / "Datasets/DemoCT/Masks").glob(f"{CASE}*")

    def erase(voxels: Any) -> Any:
        voxels[:, :, index][voxels[:, :, index] == label] = 0
        return voxels

    rewrite(mask, erase)
    [fault] = [fault for fault in found(root) if fault.plane == "axial" and fault.file == DETECTION]
    assert (fault.slice, fault.label) == (index, label)
    assert fault.what.endswith("_mask.nii.gz has no pixel of this label in this slice")


def test_damaged_plans_are_one_fault_each_and_the_rest_goes_on(root: Path) -> None:
    (root / DETECTION).write_bytes(b"no gzip")
    segmentation = DETECTION.replace("detection", "segmentation")
    write_gz(root / segmentation, {"tasks": 3})
    edit(root, MEASURES, _spacing)
    faults = found(root)
    assert [fault.file for fault in faults] == [DETECTION, segmentation, MEASURES]
    assert "no whole gzip file of JSON" in faults[0].line
    assert faults[1].line == f"{segmentation}: tasks is 3, not a list"


def test_a_dataset_without_a_plan_of_the_release_is_a_fault(root: Path) -> None:
    (root / "Datasets/Empty").mkdir()
    [fault] = found(root)
    assert fault.line == "Datasets/Empty: there is no plan of release 1.4.0 or before it"


# --- tumors and lesions ---


def lesion(document: Any) -> Any:
    """The first axial entry of the first test case that has one."""
    cases = document["tasks"][0]["test_cases"]
    return next(case["slice_profiles_z"][0] for case in cases if case["slice_profiles_z"])


def _shorter_major(document: Any) -> None:
    (major, minor), *_ = lesion(document)["slice_profile"]
    major["metric_value"], minor["metric_value"] = minor["metric_value"], major["metric_value"]


def _negative_axes(document: Any) -> None:
    lesion(document)["slice_profile"][0][1]["metric_value"] = -1.0


def _longer(document: Any) -> None:
    lesion(document)["slice_profile"][0][0]["metric_value"] += 1.0


def _one_axis(document: Any) -> None:
    lesion(document)["slice_profile"][0].pop()


def _one_more(document: Any) -> None:
    profile = lesion(document)["slice_profile"]
    profile.append(profile[0])


def _no_target(document: Any) -> None:
    document["tasks"][0]["labels_map"] = {"1": "kidney"}


def _no_landmark_file(document: Any) -> None:
    del first_case(document)["landmark_file"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_shorter_major, ["is shorter than the minor one", "L-1-2: ", "L-3-4: "]),
        (_negative_axes, ["are not both finite lengths above 0", "L-3-4: -1 mm is not the landmark file's"]),
        (_longer, ["mm is not the landmark file's"]),
        (_one_axis, ["is a list of 1, not a list of 2"]),
        (_one_more, ["the landmark file has the points of"]),
        (_no_target, ["the task's labels_map does not name this label, its target"]),
        (_no_landmark_file, ["the case names no landmark_file"]),
    ],
)
def test_damage_of_a_lesion_plan(root: Path, change: Callable[[Any], None], said: list[str]) -> None:
    edit(root, LESIONS, change)
    faults = found(root, release="1.4.0")
    assert len(faults) == len(said), [fault.line for fault in faults]
    for fault, words in zip(faults, said, strict=True):
        assert fault.file == LESIONS
        assert words in fault.what
    assert found(root, release="1.3.0") == [], "the older plan is as it was"


def test_axes_that_are_not_finite(root: Path) -> None:
    edit(root, LESIONS, lambda d: lesion(d)["slice_profile"][0][0].update(metric_value=float("nan")))
    [fault] = found(root)
    assert "the axes nan and" in fault.what


def landmark_file(root: Path, plan: str) -> str:
    return f"{Path(plan).parent.as_posix()}/{first_case(read(root / plan))['landmark_file']}"


def test_a_missing_or_damaged_landmark_file_is_one_fault(root: Path) -> None:
    path = landmark_file(root, MEASURES)
    (root / path).write_bytes(b"no gzip")
    [fault] = found(root)
    assert (fault.file, fault.case) == (MEASURES, first_case(read(root / MEASURES))["case_ID"])
    assert fault.what.startswith(f"{path} is no whole gzip file of JSON")
    (root / path).unlink()
    [fault] = found(root)
    assert fault.what.startswith(f"no landmark file {path}")


# --- measures of landmarks ---


def _far(point: list[float]) -> list[float]:
    return [point[0], 4000, point[2]]


def _aside(point: list[float]) -> list[float]:
    return [point[0] + 1, *point[1:]]


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (_far, "lies outside the volume of"),
        (_aside, "lies in slice"),
        (lambda point: None, "has no P1"),
        (lambda point: point[:2], "P1 is a list of 2, not a list of 3"),
    ],
)
def test_a_landmark_that_is_not_in_its_slice(root: Path, move: Callable[[Any], Any], said: str) -> None:
    def change(document: Any) -> None:
        [entry] = document["slice_landmarks_x"]
        entry["landmarks"]["P1"] = move(entry["landmarks"]["P1"])

    edit(root, landmark_file(root, MEASURES), change)
    # P1 ends one distance, and one line of the angle.
    first, second = found(root)
    assert (first.file, first.plane) == (MEASURES, "sagittal")
    for fault in (first, second):
        assert said in fault.what
        assert str(root) not in fault.what


def test_a_value_that_its_landmarks_do_not_give(root: Path) -> None:
    def change(document: Any) -> None:
        entries = first_case(document)["slice_profiles_x"]
        for entry in entries:
            [record] = entry["slice_profile"]
            if record["metric_key"] != "L-3-4":
                # Within the tolerance, and beyond it.
                record["metric_value"] += 0.04 if record["metric_type"] == "distance" else 0.06

    edit(root, MEASURES, change)
    [fault] = found(root)
    assert fault.what.startswith("A-L_1_2-L_3_4: ")
    assert "degrees is not what its landmarks give" in fault.what


def test_a_slice_without_landmarks(root: Path) -> None:
    edit(root, landmark_file(root, MEASURES), lambda document: document.update(slice_landmarks_x=[]))
    faults = found(root)
    assert len(faults) == 3
    assert all("no points in this slice" in fault.what for fault in faults)


# --- plans written by hand ---


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """One volume of 60×80×40 voxels whose label 2 fills rows 20 to 33 and columns 30 to 49 of slice 17."""
    folder = tmp_path / "Datasets/Toy"
    for kind in ("Images", "Masks"):
        (folder / kind).mkdir(parents=True)
    voxels = np.zeros((60, 80, 40), np.uint8)
    voxels[20:34, 30:50, 17] = 2
    for kind in ("Images", "Masks"):
        NIBABEL.save(NIBABEL.Nifti1Image(voxels, np.diag([1.0, 1.0, 2.5, 1.0])), folder / kind / "a.nii.gz")
    return tmp_path


def test_the_specified_examples_have_no_fault(toy: Path) -> None:
    files = landmark_files()
    for name in files:
        write_gz(toy / f"Datasets/Toy/Landmarks/{name}.json.gz", files[name])
    boxes = [{"slice_idx": 17, "slice_profile": [{"label": 2.0, "bboxes": [box()]}]}]
    write_plan(toy, "detection", boxes_task(case(z=boxes)))
    ellipses = [{"slice_idx": 17, "n_total_clusters": 1, "slice_profile": [ellipse(20.6, 12.9)]}]
    lesions = lesion_task(case(landmarks="Landmarks/lesion.json.gz", z=ellipses))
    angles = angle_task()
    angles["test_cases"][0]["landmark_file"] = "Landmarks/given.json.gz"
    write_plan(toy, "biometry", lesions, angles)
    assert [fault.line for fault in found(toy)] == []


@pytest.mark.parametrize(("major", "n_faults"), [(20.12, 0), (22.0, 0), (22.2, 1)])
def test_without_measurements_the_rounded_ends_bound_the_length(toy: Path, major: float, n_faults: int) -> None:
    # P1 to P2 is 20.12 mm; two voxels of 1 mm to either side may be rounding.
    document = landmark_files()["lesion"]
    del document["slice_landmarks_z"][0]["landmarks"][0]["measurements"]
    write_gz(toy / "Datasets/Toy/Landmarks/a.json.gz", document)
    entries = [{"slice_idx": 17, "slice_profile": [ellipse(major, 12.53)]}]
    write_plan(toy, "biometry", lesion_task(case(landmarks="Landmarks/a.json.gz", z=entries)))
    faults = found(toy)
    assert len(faults) == n_faults
    assert all("more than 2 voxels from what its landmarks give, 20.125" in fault.what for fault in faults)


# --- what the whole check refuses ---


def test_wrong_arguments_are_told_before_anything_is_read(root: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'DemoCT'"):
        validate(root, ["DemoCTT"])
    with pytest.raises(UnknownNameError, match="release"):
        validate(root, release="9.9.9")
    with pytest.raises(DataNotFoundError, match="no folder"):
        validate(tmp_path / "nowhere")
    (tmp_path / "Datasets").mkdir()
    with pytest.raises(DataNotFoundError, match="no dataset in"):
        validate(tmp_path)


# --- pure checks ---


def test_parts_touch_by_edges_only() -> None:
    structure = np.zeros((6, 8), bool)
    structure[1:3, 2:4] = True
    # Touches the first part at a corner.
    structure[3, 4:7] = True
    assert sorted(component_boxes(structure)) == [(1, 2, 2, 3), (3, 4, 3, 6)]
    assert component_boxes(np.zeros((3, 3), bool)) == []


def test_a_label_beyond_the_masks_type_is_nowhere() -> None:
    for dtype in (np.uint8, np.float32, np.int64):
        assert not label_pixels(np.ones((2, 2), dtype), int(1e300)).any()
    assert label_pixels(np.array([[2.0, np.nan]]), 2).tolist() == [[True, False]]


def test_a_box_is_compared_with_every_part() -> None:
    parts = [(0, 0, 3, 3), (10, 10, 14, 14)]
    assert mask_fault((10, 10, 14, 14), parts) is None
    assert mask_fault((10, 10, 14, 15), parts) == (
        "box [10, 10, 14, 15] is none of the mask's 2, the nearest is [10, 10, 14, 14]"
    )


def test_sides_and_axes_by_themselves() -> None:
    assert list(side_faults((20, 30, 33, 49), (60, 80), (14, 20))) == []
    assert list(side_faults((20, 30, 59, 79), (60, 80), None)) == []
    assert len(list(side_faults((20, 30, 60, 49), (60, 80), None))) == 1
    assert list(axes_faults((3.0, 3.0))) == []
    for axes in ((0.0, 0.0), (float("inf"), 1.0), (2.0, float("nan")), (1.0, 2.0)):
        assert len(list(axes_faults(axes))) == 1


def test_a_line_stays_one_line() -> None:
    fault = Place("a").at(case="x\n\x1b[2Jé").fault("what")
    assert fault.line == "a: case x\\n\\x1b[2Jé: what"


def test_the_plans_path_is_not_said_twice() -> None:
    place = Place("Datasets/A/plan.json.gz")
    error = DataFormatError("/some where/Datasets/A/plan.json.gz: tasks is missing")
    assert place.unreadable(error).line == "Datasets/A/plan.json.gz: tasks is missing"
