"""Samples files of a results tree: found, named, and read line by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrarebench_hf.errors import StoreError
from mrarebench_hf.store.sample_files import lines, model_folders, sample_files

NAME = "20250301_090000_samples_Ceph-Biometrics-400_BiometricsFromLandmarks_Distance_Task01_Sagittal-CoT-scaledPS.jsonl"


def test_a_name_is_read_from_its_last_mark_on(tmp_path: Path) -> None:
    (tmp_path / NAME).touch()
    (tmp_path / "a_samples_b_samples_KiTS23_BoxCoordinate_Task12_Axial.jsonl").touch()
    first, second = sample_files(tmp_path)
    assert (first.stamp, first.dataset, first.number, first.plane) == (
        "20250301_090000",
        "Ceph-Biometrics-400",
        1,
        "Sagittal",
    )
    assert first.is_scaled
    assert first.results == tmp_path / "20250301_090000_results.json"
    assert (second.stamp, second.dataset, second.number, second.plane) == ("a_samples_b", "KiTS23", 12, "Axial")
    assert not second.is_scaled
    assert second.inside(tmp_path, "scores", "parquet").name.endswith(
        "a_samples_b_scores_KiTS23_BoxCoordinate_Task12_Axial.parquet"
    )


def test_a_task_of_another_form_has_no_number(tmp_path: Path) -> None:
    (tmp_path / "x_samples_my-own.jsonl").touch()
    (file,) = sample_files(tmp_path)
    assert (file.dataset, file.number, file.plane) == ("my-own", None, "")


def test_only_plain_files_directly_inside_count(tmp_path: Path) -> None:
    for name in (".hidden_samples_a.jsonl", "_samples_a.jsonl", "deeper/x_samples_a.jsonl", "x_samples_a.jsonl.tmp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "x_samples_folder.jsonl").mkdir()
    assert sample_files(tmp_path) == []
    with pytest.raises(StoreError, match="no folder"):
        sample_files(tmp_path / "nowhere")


def test_every_folder_is_a_model_but_those_that_runs_make(tmp_path: Path) -> None:
    for name in ("b", "a", ".git", "_old", "parsed", "response_cache", "judged"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").touch()
    assert [path.name for path in model_folders(tmp_path)] == ["a", "b"]
    assert [path.name for path in model_folders(tmp_path, ["b"])] == ["b"]
    with pytest.raises(StoreError, match=r"no model 'c' in .*; there: a, b"):
        model_folders(tmp_path, ["c"])


def test_a_folder_without_models_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="for one model's own folder use --model_dir"):
        model_folders(tmp_path)
    with pytest.raises(StoreError, match="no task folder"):
        model_folders(tmp_path / "nowhere")


def test_a_damaged_line_carries_its_number_and_stops_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(
        b'{"a": 1}\n\n  \n{"a": \nnull\n{"a": NaN, "b": -Infinity}\n\xff\xfe\n' + b"[" * 100_000 + b"\n[2]"
    )
    found = list(lines(path))
    assert [line.number for line in found] == [1, 4, 5, 6, 7, 8, 9]
    assert [line.fault is None for line in found] == [True, False, True, True, False, False, True]
    assert (found[0].record, found[2].record, found[-1].record) == ({"a": 1}, None, [2])
    assert str(found[3].record) == "{'a': nan, 'b': -inf}"
    assert sum(line.size for line in found) == path.stat().st_size - len(b"\n  \n")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot read .*x\.jsonl"):
        list(lines(tmp_path / "x.jsonl"))


def test_numbers_beyond_64_bits_and_half_signs_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps({"a": 2**70, "b": "\ud83d"}) + "\n")
    (line,) = lines(path)
    assert line.fault is None
    assert (float(line.record["a"]), line.record["b"]) == (2.0**70, "\ud83d")
