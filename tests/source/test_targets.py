"""Targets against numbers worked by hand, and what holds for all boxes and lines."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
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

from mrarebench_hf.errors import DataFormatError
from mrarebench_hf.measured import MeasuredSample
from mrarebench_hf.measured_names import parse_task
from mrarebench_hf.score.boxes import overlap
from mrarebench_hf.source.landmarks import Landmarks, read_landmarks
from mrarebench_hf.source.measured_samples import read_samples
from mrarebench_hf.source.pixel_scale import draw_scale
from mrarebench_hf.source.targets import (
    angle_degree,
    box_target,
    distance_mm,
    float16_values,
    scale_fields,
    scaled_target,
    target,
)

VOXEL = (1.0, 1.0, 2.5)
POINTS = {"P1": (10, 33, 8), "P2": (50, 33, 8), "P3": (30, 33, 20), "P4": (20, 33, 4)}
LINES = (POINTS["P1"], POINTS["P2"]), (POINTS["P3"], POINTS["P4"])


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    lesion = case(landmarks="Landmarks/l.json.gz", z=[{"slice_idx": 17, "slice_profile": [ellipse(20.6, 12.9)]}])
    boxes = {"slice_idx": 17, "slice_profile": [{"label": 2.0, "bboxes": [box()]}]}
    write_plan(tmp_path, "detection", boxes_task(case(z=[boxes])))
    write_plan(tmp_path, "biometry", lesion_task(lesion), angle_task())
    write_gz(tmp_path / "Datasets/Toy/Landmarks/a.json.gz", landmark_files()["given"])
    return tmp_path


def _samples(data_dir: Path, name: str) -> tuple[MeasuredSample, ...]:
    return read_samples(data_dir, parse_task(f"Toy_{name}")).samples


def _landmarks(data_dir: Path, sample: MeasuredSample) -> Landmarks:
    assert sample.landmark_file is not None
    return read_landmarks(data_dir / sample.landmark_file)


def test_the_published_box_is_one_pixel_short(data_dir: Path) -> None:
    [sample] = _samples(data_dir, "BoxCoordinate_Task01_Axial")
    found = target(sample)
    assert found == pytest.approx((0.375, 0.45, 0.6125, 0.66667), abs=1e-5)
    exact = (30 / 80, (60 - 34) / 60, 50 / 80, (60 - 20) / 60)
    assert float(overlap([exact], [found]).iou[0]) == pytest.approx(0.882, abs=5e-4)
    assert float(overlap([exact], [found]).iou[0]) == pytest.approx(13 * 19 / (14 * 20))


def test_a_pixel_exact_box_of_ten_by_ten() -> None:
    found = box_target((0, 0, 9, 9), (50, 50))
    assert float(overlap([(0, 0.8, 0.2, 1)], [found]).iou[0]) == pytest.approx(0.81)


@pytest.mark.parametrize(("slice_dim", "size"), [(0, (80, 40)), (1, (60, 40)), (2, (60, 80))])
def test_a_box_is_a_fraction_of_its_own_slice(data_dir: Path, slice_dim: int, size: tuple[int, int]) -> None:
    [sample] = _samples(data_dir, "BoxCoordinate_Task01_Axial")
    moved = replace(sample, slice_dim=slice_dim, box_px=(5, 6, 20, 30))
    assert target(moved) == (6 / size[1], (size[0] - 20) / size[0], 30 / size[1], (size[0] - 5) / size[0])


@pytest.mark.parametrize("box_px", [(20, 30, 60, 49), (20, 30, 33, 80), (33, 30, 20, 49), (-1, 30, 33, 49)])
def test_a_box_outside_its_slice_is_no_target(data_dir: Path, box_px: tuple[int, int, int, int]) -> None:
    [sample] = _samples(data_dir, "BoxCoordinate_Task01_Axial")
    with pytest.raises(DataFormatError, match=r"Toy\|01\|Box-Size.*does not lie in a slice of 60 rows and 80 columns"):
        target(replace(sample, box_px=box_px))


def test_lengths_and_angles_are_the_plans(data_dir: Path) -> None:
    [sample] = _samples(data_dir, "TumorLesionSize_Task01_Axial")
    assert target(sample) == (20.6, 12.9)
    found = [target(sample) for sample in _samples(data_dir, "BiometricsFromLandmarks_Task02_Coronal")]
    assert found == [(41.231,), (75.964,)]


def test_distance_and_folded_angle_worked_by_hand() -> None:
    assert distance_mm(*LINES[1], VOXEL) == pytest.approx(math.sqrt(10**2 + 40**2))
    assert distance_mm(*LINES[1], VOXEL) == pytest.approx(41.231, abs=5e-4)
    assert angle_degree(*LINES, VOXEL) == pytest.approx(75.964, abs=5e-4)
    assert angle_degree(LINES[0], LINES[1][::-1], VOXEL) == pytest.approx(75.964, abs=5e-4)


def test_an_angle_at_its_ends() -> None:
    line = (0, 0), (3, 7)
    assert angle_degree(line, line, (0.3, 0.7)) == pytest.approx(0.0, abs=1e-5)
    assert angle_degree(((0, 0), (1, 0)), ((5, 5), (5, 9)), (0.3, 0.7)) == pytest.approx(90.0)
    with pytest.raises(DataFormatError, match="has no angle"):
        angle_degree(line, ((2, 2), (2, 2)), (1.0, 1.0))


def test_half_precision_of_the_published_rows() -> None:
    assert float16_values((41.231, 75.964)) == (41.21875, 75.9375)
    assert float16_values([70_000.0, 0.0]) == (math.inf, 0.0)
    assert float16_values(()) == ()


def test_axes_scale_by_one_factor(data_dir: Path) -> None:
    [sample] = _samples(data_dir, "TumorLesionSize_Task01_Axial")
    assert scaled_target(sample, (1.5, 1.5), None, (1.0, 1.0)) == pytest.approx((30.9, 19.35))
    with pytest.raises(ValueError, match="one factor"):
        scaled_target(sample, (1.5, 2.0), None, (1.0, 1.0))


def test_landmarks_are_measured_again_with_both_factors(data_dir: Path) -> None:
    length, angle = _samples(data_dir, "BiometricsFromLandmarks_Task02_Coronal")
    [points] = _landmarks(data_dir, length).points(length.slice_dim, length.slice_idx)
    spacing = (1.0, 2.5)
    assert scaled_target(length, (1.0, 1.0), points, spacing) == pytest.approx(target(length), abs=5e-4)
    assert scaled_target(angle, (1.0, 1.0), points, spacing) == pytest.approx(target(angle), abs=5e-4)
    assert scaled_target(length, (3.0, 0.5), points, spacing) == pytest.approx((math.hypot(30, 20),))
    assert scaled_target(angle, (3.0, 0.5), points, spacing) == pytest.approx((math.degrees(math.atan2(20, 30)),))
    with pytest.raises(ValueError, match="points are needed"):
        scaled_target(length, (1.0, 1.0), None, spacing)
    with pytest.raises(DataFormatError, match="landmark P4 is not among P3"):
        scaled_target(length, (1.0, 1.0), {"P3": (1, 2, 3)}, spacing)


def test_landmarks_are_measured_inside_their_slice(data_dir: Path) -> None:
    length, _ = _samples(data_dir, "BiometricsFromLandmarks_Task02_Coronal")
    off = {**POINTS, "P4": (20, 39, 4)}
    assert scaled_target(length, (1.0, 1.0), off, (1.0, 2.5)) == pytest.approx((41.231,), abs=5e-4)


def test_a_box_has_no_scaled_target(data_dir: Path) -> None:
    [sample] = _samples(data_dir, "BoxCoordinate_Task01_Axial")
    with pytest.raises(ValueError, match="is a box"):
        scaled_target(sample, (2.0, 2.0), None, (1.0, 1.0))


def test_factors_are_the_same_in_another_place(data_dir: Path) -> None:
    other = data_dir / "deeper" / "copy"
    shutil.copytree(data_dir / "Datasets", other / "Datasets")
    for name in ("BiometricsFromLandmarks_Task02_Coronal", "TumorLesionSize_Task01_Axial"):
        here, there = (
            [draw_scale(scale_fields(sample), True, (0.5, 3.0)) for sample in _samples(folder, name)]
            for folder in (data_dir, other)
        )
        assert here == there


def test_what_seeds_the_factors_counts_from_the_data_folder(data_dir: Path) -> None:
    length, angle = _samples(data_dir, "BiometricsFromLandmarks_Task02_Coronal")
    assert scale_fields(length) == scale_fields(angle) == ("Datasets/Toy/Images/a.nii.gz", 1, 33, "02", None)
    [lesion] = _samples(data_dir, "TumorLesionSize_Task01_Axial")
    assert scale_fields(lesion) == ("Datasets/Toy/Images/a.nii.gz", 2, 17, "01", 2)


@st.composite
def _boxes(draw: st.DrawFn) -> tuple[tuple[int, int, int, int], tuple[int, int]]:
    rows, columns = draw(st.integers(1, 600)), draw(st.integers(1, 600))
    top, left = draw(st.integers(0, rows - 1)), draw(st.integers(0, columns - 1))
    return (top, left, draw(st.integers(top, rows - 1)), draw(st.integers(left, columns - 1))), (rows, columns)


@given(_boxes())
def test_a_box_target_is_ordered_and_inside(drawn: tuple[tuple[int, int, int, int], tuple[int, int]]) -> None:
    left, bottom, right, top = box_target(*drawn)
    assert 0 <= left <= right <= 1
    assert 0 <= bottom <= top <= 1
    (first, _, last, _), (rows, _) = drawn
    assert (top - bottom) * rows == pytest.approx(last - first)


_index = st.integers(-500, 500)
_point = st.tuples(_index, _index, _index)
_spacing = st.tuples(*[st.floats(0.05, 10.0)] * 3)
_line = st.tuples(_point, _point).filter(lambda line: line[0] != line[1])


@given(_line, _line, _spacing, st.integers(1, 50))
def test_an_angle_is_folded_and_depends_on_directions_only(
    line1: tuple[tuple[int, ...], tuple[int, ...]],
    line2: tuple[tuple[int, ...], tuple[int, ...]],
    spacing: tuple[float, float, float],
    times: int,
) -> None:
    angle = angle_degree(line1, line2, spacing)
    assert 0.0 <= angle <= 90.0
    longer = line1[0], tuple(a + times * (b - a) for a, b in zip(*line1, strict=True))
    for other in (
        angle_degree(line2, line1, spacing),
        angle_degree(line1[::-1], line2, spacing),
        angle_degree(line1, line2[::-1], spacing),
        angle_degree(longer, line2, spacing),
        angle_degree(line1, line2, tuple(3.0 * mm for mm in spacing)),
    ):
        assert other == pytest.approx(angle, abs=1e-5)


@given(_line, _line, _spacing)
def test_an_angle_agrees_with_the_cross_product(
    line1: tuple[tuple[int, ...], tuple[int, ...]],
    line2: tuple[tuple[int, ...], tuple[int, ...]],
    spacing: tuple[float, float, float],
) -> None:
    u, v = (np.subtract(b, a) * spacing for a, b in (line1, line2))
    sine, cosine = np.linalg.norm(np.cross(u, v)), abs(float(np.dot(u, v)))
    assume(cosine or sine)
    assert angle_degree(line1, line2, spacing) == pytest.approx(math.degrees(math.atan2(sine, cosine)), abs=1e-5)
