"""Landmark files as MedVision's format has them, and damaged ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from medvision_plans import landmark_files, write_gz

from mrarebench_hf.errors import DataFormatError, DataNotFoundError
from mrarebench_hf.source.landmarks import read_landmarks


def test_given_landmarks_are_one_group(tmp_path: Path) -> None:
    landmarks = read_landmarks(write_gz(tmp_path / "a.json.gz", landmark_files()["given"]))
    assert landmarks.points(1, 33) == ({"P1": (10, 33, 8), "P2": (50, 33, 8), "P3": (30, 33, 20), "P4": (20, 33, 4)},)
    assert landmarks.points(1, 32) == landmarks.points(0, 33) == ()


def test_each_ellipse_has_its_group_and_other_keys_are_ignored(tmp_path: Path) -> None:
    document = landmark_files()["lesion"]
    [entry] = document["slice_landmarks_z"]
    second = {"P1": [1.0, 2.5, 17], "Pixels": [1, 2, 3], "P9": None, "measurements": None}
    entry["landmarks"].append(second)
    landmarks = read_landmarks(write_gz(tmp_path / "a.json.gz", document))
    first, other = landmarks.points(2, 17)
    assert list(first) == ["P1", "P2", "P3", "P4"]
    assert first["P1"] == (31, 48, 17)
    assert other == {"P1": (1, 2.5, 17)}
    assert [type(index) for index in other["P1"]] == [int, float, int]


def test_a_plane_may_be_absent_and_a_slice_repeated(tmp_path: Path) -> None:
    entries = [{"slice_idx": 3.0, "landmarks": {"P1": [n, 0, 3]}} for n in range(2)]
    landmarks = read_landmarks(write_gz(tmp_path / "a.json.gz", {"slice_landmarks_z": entries}))
    assert landmarks.points(2, 3) == ({"P1": (0, 0, 3)}, {"P1": (1, 0, 3)})


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"landmarks": {}}, "slice_landmarks_z[0].slice_idx is missing"),
        ({"slice_idx": 1}, "slice_landmarks_z[0].landmarks is missing"),
        ({"slice_idx": 1, "landmarks": 4}, "slice_landmarks_z[0].landmarks is 4, not an object"),
        ({"slice_idx": 1, "landmarks": {"P1": [1, 2]}}, "landmarks.P1 is a list of 2, not a list of 3"),
        ({"slice_idx": 1, "landmarks": [{"P2": [1, 2, "x"]}]}, "landmarks[0].P2[2] is 'x', not a number"),
        ({"slice_idx": 1, "landmarks": {"P1": [1, 2, float("nan")]}}, "landmarks.P1 is a list of 3, not a point"),
    ],
)
def test_a_fault_is_named_with_file_and_place(tmp_path: Path, entry: dict[str, Any], said: str) -> None:
    path = write_gz(tmp_path / "a.json.gz", {"slice_landmarks_z": [entry]})
    with pytest.raises(DataFormatError) as error:
        read_landmarks(path)
    assert str(path) in str(error.value)
    assert said in str(error.value)


def test_no_file_is_another_fault(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match="no file"):
        read_landmarks(tmp_path / "a.json.gz")
