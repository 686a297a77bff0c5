"""Whole runs on the demo benchmark: resume, reuse, limits, failures, equal bytes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mrarebench_hf import pipeline
from mrarebench_hf.errors import DataFormatError, ModelError, StoreError, UsageError
from mrarebench_hf.model import Request, Settings, baseline
from mrarebench_hf.pipeline import Options
from mrarebench_hf.records import Response

ALL = ("Diagnosis", "Diagnosis_FD", "Diagnosis_TO")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids in the order in which a baseline is asked."""
    log: list[str] = []
    original = baseline._Baseline.generate

    def generate(self: Any, requests: Sequence[Request]) -> list[Response]:
        log.extend(request.prompt.index for request in requests)
        return original(self, requests)

    monkeypatch.setattr(baseline._Baseline, "generate", generate)
    return log


@pytest.fixture
def options(demo_data: Path, tmp_path: Path) -> Options:
    return Options(data=("Diagnosis",), model="baseline:oracle", data_dir=demo_data, results_dir=tmp_path / "results")


def folder(options: Options, condition: str = "Diagnosis") -> Path:
    return next((options.results_dir / f"MRareBench_{condition}").iterdir())


def summary(options: Options, condition: str = "Diagnosis") -> dict[str, Any]:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} in a document")

    return json.loads((folder(options, condition) / "summary.json").read_bytes(), parse_constant=refuse)  # type: ignore[no-any-return]


def manifest(options: Options) -> dict[str, Any]:
    return json.loads((folder(options) / "run.json").read_bytes())  # type: ignore[no-any-return]


def value(options: Options, name: str, condition: str = "Diagnosis") -> float | None:
    found: float | None = summary(options, condition)["metrics"][name]["value"]
    return found


def test_the_oracle_is_perfect_under_every_condition(options: Options) -> None:
    outcome = pipeline.run(replace(options, data=ALL))
    assert outcome.exit_code == 0
    for condition in ALL:
        for name in ("recall@1", "recall@10", "MRR", "MR", "strict_recall@1", "strict_MRR"):
            assert value(options, name, condition) == 1.0
        assert f"| {condition} " in outcome.text
    document = json.loads((options.results_dir / "summary.json").read_bytes())
    contrasts = document["contrasts"][0]["contrasts"]
    assert {key: c["metrics"]["recall@1"]["value"] for key, c in contrasts.items()} == {"delta_sub": 0, "delta_vis": 0}
    assert "Δ_sub = Diagnosis_FD − Diagnosis" in (options.results_dir / "report.md").read_text()


def test_the_refusal_scores_nothing_and_the_strict_rules_see_it(options: Options) -> None:
    assert pipeline.run(replace(options, model="baseline:refusal")).exit_code == 0
    assert value(options, "strict_recall@10") == 0.0
    assert value(options, "strict_MR") is None
    assert value(options, "strict_parse_fail_rate") == 1.0


def test_summary_holds_what_a_reader_needs_to_trust_it_alone(options: Options) -> None:
    pipeline.run(options)
    document = summary(options)
    assert document["data"]["source"] == "local"
    assert len(document["data"]["sha256"]) == 64
    assert document["model"]["name"] == "baseline:oracle"
    assert document["packages"]["mrarebench-hf"]
    assert len(document["prompt_sha256"]) == 64
    text = (folder(options) / "summary.json").read_text()
    assert str(options.results_dir) not in text
    assert str(options.data_dir) not in text
    assert manifest(options)["status"] == "complete"


def test_br45_nothing_is_asked_twice_whatever_cannot_change_a_reply(
    options: Options, asked: list[str], tmp_path: Path
) -> None:
    pipeline.run(options)
    n = len(asked)
    assert n >= 12
    before = (folder(options) / "summary.json").read_bytes()
    shutil.move(options.results_dir, tmp_path / "moved")
    moved = replace(options, results_dir=tmp_path / "moved", batch_size=1)
    assert pipeline.run(moved).exit_code == 0
    assert len(asked) == n
    assert (folder(moved) / "summary.json").read_bytes() == before


def test_br45_another_condition_or_edited_data_is_asked_anew(
    options: Options, asked: list[str], tmp_path: Path
) -> None:
    copied = tmp_path / "data"
    shutil.copytree(str(options.data_dir), copied)
    own = replace(options, data_dir=copied)
    pipeline.run(own)
    n = len(asked)
    pipeline.run(replace(own, data=("Diagnosis_FD",)))
    assert len(asked) == 2 * n
    file = next(copied.rglob("diagnosis_opened.tsv"))
    file.write_text(
        file.read_text(encoding="utf-8").replace("most likely diagnosis?", "likeliest diagnosis?"), encoding="utf-8"
    )
    pipeline.run(own)
    assert len(asked) == 3 * n


