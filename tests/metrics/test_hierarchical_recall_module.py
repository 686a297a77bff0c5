"""The evaluate module hierarchical_recall, loaded as users load it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import evaluate
import pytest

from mrarebench_hf.score.hierarchical_recall import METRICS, PEER_NAMES
from mrarebench_hf.shipped import metric_path

GOLDEN = Path(__file__).parents[1] / "golden" / "t2_cases.jsonl.gz"


@pytest.fixture(scope="module")
def metric() -> Any:
    return evaluate.load(metric_path("hierarchical_recall"))


def test_every_recorded_case(metric: Any) -> None:
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as file:
        cases = [case for case in map(json.loads, file) if case["kind"] == "hier"]
    assert len(cases) == 489
    result = metric.compute(
        predictions=[case["vec"] for case in cases], references=[case["cats"] for case in cases], return_items=True
    )
    for case, item in zip(cases, result["items"], strict=True):
        assert item == (None if case["score"] is None else pytest.approx(case["score"], abs=1e-12)), case


def test_a_missing_case_may_come_first_and_last(metric: Any) -> None:
    result = metric.compute(
        predictions=[None, [1, None], [1, 0], []], references=[["other"], ["other"] * 2, ["modality", "other"], []]
    )
    assert (result["n_total"], result["n_scored"], result["n_missing"], result["n_empty"]) == (4, 1, 2, 1)
    assert result["judge_fail_rate"] == pytest.approx(2 / 3)
    assert result["t2_required_recall"] == 0.5


def test_nothing_gives_none(metric: Any) -> None:
    for result in (
        metric.compute(predictions=[], references=[]),
        metric.compute(predictions=[None], references=[["other"]]),
    ):
        assert {result[name] for name in METRICS} == {None}


def test_the_published_names_stand_beside_ours(metric: Any) -> None:
    result = metric.compute(predictions=[[1, 0]], references=[["macro_pattern", "cross_image_integration"]])
    assert {peer: result[peer] for peer in PEER_NAMES} == {peer: result[name] for peer, name in PEER_NAMES.items()}


def test_raw_categories_are_sorted_on_request(metric: Any) -> None:
    case = {"predictions": [[0, 1]], "references": [["Macroscopic Pattern", "cross_image_integration"]]}
    raw = metric.compute(**case)
    assert (raw["hier_visual_gate_pass_rate"], raw["n_unknown_categories"]) == (1.0, 1)
    sorted_ = metric.compute(**case, raw_categories=True)
    assert (sorted_["hier_visual_gate_pass_rate"], sorted_["n_unknown_categories"]) == (0.0, 0)


def test_batches_add_up(metric: Any) -> None:
    metric.add(prediction=[True], reference=["other"])
    metric.add_batch(predictions=[[0], None], references=[["other"], ["other"]])
    assert metric.compute()["t2_required_recall"] == 0.5


@pytest.mark.parametrize("prediction", ["10", [2], [0.5], [1.0], {"a": 1}, 1])
def test_a_wrong_prediction_is_named(metric: Any, prediction: object) -> None:
    with pytest.raises(ValueError, match="prediction 0 must be a list of 1, 0 or None"):
        metric.compute(predictions=[prediction], references=[["other"]])


@pytest.mark.parametrize("reference", ["other", [1], None])
def test_a_wrong_reference_is_named(metric: Any, reference: object) -> None:
    with pytest.raises(ValueError, match="reference 0 must be a list of categories"):
        metric.compute(predictions=[[1]], references=[reference])


def test_the_card_holds_the_table_of_metrics() -> None:
    card = (Path(metric_path("hierarchical_recall")) / "README.md").read_text(encoding="utf-8")
    table = card.partition("<!-- table of metrics")[2].partition("<!-- end of table -->")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    expected = [f"| `{n}` | {m.direction} | {m.unit} | {m.description} | {m.formula} |" for n, m in METRICS.items()]
    assert rows == expected
