"""Many runs in one document: only what is alike is compared."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mrarebench_hf import pipeline
from mrarebench_hf.errors import StoreError
from mrarebench_hf.pipeline import Options
from mrarebench_hf.summarize.collect import collect


@pytest.fixture
def options(demo_data: Path, tmp_path: Path) -> Options:
    return Options(data=("Diagnosis",), model="baseline:prior", data_dir=demo_data, results_dir=tmp_path / "results")


def test_runs_of_one_model_are_compared_and_others_are_not(options: Options) -> None:
    pipeline.run(options)
    pipeline.run(replace(options, data=("Diagnosis_TO",), model="baseline:oracle"))
    assert collect(options.results_dir)["contrasts"] == []
    pipeline.run(replace(options, data=("Diagnosis_TO",)))
    document = collect(options.results_dir)
    assert len(document["runs"]) == 3
    (entry,) = document["contrasts"]
    assert entry["model"]["name"] == "baseline:prior"
    assert list(entry["contrasts"]) == ["delta_vis"]


def test_runs_that_differ_are_not_compared_and_it_is_said(options: Options) -> None:
    pipeline.run(options)
    pipeline.run(replace(options, data=("Diagnosis_TO",), limit=3))
    document = collect(options.results_dir)
    assert document["contrasts"] == []
    (note,) = document["notes"]
    assert "no Δ_vis for baseline:prior" in note
    text = pipeline.report(options.results_dir)
    assert "| 3 of 14 |" in text
    assert "only the first 3 of 14 cases" in text
    assert "no Δ_vis" in text


def test_a_copied_run_is_told_and_used_once(options: Options) -> None:
    pipeline.run(replace(options, data=("Diagnosis", "Diagnosis_TO")))
    (folder,) = (options.results_dir / "MRareBench_Diagnosis").iterdir()
    shutil.copytree(folder, folder.with_name("zz-copy"))
    document = collect(options.results_dir)
    assert len(document["contrasts"]) == 1
    assert document["notes"] == [
        f"MRareBench_Diagnosis/zz-copy is a copy of MRareBench_Diagnosis/{folder.name}; contrasts use the latter"
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"schema_version": 99}', "schema version 99"),
        ('{"accuracy": 0.5}', "schema version None"),
        ('{"schema_version": 1}', "lacks condition, counts"),
        ("{", "not a readable JSON document"),
        ("[]", "holds list"),
    ],
)
def test_a_neighbour_that_is_no_summary_costs_nobody_the_report(options: Options, content: str, message: str) -> None:
    other = options.results_dir / "other" / "thing" / "summary.json"
    other.parent.mkdir(parents=True)
    other.write_text(content)
    outcome = pipeline.run(options)
    assert outcome.exit_code == 0
    assert "left out other/thing" in outcome.text
    assert message in outcome.text
    assert str(options.results_dir) not in outcome.text


def test_only_foreign_summaries_are_no_report(tmp_path: Path) -> None:
    other = tmp_path / "other" / "thing" / "summary.json"
    other.parent.mkdir(parents=True)
    other.write_text("{}")
    with pytest.raises(StoreError, match=r"no scored run .* left out other/thing"):
        pipeline.report(tmp_path)


@pytest.mark.parametrize("damage", ["{", "[1]\n", None])
def test_rows_that_are_not_the_summarys_make_no_contrast(options: Options, damage: str | None) -> None:
    pipeline.run(replace(options, data=("Diagnosis", "Diagnosis_TO")))
    rows = next(options.results_dir.glob("MRareBench_Diagnosis/*/parsed/*.jsonl"))
    if damage is None:
        rows.unlink()
    else:
        rows.write_text(damage)
    document = collect(options.results_dir)
    assert document["contrasts"] == []
    assert "score it again" in document["notes"][0]