@pytest.mark.parametrize(("limit", "expected"), [(0, 0), (1, 1), (10_000, None), (None, None)])
def test_limits(options: Options, asked: list[str], limit: int | None, expected: int | None) -> None:
    outcome = pipeline.run(replace(options, limit=limit))
    assert outcome.exit_code == 0
    document = summary(options)
    n = document["data"]["n"] if expected is None else expected
    assert (len(asked), document["counts"]["n_total"]) == (n, n)
    if n == 0:
        assert document["metrics"]["recall@1"]["value"] is None


def script(tmp_path: Path, options: Options, leave_out: int) -> Path:
    oracle = replace(options, results_dir=tmp_path / "oracle")
    pipeline.run(oracle)
    rows = [json.loads(line) for line in next(folder(oracle).glob("*_samples_*.jsonl")).read_text().splitlines()]
    answers = {row["doc"]["index"]: row["filtered_resps"][0] for row in rows[leave_out:]}
    path = tmp_path / "script.json"
    path.write_text(json.dumps(answers))
    return path


def test_missing_answers_are_wrong_visible_and_asked_again(options: Options, tmp_path: Path, asked: list[str]) -> None:
    path = script(tmp_path, options, leave_out=3)
    own = replace(options, model=f"baseline:scripted={path}")
    outcome = pipeline.run(own)
    n = summary(own)["counts"]["n_total"]
    assert outcome.exit_code == 3
    assert f"3 of {n} items have no answer (not_scripted: 3)" in outcome.notes[0]
    counts = summary(own)["counts"]
    assert (counts["n_missing"], counts["n_scored"], counts["failures"]) == (3, n - 3, {"not_scripted": 3})
    assert value(own, "infer_fail_rate") == pytest.approx(3 / n)
    assert value(own, "recall@1") == pytest.approx((n - 3) / n)
    assert value(own, "recall@1_answered") == 1.0
    assert manifest(own)["status"] == "incomplete"
    asked.clear()
    assert pipeline.run(own).exit_code == 3
    assert len(asked) == 3
    assert pipeline.run(replace(own, max_fail_rate=0.01)).exit_code == 1
    assert manifest(own)["status"] == "failed"


def test_br07_a_run_that_got_no_answer_at_all_has_failed(options: Options, tmp_path: Path) -> None:
    empty = tmp_path / "empty.json"
    empty.write_text("{}")
    own = replace(options, model=f"baseline:scripted={empty}")
    assert pipeline.run(own).exit_code == 1
    assert summary(own)["counts"]["n_missing"] == summary(own)["counts"]["n_total"]
    assert value(own, "recall@1") == 0.0
    assert value(own, "recall@1_answered") is None
    assert value(own, "MR") is None


def test_inference_now_and_scores_later(options: Options, asked: list[str]) -> None:
    with pytest.raises(StoreError, match="nothing to evaluate"):
        pipeline.run(replace(options, mode="eval"))
    inferred = pipeline.run(replace(options, mode="infer", settings=Settings(max_new_tokens=7)))
    assert (inferred.exit_code, inferred.text) == (0, "")
    assert not (folder(options) / "summary.json").exists()
    n = len(asked)
    assert pipeline.run(replace(options, mode="eval")).exit_code == 0
    assert value(options, "recall@1") == 1.0
    assert len(asked) == n


def test_no_reuse_starts_afresh_beside_the_old_answers(options: Options, asked: list[str]) -> None:
    pipeline.run(options)
    n = len(asked)
    pipeline.run(replace(options, reuse=False))
    assert len(asked) == 2 * n
    assert len(list(folder(options).glob("response_cache*"))) == 2


def test_no_cache_keeps_none_and_asks_again(options: Options, asked: list[str]) -> None:
    for number in (1, 2):
        assert pipeline.run(replace(options, cache=False)).exit_code == 0
        assert len(asked) == number * summary(options)["counts"]["n_total"]
        assert list(folder(options).glob("response_cache*")) == []
    assert value(options, "recall@1") == 1.0


def test_t2_names_a_similarity_that_is_not_there_before_any_call(options: Options, asked: list[str]) -> None:
    evidence = replace(options, data=("EvidenceVerif_NoDx",))
    with pytest.raises(ModelError, match="--det-backend tfidf"):
        pipeline.run(evidence)
    assert asked == []
    assert pipeline.run(replace(evidence, mode="infer")).exit_code == 0
    run = json.loads((folder(evidence, "EvidenceVerif_NoDx") / "run.json").read_bytes())
    assert (run["status"], run["condition"]) == ("complete", "EvidenceVerif_NoDx")


def test_br05_repeated_ids_stop_the_run_before_any_call(options: Options, asked: list[str], tmp_path: Path) -> None:
    path = tmp_path / "bad" / "diagnosis_opened.tsv"
    path.parent.mkdir()
    path.write_text("index\timage\tcontext\tanswer\ndup\t[]\ta\tFabry disease\ndup\t[]\tb\tPompe disease\n")
    with pytest.raises(DataFormatError, match="'dup'"):
        pipeline.run(replace(options, data_dir=path.parent))
    assert asked == []
    assert not options.results_dir.exists()


