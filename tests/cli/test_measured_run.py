"""``mrarebench run`` over MedVision's tasks: options, what is told, and the stages' own verbs after it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrarebench_hf import pipeline
from mrarebench_hf.cli import main
from mrarebench_hf.errors import StoreError

LESIONS = "DemoCT_TumorLesionSize_Task01_Axial"


def _run(data: Path, results: Path, *words: str, what: str | None = None) -> int:
    where = ["--data-dir", str(data), "--results-dir", str(results), "--model", "baseline:oracle"]
    return main(["run", "--data", what or str(data / "tasks_MedVision-TL.json"), *where, *words])


def test_a_task_list_is_run_and_its_results_are_read_by_the_stages_verbs(
    demo_volumes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(demo_volumes, tmp_path) == 0
    table = capsys.readouterr().out
    assert "kidney tumor @ CT (A)" in table
    task = str(tmp_path / "MedVision-TL")
    assert main(["parse", "--task_type", "TL", "--task_dir", task]) == 0
    assert main(["summarize", "--task_type", "TL", "--task_dir", task]) == 0
    assert capsys.readouterr().out.strip().endswith(table.strip())


def test_the_folder_of_the_data_can_come_from_the_environment(
    demo_volumes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["run", "--data", LESIONS, "--model", "baseline:prior", "--mode", "infer"]
    assert main(words) == 2
    monkeypatch.setenv("MedVision_DATA_DIR", str(demo_volumes))
    assert main(words) == 0
    assert len(list(tmp_path.glob("results/MedVision-TL/*/*_samples_*.jsonl"))) == 1


@pytest.mark.parametrize(
    ("what", "words", "code", "message"),
    [
        ("nowhere.json", [], 1, "no task list nowhere.json"),
        ("DemoCT_TumorSize_Task01_Axial", [], 2, "Did you mean 'TumorLesionSize'"),
        (LESIONS, ["--release", "1.5.0"], 2, "unknown MedVision release '1.5.0'"),
        (LESIONS, ["--judge", "gpt"], 2, "--judge is for MRareBench's conditions"),
        (LESIONS, ["--det-backend", "tfidf"], 2, "--det-backend is for MRareBench's conditions"),
        (f"{LESIONS}-64x64", ["--reshape-image-hw", "32,32"], 1, "brings slices to a size of its own"),
        ("Diagnosis", ["--release", "1.4.0"], 2, "--release is for MedVision's tasks"),
        ("Diagnosis", ["--no-filter"], 2, "--no-filter is for MedVision's tasks"),
        ("Diagnosis", ["--perceived-size", "336,336"], 2, "--perceived-size is for MedVision's tasks"),
    ],
)
def test_mistakes_are_told_in_one_line(
    demo_volumes: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    what: str,
    words: list[str],
    code: int,
    message: str,
) -> None:
    assert _run(demo_volumes, tmp_path, *words, what=what) == code
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_a_size_has_two_sides(demo_volumes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _run(demo_volumes, tmp_path, "--perceived-size", "512")
    assert "rows and columns from 1 to 8192, such as 512,512" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "is no task list"),
        ("{}", "is no task list"),
        ("{", "no readable JSON"),
        (json.dumps({LESIONS: 1, "DemoCT_BoxCoordinate_Task01_Axial": 1}), "tasks of several families"),
    ],
)
def test_task_lists_that_are_none(
    demo_volumes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    path = tmp_path / "tasks_mine.json"
    path.write_text(content)
    assert _run(demo_volumes, tmp_path, what=str(path)) != 0
    assert message in capsys.readouterr().err


def test_a_list_that_says_another_number_only_warns(
    demo_volumes: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "tasks_mine.json"
    path.write_text(json.dumps({LESIONS: 7}))
    assert _run(demo_volumes, tmp_path, what=str(path)) == 0
    assert "the list says 7 samples, this data has 20" in caplog.text
    assert (tmp_path / "mine").is_dir()


def test_verbs_of_the_conditions_leave_measurements_alone(
    demo_volumes: Path, demo_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(demo_volumes, tmp_path) == 0
    with pytest.raises(StoreError, match="no run over conditions in"):
        pipeline.judge(tmp_path, None)
    assert _run(demo_data, tmp_path, what="Diagnosis") == 0
    assert pipeline.judge(tmp_path, None).exit_code == 0
    capsys.readouterr()
    assert main(["report", str(tmp_path)]) == 0
    assert "MedVision" not in capsys.readouterr().out
