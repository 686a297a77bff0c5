"""Scores of items and what is reported about them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.errors import UsageError
from mrarebench_hf.score.ranked_diagnosis import (
    METRICS,
    Aggregate,
    ItemScore,
    Reference,
    aggregate,
    case_values,
    is_failure,
    loose_only_hits,
    score_items,
    score_one,
)

FABRY = Reference("Fabry disease", ["Anderson-Fabry disease", " ", "FD"])
REPLIES = [
    "1. Fabry disease",
    "1. Gout\n2. FD",
    "1. e",
    "",
    None,
    "Failed to obtain answer via API.",
    ";",
    "I'm sorry.",
]


def test_a_reference_has_distinct_trimmed_names() -> None:
    assert Reference(" A ", ["B", "A", ""]).names == ("A", "B")
    assert Reference("").names == ()


def test_both_rules_score_an_item() -> None:
    item = score_one("1. Pompe disease\n2. **Fabry** disease - typical", FABRY)
    assert (item.first_hit_rank, item.match_type, item.status) == (2, "contained", "scored")
    assert item.strict_first_hit_rank == 2
    assert (item.strict_match_type, item.strict_matched) == ("reworded", "Fabry disease")
    assert json.loads(json.dumps(item.as_dict()))["strict_ranked"] == ["Pompe disease", "Fabry"]


@pytest.mark.parametrize("reply", [None, "Failed to obtain answer via API.", " Failed to obtain answer: <class 'X'> Y"])
def test_a_failed_request_is_missing_by_both_rules(reply: str | None) -> None:
    item = score_one(reply, Reference("Takayasu arteritis", ["TA"]))
    assert (item.status, item.strict_status, item.reason) == ("missing", "missing", "request_failed")
    assert (item.ranked, item.first_hit_rank, item.strict_ranked) == ((), None, ())
    assert reply is None or is_failure(reply)


@pytest.mark.parametrize("reply", ["", " ", "\n\x0c"])
def test_an_empty_reply_is_unparsed_by_both_rules(reply: str) -> None:
    item = score_one(reply, FABRY)
    assert (item.status, item.strict_status, item.reason) == ("unparsed", "unparsed", "empty")


def test_a_refusal_is_flagged_and_the_headline_keeps_the_protocol() -> None:
    item = score_one("I'm sorry, but I can't provide a medical diagnosis.", FABRY)
    assert (item.status, item.strict_status, item.refusal, item.reason) == ("scored", "unparsed", True, "refusal")


def test_a_ready_list_is_not_parsed_but_cut() -> None:
    item = score_one(["1. Gout", "GOUT", "gout", "", *map(str, range(20)), "Fabry disease"], FABRY)
    assert len(item.ranked) == len(item.strict_ranked) == 10
    assert item.ranked[:3] == ("1. Gout", "GOUT", "0")
    assert score_one([], FABRY).status == "unparsed"
    assert score_one([], FABRY).reason == "empty"
    assert score_one(("x", " Fabry disease "), FABRY).strict_first_hit_rank == 2


@pytest.mark.parametrize("prediction", [3, ["a", None], {"a": 1}, b"text"])
def test_another_type_of_prediction_is_refused(prediction: object) -> None:
    with pytest.raises(UsageError, match="a prediction must be a text, a list of names or None, got"):
        score_one(prediction, FABRY)  # type: ignore[arg-type]


def test_items_must_pair_up() -> None:
    with pytest.raises(UsageError, match="2 predictions for 1 references"):
        score_items(["a", "b"], [FABRY])
    with pytest.raises(UsageError, match=r"must hold one entry per item, got the single text '1\. Gout'"):
        score_items("1. Gout", [FABRY])
    assert score_items([], []) == []


def test_br22_a_disease_listed_twice_counts_once_and_any_accepted_name_is_a_hit() -> None:
    twice = score_one(["Fabry disease", "Anderson-Fabry disease", "Gaucher disease"], FABRY)
    values = aggregate([twice]).values()
    assert values["recall@1"] == values["recall@3"] == values["MRR"] == 1.0
    either = aggregate(
        [score_one(["X-ray burn", "Berg disease", "Alder disease"], Reference("Alder disease", ["Berg disease"]))]
    )
    for prefix in ("", "strict_"):
        values = either.values()
        assert values[f"{prefix}recall@1"] == 0.0
        assert values[f"{prefix}recall@3"] == 1.0
        assert (values[f"{prefix}MRR"], values[f"{prefix}MR"]) == (0.5, 2.0)


def test_metrics_by_hand() -> None:
    sums = aggregate(score_items(REPLIES, [FABRY] * 8))
    counts = sums.counts()
    # By the protocol: ranks 1, 2, 1 (an "e"); "I'm sorry." holds no accepted name.
    assert sums.ranks == (2, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    assert sums.strict_ranks == (1, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    assert (counts["n_total"], counts["n_scored"], counts["n_unparsed"], counts["n_missing"]) == (8, 4, 2, 2)
    assert (counts["n_strict_scored"], counts["n_strict_unparsed"], counts["n_refusals"]) == (3, 3, 1)
    assert (counts["n_loose_only_hits"], counts["n_strict_only_hits"]) == (1, 0)
    assert counts["reasons"] == {"empty": 1, "no_list": 1, "refusal": 1, "request_failed": 2}
    values = sums.values()
    expected = {
        "recall@1": 2 / 8,
        "recall@3": 3 / 8,
        "recall@10_answered": 3 / 6,
        "MRR": 2.5 / 8,
        "MRR_answered": 2.5 / 6,
        "hit_rate": 3 / 8,
        "MR": 4 / 3,
        "MR_penalised": (4 + 5 * 11) / 8,
        "strict_recall@1": 1 / 8,
        "strict_MR": 3 / 2,
        "strict_MR_penalised": (3 + 6 * 11) / 8,
        "parse_fail_rate": 2 / 8,
        "strict_parse_fail_rate": 3 / 8,
        "infer_fail_rate": 2 / 8,
    }
    assert {name: values[name] for name in expected} == pytest.approx(expected)


def test_metrics_tell_n_direction_and_unit() -> None:
    metrics = aggregate(score_items(REPLIES, [FABRY] * 8)).metrics()
    assert list(metrics) == list(METRICS)
    assert metrics["MR"] == {"value": 4 / 3, "n": 3, "direction": "lower", "unit": "rank"}
    assert metrics["recall@1"] == {"value": 0.25, "n": 8, "direction": "higher", "unit": "fraction"}
    assert metrics["recall@1_answered"]["n"] == 6


def test_br54_nothing_gives_null_and_no_hit_gives_no_mean_rank() -> None:
    assert set(Aggregate().values().values()) == {None}
    assert {metric["n"] for metric in Aggregate().metrics().values()} == {0}
    missed = aggregate([score_one("1. Gout", FABRY)]).values()
    assert (missed["MR"], missed["MR_penalised"], missed["MRR"]) == (None, 11.0, 0.0)
    json.dumps(Aggregate().metrics(), allow_nan=False)


def test_a_gap_between_the_rules_is_warned_of() -> None:
    items = score_items(["1. e"] * 50, [FABRY] * 50)
    (warning,) = aggregate(items).warnings()
    assert "recall@1, recall@3, recall@5 and recall@10" in warning
    assert "50 items hit only by" in warning
    assert loose_only_hits(items) == list(range(50))
    assert aggregate([score_one("1. Fabry disease", FABRY)]).warnings() == ()
    # One item of fifty is exactly two points: not more.
    assert aggregate([*items[:1], *score_items(["1. Fabry disease"] * 49, [FABRY] * 49)]).warnings() == ()
    assert Aggregate().warnings() == ()


def test_values_of_a_case_average_to_the_metrics() -> None:
    items = score_items(REPLIES, [FABRY] * 8)
    values = aggregate(items).values()
    for name in case_values(items[0]):
        per_case = [value for item in items if (value := case_values(item)[name]) is not None]
        assert sum(per_case) / len(per_case) == pytest.approx(values[name])
    assert case_values(items[4])["MR"] is None


ITEMS = st.lists(
    st.one_of(st.none(), st.sampled_from(REPLIES), st.text(max_size=30), st.lists(st.text(max_size=12), max_size=12))
)


def _scores(predictions: Sequence[str | list[str] | None]) -> list[ItemScore]:
    return score_items(predictions, [FABRY] * len(predictions))


@given(ITEMS)
def test_every_value_lies_in_its_range(predictions: list[str | list[str] | None]) -> None:
    sums = aggregate(_scores(predictions))
    assert sums.n_total == sums.n_scored + sums.n_unparsed + sums.n_missing == len(predictions)
    assert sums.n_total == sums.n_strict_scored + sums.n_strict_unparsed + sums.n_missing
    values = sums.values()
    for name, value in values.items():
        if value is not None:
            assert 0 <= value <= 1 if METRICS[name].unit == "fraction" else 1 <= value <= 11
    for prefix in ("", "strict_"):
        recalls = [values[f"{prefix}recall@{k}"] or 0 for k in (1, 3, 5, 10)]
        assert recalls == sorted(recalls)
        assert values[f"{prefix}hit_rate"] == values[f"{prefix}recall@10"]
        assert recalls[0] <= (values[f"{prefix}MRR"] or 0) <= recalls[-1]


@given(ITEMS, st.integers(0, 20), st.randoms())
def test_shards_add_up_exactly_in_any_order(
    predictions: list[str | list[str] | None], cut: int, random: object
) -> None:
    items = _scores(predictions)
    whole = aggregate(items)
    assert aggregate(items[:cut]) + aggregate(items[cut:]) == whole
    assert sum([aggregate([item]) for item in reversed(items)], Aggregate()) == whole
    random.shuffle(items)  # type: ignore[attr-defined]
    assert aggregate(items).metrics() == whole.metrics()


@given(st.lists(st.integers(0, 9), max_size=30))
def test_the_mean_reciprocal_rank_is_the_exact_mean(places: list[int]) -> None:
    others = [f"Berg{i} disease" for i in range(9)]
    lists = [[*others[:place], "Fabry disease"] for place in places]
    value = aggregate(_scores(lists)).values()["strict_MRR"]
    exact = sum((Fraction(1, place + 1) for place in places), Fraction(0))
    assert value == (float(exact / len(places)) if places else None)
