"""Many runs in one document: only what is alike is compared."""

from __future__ import annotations

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


def test_runs_over_different_cases_are_not_compared(options: Options) -> None:
    pipeline.run(options)
    pipeline.run(replace(options, data=("Diagnosis_TO",), limit=3))
    assert collect(options.results_dir)["contrasts"] == []


def test_documents_of_another_version_are_told(options: Options) -> None:
    pipeline.run(options)
    path = next(options.results_dir.glob("*/*/summary.json"))
    path.write_text('{"schema_version": 99}')
    with pytest.raises(StoreError, match="has schema version 99"):
        collect(options.results_dir)


def test_a_damaged_row_file_is_told(options: Options) -> None:
    pipeline.run(replace(options, data=("Diagnosis", "Diagnosis_TO")))
    next(options.results_dir.glob("MRareBench_Diagnosis/*/parsed/*.jsonl")).write_text("{")
    with pytest.raises(StoreError, match="score the run again"):
        collect(options.results_dir)
