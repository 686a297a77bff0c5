"""``mrarebench validate-data``: what it prints where, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrarebench_hf.cli import main
from mrarebench_hf.demo.volumes import write_volumes

PLAN = "Datasets/DemoCT/benchmark_plan_detection_v1.0.0.json.gz"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_volumes(tmp_path)
    return tmp_path


def test_a_folder_without_faults(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate-data", str(root)]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    *notes, last = shown.err.splitlines()
    assert last == "0 faults in 12 cases of 4 plans"
    assert len(notes) == 2
    assert all("is stored as LAS" in note for note in notes)


def test_a_line_for_each_fault(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / PLAN).write_bytes(b"no gzip")
    next((root / "Datasets/DemoMR/Images").iterdir()).unlink()
    assert main(["validate-data", str(root)]) == 1
    shown = capsys.readouterr()
    plan, volume = shown.out.splitlines()
    assert plan.startswith(f"{PLAN}: is no whole gzip file of JSON")
    assert volume.startswith("Datasets/DemoMR/benchmark_plan_biometry_v1.0.0.json.gz: task 01 ")
    assert "no volume Datasets/DemoMR/Images/" in volume
    assert shown.err.endswith("2 faults in 8 cases of 4 plans\n")


def test_json_for_scripts(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate-data", str(root), "--json", "--quick"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    next((root / "Datasets/DemoMR/Images").iterdir()).unlink()
    assert main(["validate-data", str(root), "--json", "--quick", "--dataset", "DemoCT", "--dataset", "DemoMR"]) == 1
    shown = capsys.readouterr()
    [fault] = json.loads(shown.out)
    assert list(fault) == ["file", "task", "split", "case", "plane", "slice", "label", "what"]
    assert (fault["task"], fault["plane"], fault["slice"]) == ("01", None, None)
    assert shown.err.endswith("1 fault in 12 cases of 4 plans\n")


def test_one_dataset_of_one_release(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / PLAN.replace("detection_v1.0.0", "biometry_v1.4.0")).write_bytes(b"no gzip")
    assert main(["validate-data", str(root), "--dataset", "DemoCT", "--release", "1.3.0"]) == 0
    assert capsys.readouterr().err.endswith("0 faults in 8 cases of 3 plans\n")
    assert main(["validate-data", str(root), "--dataset", "DemoCT", "--release", "latest"]) == 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nowhere"], 1, "no folder"),
        (["--dataset", "DemoXT"], 2, "Did you mean 'DemoCT'"),
        (["--release", "2.0"], 2, "unknown MedVision release '2.0'"),
    ],
)
def test_wrong_usage_is_one_line(
    root: Path, words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = [str(root / words[0])] if words == ["nowhere"] else [str(root), *words]
    assert main(["validate-data", *folder]) == code
    shown = capsys.readouterr()
    assert message in shown.err
    assert len(shown.err.splitlines()) == 1
    assert shown.out == ""
