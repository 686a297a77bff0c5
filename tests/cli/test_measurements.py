"""``mrarebench parse`` and ``mrarebench summarize``: what they print, and how they end."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest
from measured_tree import line, write

from mrarebench_hf.cli import main


@pytest.fixture
def task(tmp_path: Path) -> Path:
    lines = [line("TL", 0, "<answer>12, 8</answer>"), line("TL", 1, "unsure")]
    write(tmp_path / "task" / "model", "TL", lines)
    return tmp_path / "task"


def test_both_stages_one_after_the_other(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", "--task_type", "TL", "--task_dir", str(task)]) == 0
    assert "total 2, scored 1, unparsed 1 (no_tag 1)" in capsys.readouterr().out
    assert main(["summarize", "--task_type", "TL", "--task_dir", str(task)]) == 0
    shown = capsys.readouterr()
    assert shown.out == (task / "summary_TL_Task.md").read_text()
    assert main(["parse", "--task_type", "TL", "--task_dir", str(task), "--skip_existing"]) == 0
    assert capsys.readouterr().out == "nothing to parse: every parsed file is there\n"


def test_json_for_scripts(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", "--task-type", "TL", "--model-dir", str(task / "model"), "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert (report["counts"]["n_scored"], report["reasons"], report["faults"]) == (1, {"no_tag": 1}, [])
    assert main(["summarize", "--task_type", "TL", "--task_dir", str(task), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads((task / "summary_TL_Task.json").read_text())


def test_damaged_lines_and_missing_answers_end_with_a_code_of_their_own(
    task: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = write(task / "model", "TL", [line("TL", 0, "<answer>12, 8</answer>"), "{"])
    assert main(["parse", "--task_type", "TL", "--task_dir", str(task)]) == 3
    assert f"mrarebench: {raw}:2: no JSON" in capsys.readouterr().err
    write(task / "model", "TL", [line("TL", 0, None)])
    assert main(["parse", "--task_type", "TL", "--task_dir", str(task)]) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["parse", "--task_type", "TL"], "give --task_dir"),
        (["parse", "--task_type", "TL", "--task_dir", "nowhere"], "no task folder nowhere"),
        (["summarize", "--task_type", "TL", "--model_dir", "nowhere"], "nowhere has no parsed files"),
        (["summarize", "--task_type", "AD", "--model_dir", ".", "--by", "box-size"], "for Detection"),
        (["summarize", "--task_type", "TL", "--model_dir", ".", "--plans", "none.json"], "no plans file none.json"),
    ],
)
def test_a_users_mistake_is_one_line(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) in (1, 2)
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown


def test_a_task_type_is_spelled_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["parse", "--task_type", "tl", "--task_dir", "x"])
    assert stop.value.code == 2
    assert "Detection" in capsys.readouterr().err


@pytest.mark.parametrize("stage", ["parse", "summarize"])
def test_the_modules_that_the_other_packages_users_call(
    stage: str, task: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--task_type", "TL", "--task_dir", str(task)]
    assert main(["parse", *words]) == 0
    capsys.readouterr()
    monkeypatch.setattr(sys, "argv", ["-m", *words])
    with pytest.raises(SystemExit) as stop:
        runpy.run_module(f"mrarebench_hf.{stage}", run_name="__main__")
    assert stop.value.code == 0
    assert "model" in capsys.readouterr().out
