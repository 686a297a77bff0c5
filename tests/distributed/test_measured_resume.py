"""Stage 1 of MedVision, killed with two processes and resumed by one: every sample once, nothing lost, equal scores."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from distributed.processes import kill, start, wait

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.distributed]

TASKS = ["DemoCT_TumorLesionSize_Task01_Axial", "DemoCT_TumorLesionSize_Task01_Axial-CoT-scaledPS"]


def _start(data: Path, results: Path, folder: Path, n: int, delay_s: float) -> list:  # type: ignore[type-arg]
    folder.mkdir()
    where = ["--data-dir", str(data), "--results-dir", str(results)]
    words = ["run", "--data", *TASKS, "--model", "baseline:random", "--batch-size", "2", *where]
    return start(n, words, {"CALLS": str(folder), "DELAY_S": str(delay_s)}, folder / "log")


def _calls(folder: Path) -> list[str]:
    return [line for path in sorted(folder.glob("*.txt")) for line in path.read_text().splitlines()]


def _answered(results: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in results.rglob("response_cache/*.jsonl"))


def _scores(results: Path) -> list[object]:
    return [json.loads(path.read_text())["models"] for path in sorted(results.rglob("parsed/summary_TL_Task.json"))]


def test_two_processes_are_killed_and_one_goes_on(demo_volumes: Path, tmp_path: Path) -> None:
    assert wait(_start(demo_volumes, tmp_path / "whole", tmp_path / "a", 1, 0)) == [0]
    results, folder = tmp_path / "killed", tmp_path / "b"
    processes = _start(demo_volumes, results, folder, 2, 0.1)
    deadline = time.monotonic() + 60
    while _answered(results) < 26 and time.monotonic() < deadline:  # in the second task
        time.sleep(0.01)
    kill(processes)
    assert len(list(folder.glob("*.txt"))) == 2, "both took part"
    before = _answered(results)
    assert 20 < before < 40
    assert wait(_start(demo_volumes, results, tmp_path / "c", 1, 0)) == [0]
    assert len(_calls(tmp_path / "c")) == 40 - before
    assert _scores(results) == _scores(tmp_path / "whole")
    assert wait(_start(demo_volumes, results, tmp_path / "d", 2, 0)) == [0, 0]
    assert _calls(tmp_path / "d") == []


def test_a_task_without_data_is_left_out_by_all_processes(demo_volumes: Path, tmp_path: Path) -> None:
    folder = tmp_path / "calls"
    folder.mkdir()
    where = ["--data-dir", str(demo_volumes), "--results-dir", str(tmp_path / "r")]
    words = ["run", "--data", "Nowhere_TumorLesionSize_Task01_Axial", TASKS[0], "--model", "baseline:random", *where]
    codes = wait(start(2, words, {"CALLS": str(folder), "DELAY_S": "0.05"}, folder / "log"))
    assert codes == [1, 0]
    assert len(_calls(folder)) == 20
    assert "no dataset 'Nowhere'" in (folder / "log").read_text()
    assert "Traceback" not in (folder / "log").read_text()