def test_conditions_named_twice_run_once(options: Options, asked: list[str]) -> None:
    pipeline.run(replace(options, data=("Diagnosis", "MRareBench_Diagnosis")))
    assert len(asked) == summary(options)["counts"]["n_total"]


def test_an_interrupted_run_says_so(options: Options, monkeypatch: pytest.MonkeyPatch, asked: list[str]) -> None:
    original = baseline._Baseline.generate

    def interrupt(self: Any, requests: Sequence[Request]) -> list[Response]:
        if len(asked) >= 4:
            raise KeyboardInterrupt
        return original(self, requests)

    with monkeypatch.context() as patch:
        patch.setattr(baseline._Baseline, "generate", interrupt)
        with pytest.raises(KeyboardInterrupt):
            pipeline.run(options)
    assert manifest(options)["status"] == "interrupted"
    assert pipeline.run(options).exit_code == 0
    assert len(asked) == len(set(asked)) == summary(options)["counts"]["n_total"]


def scripted(options: Options, tmp_path: Path, text: str) -> Options:
    path = tmp_path / "script.json"
    ids = [
        json.loads(line)["doc"]["index"] for line in next(folder(options).glob("*_samples_*")).read_text().splitlines()
    ]
    path.write_text(json.dumps(dict.fromkeys(ids, text)))
    return replace(options, model=f"baseline:scripted={path}", results_dir=tmp_path / "scripted")


def test_an_answer_that_says_a_failure_mark_is_an_answer(options: Options, tmp_path: Path) -> None:
    pipeline.run(options)
    own = scripted(options, tmp_path, "Failed to obtain answer from imaging alone, but:\n1. Fabry disease")
    assert pipeline.run(own).exit_code == 0
    counts = summary(own)["counts"]
    assert (counts["n_missing"], counts["n_scored"]) == (0, counts["n_total"])


def test_half_characters_survive_as_replacements(options: Options, tmp_path: Path) -> None:
    pipeline.run(options)
    assert pipeline.run(scripted(options, tmp_path, "1. \ud800 x")).exit_code == 0


def test_scoring_alone_reads_the_cache_whatever_is_said_of_it(options: Options) -> None:
    pipeline.run(options)
    before = (folder(options) / "summary.json").read_bytes()
    assert pipeline.run(replace(options, mode="eval", cache=False)).exit_code == 0
    assert (folder(options) / "summary.json").read_bytes() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mode": "eval", "reuse": False}, "--no-reuse would leave it none"),
        ({"mode": "infer", "cache": False}, "--no-cache would lose them"),
        ({"data": ()}, "no condition given"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: Options, change: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replace(options, **change)


def test_a_fresh_run_keeps_the_files_of_the_old_one(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline.run(options)
    run = manifest(options)
    (folder(options) / "run.json").write_text(json.dumps(run | {"stamp": "20200101_000000"}))
    pipeline.run(options)
    old = (folder(options) / "20200101_000000_samples_MRareBench_Diagnosis.jsonl").read_bytes()
    pipeline.run(replace(options, reuse=False, limit=2))
    assert (folder(options) / "20200101_000000_samples_MRareBench_Diagnosis.jsonl").read_bytes() == old


def test_ids_in_the_journal_are_not_trusted(options: Options) -> None:
    pipeline.run(options)
    before = (folder(options) / "summary.json").read_bytes()
    journal = next(folder(options).glob("response_cache/*.jsonl"))
    lines = [json.loads(line) | {"index": "OTHER"} for line in journal.read_text().splitlines()]
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    pipeline.run(options)
    assert (folder(options) / "summary.json").read_bytes() == before
    assert '"OTHER"' not in next(folder(options).glob("parsed/*.jsonl")).read_text()


def test_a_partial_run_scored_again_says_how_to_go_on(options: Options, tmp_path: Path) -> None:
    own = replace(options, model=f"baseline:scripted={script(tmp_path, options, leave_out=2)}")
    pipeline.run(own)
    outcome = pipeline.run(replace(own, mode="eval", limit=5))
    assert outcome.exit_code == 3
    assert "run it without --mode eval" in outcome.notes[0]
    assert (manifest(own)["limit"], manifest(own)["n_total"]) == (5, 5)


def test_a_damaged_manifest_stops_scoring_and_not_a_run(options: Options) -> None:
    pipeline.run(options)
    (folder(options) / "run.json").write_text("{}")
    with pytest.raises(StoreError, match="is damaged"):
        pipeline.run(replace(options, mode="eval"))
    assert pipeline.run(options).exit_code == 0
