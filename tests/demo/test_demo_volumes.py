"""The demo's volumes and plans have MedVision's form, agree with each other, and are the same every time.

Filters, boxes, axes and angles are worked out here once more, from the files alone.
"""

from __future__ import annotations

import gzip
import itertools
import json
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
from numpy.typing import NDArray

from mrarebench_hf.demo.ellipsoids import Ellipsoid, Grid
from mrarebench_hf.demo.phantoms import ABDOMENS
from mrarebench_hf.demo.volumes import DEMO_TASKS, write_task_lists, write_volumes
from mrarebench_hf.errors import MissingDependencyError
from mrarebench_hf.measured_names import parse_task
from mrarebench_hf.source.label_groups import label_groups

# Its types are partial.
NIBABEL: Any = nibabel
AXES = {"x": 0, "y": 1, "z": 2}
PLANS = {
    "DemoCT": {"detection_v1.0.0", "segmentation_v1.0.0", "biometry_v1.0.0", "biometry_v1.4.0"},
    "DemoMR": {"biometry_v1.0.0"},
}
FRAME = {
    "task_ID",
    "task_type",
    "image_modality",
    "image_description",
    "image_folder",
    "mask_folder",
    "image_prefix",
    "image_suffix",
    "mask_prefix",
    "mask_suffix",
    "labels_map",
    "train_cases_number",
    "test_cases_number",
    "train_cases",
    "test_cases",
}
BIOMETRY = {
    "landmark_folder",
    "landmark_figure_folder",
    "landmark_prefix",
    "landmark_suffix",
    "landmarks_map",
    "lines_map",
    "angles_map",
    "biometrics_map",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("volumes")
    write_volumes(folder)
    return folder / "Datasets"


def load(path: Path) -> Any:
    return NIBABEL.load(path)


def document(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def task(root: Path, dataset: str, plan: str) -> dict[str, Any]:
    found = document(root / dataset / f"benchmark_plan_{plan}.json.gz")
    assert found["tasks_number"] == len(found["tasks"]) == 1
    [only] = found["tasks"]
    assert isinstance(only, dict)
    return only


def cases(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [*plan["train_cases"], *plan["test_cases"]]


def upright(path: Path) -> NDArray[np.float64]:
    """A volume's voxels in RAS+ order, turned by the signs of its affine and by nothing of the demo's."""
    volume = load(path)
    voxels = np.asarray(volume.dataobj, dtype=np.float64)
    for axis in range(3):
        if volume.affine[axis, axis] < 0:
            voxels = np.flip(voxels, axis)
    return voxels


def entries(case: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    for axis, slice_dim in AXES.items():
        yield from ((slice_dim, entry) for entry in case[f"slice_profiles_{axis}"])


def components(plane: NDArray[np.bool_]) -> list[set[tuple[int, int]]]:
    """Pixels joined by edges, by flooding."""
    left = {(int(row), int(column)) for row, column in np.argwhere(plane)}
    found = []
    while left:
        flood, whole = [left.pop()], set()
        while flood:
            row, column = flood.pop()
            whole.add((row, column))
            near = {(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)} & left
            left -= near
            flood.extend(near)
        found.append(whole)
    return found


def lengths(case: dict[str, Any], *lines: tuple[list[int], list[int]]) -> list[list[float]]:
    voxel = case["image_file_info"]["voxel_size"]
    return [[(b - a) * step for a, b, step in zip(*line, voxel, strict=True)] for line in lines]


def test_the_same_bytes_every_time_few_and_soon(root: Path, tmp_path: Path) -> None:
    start = time.process_time()
    write_volumes(tmp_path)
    assert time.process_time() - start < 5
    first, second = (
        {path.relative_to(base).as_posix(): path.read_bytes() for path in base.rglob("*") if path.is_file()}
        for base in (root, tmp_path / "Datasets")
    )
    assert first == second
    assert sum(map(len, first.values())) <= 1_500_000
    # The gzip header holds neither a name nor a time.
    assert all(content[3:8] == bytes(5) for content in first.values())


def test_plans_have_the_planners_keys(root: Path) -> None:
    for dataset, plans in PLANS.items():
        names = {path.name for path in (root / dataset).glob("benchmark_plan_*")}
        assert names == {f"benchmark_plan_{plan}.json.gz" for plan in plans}
        for plan in plans:
            found = task(root, dataset, plan)
            kind = plan.split("_")[0]
            late = {"min_major_axis_mm"} if plan == "biometry_v1.4.0" else set()
            lesion = {"target_label", "cluster_size_threshold"} | late if dataset == "DemoCT" else set()
            assert set(found) == (FRAME | BIOMETRY | lesion if kind == "biometry" else FRAME)
            assert (found["task_ID"], found["task_type"]) == ("01", kind)
            for split in ("train", "test"):
                assert len(found[f"{split}_cases"]) == found[f"{split}_cases_number"] == 2
            assert [case["case_ID"] for case in cases(found)] != sorted(case["case_ID"] for case in cases(found))


def test_labels_are_published_names_and_floats(root: Path) -> None:
    plan = task(root, "DemoCT", "detection_v1.0.0")
    assert set(plan["labels_map"].values()) <= set(label_groups().coarse) & set(label_groups().renamed)
    text = gzip.decompress((root / "DemoCT/benchmark_plan_detection_v1.0.0.json.gz").read_bytes()).decode()
    assert '"label": 2.0' in text
    assert '"label": 2,' not in text
    assert task(root, "DemoCT", "biometry_v1.4.0")["target_label"] == 2
    assert plan["labels_map"]["2"] == "kidney tumor"


def test_files_lie_where_plans_say_and_have_the_stated_geometry(root: Path) -> None:
    for dataset, plans in PLANS.items():
        for plan, case in ((p, c) for p in plans for c in cases(task(root, dataset, p))):
            assert ("mask_file" in case) == ("mask_file_info" in case) == (dataset == "DemoCT")
            assert ("landmark_file" in case) == plan.startswith("biometry")
            for kind in ("image", "mask") if dataset == "DemoCT" else ("image",):
                info = case[f"{kind}_file_info"]
                volume = NIBABEL.as_closest_canonical(load(root / dataset / case[f"{kind}_file"]))
                assert info["orientation"] == list(NIBABEL.aff2axcodes(volume.affine)) == ["R", "A", "S"]
                assert info["array_size"] == list(volume.shape)
                assert len(set(info["array_size"])) == 3
                assert info["voxel_size"] == [round(float(step), 3) for step in volume.header.get_zooms()]
                assert len(set(info["voxel_size"])) == 3
                assert np.allclose(info["affine"], volume.affine, atol=6e-4)
                assert volume.get_data_dtype() == (np.int16 if kind == "image" else np.uint8)
            assert not plan.startswith("biometry") or (root / dataset / case["landmark_file"]).is_file()


def test_one_test_case_is_stored_to_the_left(root: Path) -> None:
    plan = task(root, "DemoCT", "detection_v1.0.0")
    codes = {
        case["case_ID"]: {NIBABEL.aff2axcodes(load(root / "DemoCT" / case[f"{k}_file"]).affine) for k in kinds}
        for case in cases(plan)
        for kinds in [("image", "mask")]
    }
    [flipped] = [name for name, found in codes.items() if found == {("L", "A", "S")}]
    assert flipped in [case["case_ID"] for case in plan["test_cases"]]
    assert all(found == {("R", "A", "S")} for name, found in codes.items() if name != flipped)


def test_organs_have_their_values_where_the_mask_says(root: Path) -> None:
    for case in cases(task(root, "DemoCT", "detection_v1.0.0")):
        image, mask = (upright(root / "DemoCT" / case[f"{kind}_file"]) for kind in ("image", "mask"))
        assert set(np.unique(mask)) == {0, 1, 2}
        # In the patient's right half.
        assert np.argwhere(mask == 1)[:, 0].min() > mask.shape[0] / 2
        assert abs(image[mask == 1].mean() - 130) < 5
        assert abs(image[mask == 2].mean() - 5) < 5
        assert image.min() == -1000


def test_boxes_are_those_of_the_mask(root: Path) -> None:
    for case in cases(task(root, "DemoCT", "detection_v1.0.0")):
        mask = upright(root / "DemoCT" / case["mask_file"])
        listed = {
            (dim, entry["slice_idx"], item["label"]): item["bboxes"]
            for dim, entry in entries(case)
            for item in entry["slice_profile"]
        }
        for dim in range(3):
            spacing = [step for axis, step in enumerate(case["mask_file_info"]["voxel_size"]) if axis != dim]
            for index, plane in enumerate(np.moveaxis(mask, dim, 0)):
                for label in (1.0, 2.0):
                    expected = sorted(box(pixels, plane.size, spacing) for pixels in components(plane == label))
                    found = [list(item.values()) for item in listed.pop((dim, index, label), [])]
                    assert sorted(found) == expected
        assert not listed


def box(pixels: set[tuple[int, int]], area: int, spacing: list[float]) -> list[Any]:
    rows, columns = zip(*pixels, strict=True)
    low, high = [min(rows), min(columns)], [max(rows), max(columns)]
    middle = [math.floor((a + b) / 2) for a, b in zip(low, high, strict=True)]
    sides = [b - a + 1 for a, b in zip(low, high, strict=True)]
    sizes = [round(side * step, 3) for side, step in zip(sides, spacing, strict=True)]
    return [low, high, middle, sides, sizes, len(pixels) / area]


def test_areas_are_those_of_the_mask(root: Path) -> None:
    for case in cases(task(root, "DemoCT", "segmentation_v1.0.0")):
        mask = upright(root / "DemoCT" / case["mask_file"])
        total = dict.fromkeys((0, 1, 2), 0)
        for dim, entry in entries(case):
            spacing = [step for axis, step in enumerate(case["mask_file_info"]["voxel_size"]) if axis != dim]
            for item in entry["slice_profile"]:
                assert item["pixel_count"] == (np.take(mask, entry["slice_idx"], dim) == item["label"]).sum()
                assert item["ROI_area"] == pytest.approx(item["pixel_count"] * math.prod(spacing), abs=1e-3)
                total[dim] += item["pixel_count"]
        assert set(total.values()) == {int((mask > 0).sum())}


@pytest.mark.parametrize(
    ("release", "folder", "least"), [("1.0.0", "Landmarks-Label2", 200), ("1.4.0", "Landmarks-Label2-v1.4.0", 20)]
)
def test_lesions_have_points_in_their_slice_and_axes_by_release(
    root: Path, release: str, folder: str, least: int
) -> None:
    plan = task(root, "DemoCT", f"biometry_v{release}")
    assert (plan["landmark_folder"], plan["cluster_size_threshold"]) == (folder, least)
    for case in cases(plan):
        mask = upright(root / "DemoCT" / case["mask_file"]) == 2
        points = document(root / "DemoCT" / case["landmark_file"])
        assert case["landmark_file"].startswith(f"{folder}/")
        for axis, dim in AXES.items():
            spacing = [step for k, step in enumerate(case["mask_file_info"]["voxel_size"]) if k != dim]
            pairs = zip(case[f"slice_profiles_{axis}"], points[f"slice_landmarks_{axis}"], strict=True)
            for entry, marks in pairs:
                assert entry["slice_idx"] == marks["slice_idx"]
                found = components(np.take(mask, entry["slice_idx"], dim))
                counts = [mark["ROI_pixels_count"] for mark in marks["landmarks"]]
                assert counts == sorted((len(pixels) for pixels in found if len(pixels) >= least), reverse=True)
                late = release != "1.0.0"
                assert entry.get("n_total_clusters") == marks.get("n_total_clusters") == (len(found) if late else None)
                for mark, records in zip(marks["landmarks"], entry["slice_profile"], strict=True):
                    check_lesion(case, mark, records, (dim, entry["slice_idx"]), max(spacing), late=late)


def check_lesion(
    case: dict[str, Any],
    mark: dict[str, Any],
    records: list[dict[str, Any]],
    where: tuple[int, int],
    coarse: float,
    *,
    late: bool,
) -> None:
    dim, index = where
    assert all(mark[f"P{n}"][dim] == index for n in range(1, 5))
    assert mark["P1"] > mark["P2"]
    assert mark["P3"] > mark["P4"]
    assert [(r["metric_key"], r["metric_unit"], r["slice_dim"]) for r in records] == [
        ("L-1-2", "mm", dim),
        ("L-3-4", "mm", dim),
    ]
    major, minor = (record["metric_value"] for record in records)
    rounded = [math.hypot(*v) for v in lengths(case, (mark["P1"], mark["P2"]), (mark["P3"], mark["P4"]))]
    assert major >= minor > 0
    if late:
        assert mark["measurements"] == {"L-1-2": major, "L-3-4": minor}
        assert major >= max(2, 2 * coarse)
        assert [major, minor] == pytest.approx(rounded, abs=1.5 * coarse)
        # The area of an ellipse is that of the lesion's pixels, up to the grid and to what lies beside it.
        voxel = case["mask_file_info"]["voxel_size"]
        area = mark["ROI_pixels_count"] * math.prod(voxel) / voxel[dim]
        assert math.pi * major * minor / 4 == pytest.approx(area, rel=0.2)
    else:
        assert "measurements" not in mark
        assert [major, minor] == pytest.approx(rounded, abs=1e-3)


def test_releases_differ_in_lesions(root: Path) -> None:
    first, late = (
        {
            (case["case_ID"], entry["slice_idx"]): [record["metric_value"] for record in entry["slice_profile"][0]]
            for case in cases(task(root, "DemoCT", f"biometry_v{release}"))
            for entry in case["slice_profiles_z"]
        }
        for release in ("1.0.0", "1.4.0")
    )
    assert 0 < len(first) < len(late)
    assert set(first) < set(late)
    assert all(first[key] != late[key] for key in first)


def test_an_ellipsoid_is_cut_by_the_formula() -> None:
    # A sphere of radius 5 mm at 3 mm from its middle: a circle of radius 4 mm.
    ball = Ellipsoid((1.0, 2.0, 3.0), (5.0, 5.0, 5.0)).cut(2, 6.0)
    assert ball is not None
    assert ball.axes_mm == pytest.approx((8.0, 8.0))
    assert ball.center_mm == pytest.approx([1.0, 2.0, 6.0])
    # Turned about the body's axis by 30 degrees, the longest axis points 30 degrees from the right to the front.
    turned = Ellipsoid((0.0, 0.0, 0.0), (20.0, 10.0, 6.0), 30.0).cut(2, 0.0)
    assert turned is not None
    assert turned.axes_mm == pytest.approx((40.0, 20.0))
    one, other = turned.ends_mm[0]
    assert abs(one - other) == pytest.approx([40 * math.cos(math.pi / 6), 20.0, 0.0])
    assert Ellipsoid((0.0, 0.0, 0.0), (20.0, 10.0, 6.0)).cut(2, 6.1) is None


def test_axes_agree_with_the_moments_of_the_mask() -> None:
    # On a fine grid: the second moments of a filled ellipse are a sixteenth of its squared axes.
    solid = Ellipsoid((2.0, -1.0, 0.5), (20.0, 11.0, 14.0), 35.0)
    grid = Grid((90, 80, 70), (0.6, 0.7, 0.8))
    for dim, index in itertools.product(range(3), (30, 36)):
        cut = solid.cut(dim, grid.position_mm(dim, index))
        assert cut is not None
        spacing = np.array([step for axis, step in enumerate(grid.voxel_mm) if axis != dim])
        places = np.argwhere(np.take(solid.mask(grid), index, dim)) * spacing
        moments = np.linalg.eigvalsh(np.cov(places.T, bias=True))
        assert cut.axes_mm == pytest.approx(4 * np.sqrt(moments[::-1]), rel=0.02)


def test_landmarks_give_the_plans_measures(root: Path) -> None:
    plan = task(root, "DemoMR", "biometry_v1.0.0")
    assert [m["metric_key"] for m in plan["biometrics_map"]] == ["L-1-2", "L-3-4", "A-L_1_2-L_3_4"]
    for case in cases(plan):
        [record] = document(root / "DemoMR" / case["landmark_file"])["slice_landmarks_x"]
        marks, index = record["landmarks"], record["slice_idx"]
        assert {mark[0] for mark in marks.values()} == {index}
        assert all(
            0 <= i < n
            for mark in marks.values()
            for i, n in zip(mark, case["image_file_info"]["array_size"], strict=True)
        )
        assert not case["slice_profiles_y"]
        assert not case["slice_profiles_z"]
        # The number of the slice repeats, once per measure.
        assert [entry["slice_idx"] for entry in case["slice_profiles_x"]] == [index] * 3
        values = {r["metric_key"]: r for entry in case["slice_profiles_x"] for r in entry["slice_profile"]}
        u, v = lengths(case, (marks["P1"], marks["P2"]), (marks["P3"], marks["P4"]))
        dot = u[1] * v[1] + u[2] * v[2]
        raw = math.degrees(math.acos(dot / (math.hypot(*u) * math.hypot(*v))))
        assert 100 < raw < 170
        assert values["L-1-2"]["metric_value"] == pytest.approx(math.hypot(*u), abs=1e-3)
        assert values["L-3-4"]["metric_value"] == pytest.approx(math.hypot(*v), abs=1e-3)
        assert values["A-L_1_2-L_3_4"]["metric_value"] == pytest.approx(180 - raw, abs=1e-3)
        assert [r["metric_unit"] for r in values.values()] == ["mm", "mm", "degree"]


def kept(root: Path, name: str) -> int:
    """Samples of a task after the published filters."""
    asked = parse_task(name)
    kind = "detection" if asked.family.is_box else "biometry"
    release = "1.4.0" if asked.family.name == "TL" else "1.0.0"
    plan = task(root, asked.dataset, f"{kind}_v{release}")
    found = [e for case in plan["test_cases"] for e in case[f"slice_profiles_{'xyz'[asked.slice_dim]}"]]
    if asked.family.name == "TL":
        return sum(entry["n_total_clusters"] == 1 for entry in found)
    records = [record for entry in found for record in entry["slice_profile"]]
    if asked.family.name == "AD":
        return sum(record["metric_type"] == str(asked.metric).lower() for record in records)
    boxes = [record["bboxes"] for record in records]
    return sum(len(items) == 1 and min(items[0]["dimensions"]) >= 10 for items in boxes)


@pytest.mark.parametrize(("name", "count"), [item for counts in DEMO_TASKS.values() for item in counts.items()])
def test_counts_are_those_after_the_filters(root: Path, name: str, count: int) -> None:
    assert kept(root, name) == count
    assert count >= (2 if "Biometrics" in name else 12)


def test_each_filter_has_something_to_drop(root: Path) -> None:
    test_cases = task(root, "DemoCT", "detection_v1.0.0")["test_cases"]
    axial = [item for case in test_cases for entry in case["slice_profiles_z"] for item in entry["slice_profile"]]
    lesions = [item["bboxes"] for item in axial if item["label"] == 2.0]
    assert any(len(boxes) == 2 for boxes in lesions)
    # Nine pixels one way and enough the other: the filter's bound is ten.
    assert any(len(boxes) == 1 and min(boxes[0]["dimensions"]) == 9 < max(boxes[0]["dimensions"]) for boxes in lesions)
    measured = task(root, "DemoCT", "biometry_v1.4.0")["test_cases"]
    clusters = [entry["n_total_clusters"] for case in measured for entry in case["slice_profiles_z"]]
    assert set(clusters) == {1, 2}


def test_task_lists_are_flat_objects(tmp_path: Path) -> None:
    paths = write_task_lists(tmp_path / "lists")
    assert {path.name: json.loads(path.read_text(encoding="utf-8")) for path in paths} == DEMO_TASKS
    assert all(path.parent == tmp_path / "lists" for path in paths)


@pytest.mark.parametrize("package", ["nibabel", "scipy"])
def test_a_missing_package_is_named_before_anything_is_written(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError, match=rf"the demo volumes needs {package}.*medvision"):
        write_volumes(tmp_path)
    assert not list(tmp_path.iterdir())


def test_lesions_do_not_touch() -> None:
    for case in ABDOMENS:
        covered = sum(lesion.mask(case.grid).astype(int) for lesion in case.lesions)
        assert np.max(covered) == 1
