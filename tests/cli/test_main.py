"""The command line's manners: exit codes, messages without tracebacks, keys refused."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mrarebench_hf import registry
from mrarebench_hf.cli import main
from mrarebench_hf.cli._judge_options import add_det_backend


def test_every_verb_is_listed_with_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    shown = capsys.readouterr().out
    for verb in registry.names("mrarebench_hf.cli"):
        assert re.search(rf"^    {verb.replace('_', '-')}\s", shown, re.MULTILINE)


def test_no_verb_prints_help_and_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "VERB" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "--data", "Diagnoses", "--model", "m"], "unknown condition 'Diagnoses'. Did you mean 'Diagnosis'"),
        (["run", "--data", "Diagnosis", "--model", "basline:prior"], "Did you mean 'baseline'"),
        (
            ["run", "--data", "Diagnosis", "--model", "baseline:prior", "--limit", "-1"],
            "limit must be 0 or more, got -1",
        ),
        (
            ["run", "--data", "Diagnosis", "--model", "baseline:prior", "--batch-size", "0"],
            "batch_size must be at least 1",
        ),
        (
            ["run", "--data", "Diagnosis", "--model", "baseline:prior", "--max-fail-rate", "3"],
            "between 0 and 1, got 3.0",
        ),
        (["run", "--data", "Diagnosis", "--model", "m", "--max-new-tokens", "0"], "max_new_tokens must be at least 1"),
        (["run", "--data", "EvidenceVerif", "--model", "m", "--judge", ""], "the model's name is empty"),
        (
            ["run", "--data", "EvidenceVerif", "--model", "m", "--judge", "j", "--mode", "infer"],
            "mrarebench judge RESULTS --judge",
        ),
        (
            ["run", "--data", "Diagnosis", "--model", "m", "--judge", "j", "--judge-base-url", "localhost:8000"],
            "must look like http://host:port/v1, got 'localhost:8000'",
        ),
        (["judge", "results", "--judge", "j", "--judge-concurrency", "0"], "concurrency and passes must be at least 1"),
        (["judge", "results", "--judge", "j", "--judge-prices", "none.json"], "cannot read the prices in none.json"),
    ],
)
def test_wrong_usage_is_told_in_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.startswith("mrarebench: error: ")
    assert len(shown.err.splitlines()) == 1
    assert shown.out == ""


@pytest.mark.parametrize("option", ["--api-key", "--api_key=", "--key", "--judge-key=", "--token", "--OPENAI-API-KEY="])
def test_br60_keys_on_the_command_line_are_refused_and_not_echoed(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    canary = "sk-test-CANARY-123"
    words = [option + canary] if option.endswith("=") else [option, canary]
    with_key = ["run", "--data", "Diagnosis", "--model", "baseline:prior", *words]
    assert main(with_key) == 2
    shown = capsys.readouterr()
    assert "environment variable" in shown.err
    assert "CANARY" not in shown.out + shown.err


def test_missing_results_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "none")]) == 1
    assert "no results folder" in capsys.readouterr().err
    assert main(["report", str(tmp_path)]) == 1
    assert "no scored run" in capsys.readouterr().err


def test_module_and_command_are_the_same() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mrarebench_hf", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("mrarebench-hf ")


def test_a_reader_that_goes_away_is_no_crash() -> None:
    command = f"{sys.executable} -m mrarebench_hf --help | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr


def test_a_terminal_without_our_characters_does_not_end_a_finished_run(demo_data: Path, tmp_path: Path) -> None:
    where = ["--data-dir", str(demo_data), "--results-dir", str(tmp_path)]
    command = [
        sys.executable,
        "-m",
        "mrarebench_hf",
        "run",
        "--data",
        "Diagnosis",
        "--model",
        "baseline:refusal",
        *where,
    ]
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(command, capture_output=True, env=plain, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert b"recall@1" in done.stdout
    assert "–" in (tmp_path / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("stated", ["abc", "0", "-1"])
def test_a_senseless_world_size_is_told(
    stated: str, demo_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORLD_SIZE", stated)
    assert main(["run", "--data", "Diagnosis", "--model", "baseline:prior", "--data-dir", str(demo_data)]) == 1
    assert f"WORLD_SIZE is '{stated}'" in capsys.readouterr().err


def test_the_demo_is_for_one_process(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert main(["demo"]) == 2
    assert "one process" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "words", "backend"),
    [
        (None, [], None),
        ("off", [], "tfidf"),
        ("none", [], "tfidf"),
        ("org/model", [], "org/model"),
        ("org/model", ["--det-backend", "none"], "none"),
    ],
)
def test_the_published_harness_s_variable_names_the_similarity(
    value: str | None, words: list[str], backend: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is not None:
        monkeypatch.setenv("T2_EMBED_MODEL", value)
    parser = argparse.ArgumentParser()
    add_det_backend(parser.add_argument_group("scoring"))
    assert parser.parse_args(words).det_backend == backend
