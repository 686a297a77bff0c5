"""Whole T2 and T1 runs with a judge on loopback: equal numbers by every way, nothing asked twice, failures named."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mrarebench_hf import demo, pipeline
from mrarebench_hf.cli import main
from mrarebench_hf.errors import EndpointError, StoreError, UsageError
from mrarebench_hf.judge import JudgeSettings
from mrarebench_hf.pipeline import Options

CANARY = "sk-test-CANARY-123"
T2 = ("EvidenceVerif", "EvidenceVerif_TO", "EvidenceVerif_NoDx")


@pytest.fixture(scope="module")
def judge_url() -> Iterator[str]:
    with demo.judge_server() as url:
        yield url


@pytest.fixture
def judge(judge_url: str) -> JudgeSettings:
    return JudgeSettings("demo-judge", judge_url, retries=0)


@pytest.fixture
def options(demo_data: Path, tmp_path: Path) -> Options:
    return Options(
        data=("EvidenceVerif",),
        model="baseline:random",
        data_dir=demo_data,
        results_dir=tmp_path / "results",
        det_backend="tfidf",
    )


def folder(options: Options, condition: str = "EvidenceVerif") -> Path:
    return next((options.results_dir / f"MRareBench_{condition}").iterdir())


def read(options: Options, name: str, condition: str = "EvidenceVerif") -> Any:
    return json.loads((folder(options, condition) / name).read_bytes())


def test_the_same_numbers_come_of_every_way(options: Options, judge: JudgeSettings, tmp_path: Path) -> None:
    at_once = replace(options, judge=judge)
    assert pipeline.run(at_once).exit_code == 0
    expected = (folder(at_once) / "summary.json").read_bytes()

    later = replace(options, results_dir=tmp_path / "later", mode="infer")
    pipeline.run(later)
    outcome = pipeline.judge(later.results_dir, judge, det_backend="tfidf")
    assert outcome.exit_code == 0
    assert "t2_hierarchical_required_recall" in outcome.text
    assert (folder(later) / "summary.json").read_bytes() == expected

    evaluated = replace(options, results_dir=tmp_path / "evaluated", judge=judge)
    pipeline.run(replace(evaluated, mode="infer", judge=None))
    pipeline.run(replace(evaluated, mode="eval"))
    assert (folder(evaluated) / "summary.json").read_bytes() == expected


def test_the_judge_s_part_of_the_summary(options: Options, judge: JudgeSettings) -> None:
    pipeline.run(replace(options, judge=judge))
    summary = read(options, "summary.json")
    metrics = summary["metrics"]
    assert set(summary["judge"]) == {"name", "rubrics", "temperature", "dropped_parameters"}
    assert metrics["hierarchical_required_recall"] == metrics["t2_hierarchical_required_recall"]
    assert 0 < metrics["t2_hierarchical_required_recall"]["value"] <= metrics["t2_required_recall"]["value"] < 1
    assert metrics["judge_fail_rate"] == {"value": 0.0, "n": 14, "direction": "lower", "unit": "fraction"}
    assert metrics["det_required_recall@0.5"]["det_backend"] == summary["det_backend"] == "tfidf"
    assert "det_backend" not in metrics["det_image_coverage"]
    assert sum(group["n"] for group in summary["groups"]["required_recall_by_task_type"].values()) == 14
    facts = read(options, "run.json")["judge"]
    assert (facts["n_asked"], facts["n_failed"], facts["cost_usd"]) == (14, 0, None)
    assert facts["usage"]["prompt_tokens"] > 0


def test_judging_again_asks_nothing(options: Options, judge: JudgeSettings) -> None:
    pipeline.run(replace(options, judge=judge))
    before = (folder(options) / "summary.json").read_bytes()
    assert pipeline.run(replace(options, judge=judge)).exit_code == 0
    assert read(options, "run.json")["judge"]["n_asked"] == 0
    pipeline.judge(options.results_dir, judge)
    assert read(options, "run.json")["judge"]["n_asked"] == 0
    assert (folder(options) / "summary.json").read_bytes() == before


def test_without_a_judge_it_says_so(options: Options) -> None:
    pipeline.run(options)
    summary = read(options, "summary.json")
    assert summary["judge"] is None
    assert not [name for name in summary["metrics"] if name.startswith("t2_")]
    assert any("not judged: these are the judge-free metrics alone" in text for text in summary["warnings"])


def test_without_a_similarity_it_says_so(options: Options) -> None:
    pipeline.run(replace(options, det_backend="none"))
    summary = read(options, "summary.json")
    assert "det_required_recall@0.5" not in summary["metrics"]
    assert "det_image_coverage" in summary["metrics"]
    assert any("det_* metrics that need it are left out" in text for text in summary["warnings"])


def test_a_perfect_and_an_empty_answer_bracket_the_scores(options: Options, judge: JudgeSettings) -> None:
    for model, value in (("baseline:oracle", 1.0), ("baseline:refusal", 0.0)):
        own = replace(options, model=model, judge=judge, results_dir=options.results_dir / model[9:])
        pipeline.run(own)
        metrics = read(own, "summary.json")["metrics"]
        for name in ("t2_hierarchical_required_recall", "det_required_recall@0.5", "strict_det_required_recall@0.5"):
            assert metrics[name]["value"] == value, (model, name)


def test_a_missing_answer_counts_as_reporting_nothing(options: Options, judge: JudgeSettings, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({str(n): "Image 1: nothing." for n in range(13)} | {"5": " "}))
    outcome = pipeline.run(replace(options, model=f"baseline:scripted={script}", judge=judge))
    assert outcome.exit_code == 3
    summary = read(options, "summary.json")
    assert (summary["counts"]["n_missing"], summary["counts"]["n_unparsed"]) == (1, 1)
    metrics = summary["metrics"]
    assert (metrics["t2_required_recall"]["n"], metrics["t2_required_recall_answered"]["n"]) == (14, 12)
    assert metrics["judge_fail_rate"]["n"] == 12
    assert metrics["infer_fail_rate"]["value"] == pytest.approx(1 / 14)
    assert metrics["det_required_recall@0.5"]["n"] == 13
    assert metrics["strict_det_required_recall@0.5"]["n"] == 14


def test_t1_is_judged_in_five_dimensions_and_candidates_once_each(options: Options, judge: JudgeSettings) -> None:
    class Rare(BaseHTTPRequestHandler):
        asked: ClassVar[list[str]] = []

        def do_POST(self) -> None:
            text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][-1]["content"]
            self.asked.append(text)
            if "Ranked list" in text:
                content = "YES\nNO\n3\nYES\nYES"
            else:
                content = json.dumps({"label": "rare" if "fabry" in text else "generic"})
            body = json.dumps({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            pass

    with serving(Rare) as url:
        settings = replace(judge, base_url=url, rare=True, concurrency=4)
        own = replace(options, data=("Diagnosis",), model="baseline:prior", judge=settings)
        assert pipeline.run(own).exit_code == 0
    summary = read(own, "summary.json", "Diagnosis")
    assert summary["metrics"]["judge_avg_score"]["value"] == pytest.approx(0.8)
    assert summary["metrics"]["judge_dim_typematch"] == {"value": 3.0, "n": 14, "direction": "higher", "unit": "grade"}
    assert set(summary["judge"]["rubrics"]) == {"diagnosis", "rare_candidates"}
    classified = [text for text in Rare.asked if "Ranked list" not in text]
    assert len(classified) == len(set(classified)) == 10
    assert summary["metrics"]["rare_candidate_count@10_mean"]["value"] in (0.0, 1.0)


def test_two_passes_and_two_judges_agree_with_themselves(options: Options, judge: JudgeSettings) -> None:
    pipeline.run(replace(options, judge=replace(judge, passes=2)))
    pipeline.judge(options.results_dir, replace(judge, name="another"))
    document = json.loads((options.results_dir / "summary.json").read_bytes())
    pairs = [entry["judges"] for entry in document["judge_agreement"]]
    assert pairs == [
        ["another", "demo-judge"],
        ["another", "demo-judge (pass 2)"],
        ["demo-judge", "demo-judge (pass 2)"],
    ]
    assert {entry["verdicts"]["all"]["agreement"] for entry in document["judge_agreement"]} == {1.0}
    assert {entry["verdicts"]["required"]["kappa"] for entry in document["judge_agreement"]} == {1.0}
    assert read(options, "summary.json")["judge"]["name"] == "another"


def test_damaged_verdicts_cost_nobody_a_report(options: Options, judge: JudgeSettings) -> None:
    pipeline.run(replace(options, judge=replace(judge, passes=2)))
    path = next((folder(options) / "judged").glob("*pass2.json"))
    document = json.loads(path.read_bytes())
    for damage in ({**document, "verdicts": None}, {**document, "verdicts": [{"index": "0"}]}, [], "x"):
        path.write_text(json.dumps(damage))
        assert "agreement" in pipeline.report(options.results_dir)


def test_contrasts_need_the_same_judge_and_the_same_backend(options: Options, judge: JudgeSettings) -> None:
    pipeline.run(replace(options, data=T2, judge=judge))
    report = json.loads((options.results_dir / "summary.json").read_bytes())
    contrast = report["contrasts"][0]["contrasts"]["delta_grd"]["metrics"]
    for name in ("t2_hierarchical_required_recall", "t2_hier_level2_cross_recall_raw", "det_required_recall@0.5"):
        assert (contrast[name]["value"], contrast[name]["n"] > 0) == (0.0, True)

    pipeline.judge(folder(options, "EvidenceVerif_TO"), replace(judge, name="another"), det_backend="none")
    report = json.loads((options.results_dir / "summary.json").read_bytes())
    contrast = report["contrasts"][0]["contrasts"]["delta_grd"]["metrics"]
    assert not [name for name in contrast if name.startswith(("t2_", "det_required"))]
    assert "det_image_coverage" in contrast
    assert "no Δ_grd of judged metrics: the two runs differ in their judge" in report["notes"]
    assert "delta_dx" in report["contrasts"][0]["contrasts"]


def test_br35_a_server_that_is_gone_costs_nothing_but_the_verdicts(options: Options, judge: JudgeSettings) -> None:
    gone = replace(judge, base_url="http://127.0.0.1:9/v1", backoff_s=0.0)
    outcome = pipeline.run(replace(options, judge=gone))
    assert outcome.exit_code == 1
    assert "no verdict on 14 of 14 questions (connection: 14)" in outcome.notes[0]
    summary = read(options, "summary.json")
    assert summary["metrics"]["t2_hierarchical_required_recall"] == {
        "value": None,
        "n": 0,
        "direction": "higher",
        "unit": "fraction",
    }
    assert summary["metrics"]["judge_fail_rate"]["value"] == 1.0
    assert summary["counts"]["judge_failures"] == {"connection": 14}
    assert len(summary["groups"]["judge_failed"]) == 14
    assert summary["metrics"]["det_required_recall@0.5"]["value"] is not None

    assert pipeline.judge(options.results_dir, judge).exit_code == 0
    assert read(options, "run.json")["judge"]["n_asked"] == 14
    assert read(options, "summary.json")["metrics"]["judge_fail_rate"]["value"] == 0.0


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class EchoKey(BaseHTTPRequestHandler):
    """Refuses every request, and tells the key in doing so."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"error": {"message": f"bad key {self.headers['Authorization']}"}}).encode()
        self.send_response(401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        pass


def test_br60_the_key_is_nowhere(
    options: Options,
    judge_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    words = ["run", "--data", "EvidenceVerif", "--model", "baseline:oracle", "--det-backend", "tfidf", "--verbose"]
    words += ["--data-dir", str(options.data_dir), "--results-dir", str(options.results_dir), "--judge", "J"]
    with serving(EchoKey) as url, caplog.at_level("DEBUG"):
        assert main([*words, "--judge-base-url", url]) == 1
    assert main([*words, "--judge-base-url", judge_url]) == 0
    assert main([*words, "--judge-base-url", judge_url.replace("http://", f"http://{CANARY}@")]) == 2
    assert main([*words, "--judge-base-url", f"{judge_url}?key={CANARY}"]) == 2
    shown = capfd.readouterr()
    assert "HTTP 401: bad key Bearer [key]" in shown.err
    assert CANARY not in shown.out + shown.err + caplog.text
    files = [path for path in options.results_dir.rglob("*") if path.is_file()]
    assert any("judged" in str(path) for path in files)
    assert not [path for path in files if b"CANARY" in path.read_bytes()]


def test_a_wrong_key_stops_at_once_and_the_rest_is_pending(options: Options, judge: JudgeSettings) -> None:
    with serving(EchoKey) as url:
        outcome = pipeline.run(replace(options, judge=replace(judge, base_url=url, concurrency=1)))
    assert outcome.exit_code == 1
    assert "cannot be asked: HTTP 401" in outcome.notes[0]
    assert read(options, "summary.json")["counts"]["judge_failures"] == {"not_asked": 14}
    assert pipeline.run(replace(options, judge=judge)).exit_code == 0


def test_a_key_that_is_not_there_is_told_before_any_call(options: Options) -> None:
    with pytest.raises(EndpointError, match=r"needs a key in \$OPENAI_API_KEY"):
        pipeline.run(replace(options, judge=JudgeSettings("gpt-5.4-mini")))
    assert not options.results_dir.exists()


def test_a_run_s_own_folder_can_be_named_from_inside(
    options: Options, judge: JudgeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.run(options)
    monkeypatch.chdir(folder(options))
    assert pipeline.judge(Path(), judge).exit_code == 0
    assert "t2_required_recall" in (options.results_dir / "report.md").read_text()


def test_what_cannot_be_judged_is_told(options: Options, judge: JudgeSettings, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no results folder"):
        pipeline.judge(tmp_path / "none", judge)
    with pytest.raises(StoreError, match="no run over conditions in"):
        pipeline.judge(tmp_path, judge)
    pipeline.run(options)
    samples = next(folder(options).glob("*_samples_*.jsonl"))
    samples.write_bytes(samples.read_bytes()[:-20])
    with pytest.raises(StoreError, match=r"is not complete .* the run's own command writes it anew"):
        pipeline.judge(options.results_dir, judge)
    assert pipeline.run(replace(options, model="baseline:oracle")).exit_code == 0
    outcome = pipeline.judge(options.results_dir, judge)
    assert outcome.exit_code == 3
    assert [note.startswith("left out: the record in") for note in outcome.notes] == [True]
    with pytest.raises(UsageError, match="--mode infer only asks"):
        replace(options, mode="infer", judge=judge)
