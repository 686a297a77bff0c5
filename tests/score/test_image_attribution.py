"""Scores of picture numbers in answers, and what is reported about them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.errors import UsageError
from mrarebench_hf.score.image_attribution import (
    METRICS,
    Reference,
    aggregate,
    case_values,
    counts,
    score_items,
    score_one,
)

CASE = Reference(4, frozenset({1, 2}), frozenset({3}))
HIGHER = {
    "det_image_coverage",
    "det_image_format_compliance",
    "det_image_select_recall",
}


def test_values_by_hand() -> None:
    item = score_one("Image 1: a ring\nImage 4: normal\nImage 9 is blurred.", CASE)
    # M = {1, 4, 9}, L = {1, 4}, D = {1, 2}, S = {1, 2, 3}, M′ = {1, 4}.
    assert item.values == {
        "det_n_ref_images": 3,
        "det_image_coverage": 2 / 4,
        "det_image_ref_out_of_range_rate": 1 / 3,
        "det_image_format_compliance": 2 / 4,
        "det_image_attribution_hallucination_rate": 2 / 3,
        "det_image_select_recall": 1 / 2,
        "det_image_select_precision": 1 / 2,
        "det_image_attribution_offtarget_rate": 1 / 2,
    }
    assert item.strict_values == {f"strict_{name}": value for name, value in item.values.items()}
    assert item.referenced == item.strict_referenced == {1, 4, 9}
    assert item.labelled == item.strict_labelled == {1, 4}
    assert (item.status, item.has_distractors) == ("scored", True)


def test_the_two_readings_stand_side_by_side() -> None:
    item = score_one("Images 1 and 2 (MRI): rings", CASE)
    assert item.referenced == item.labelled == set()
    assert item.strict_referenced == item.strict_labelled == {1, 2}
    assert item.values["det_image_coverage"] == 0
    assert item.strict_values["strict_det_image_select_precision"] == 1
    assert "det_image_select_precision" not in item.values


@pytest.mark.parametrize("text", ["", " ", "\n\x0c"])
def test_br26_a_blank_answer_is_unparsed_and_scores_zero(text: str) -> None:
    item = score_one(text, CASE)
    assert item.status == "unparsed"
    # The protocol's rate out of range is 0 without a number; no other rate is defined.
    assert item.values == dict.fromkeys(["det_n_ref_images", "det_image_ref_out_of_range_rate", *sorted(HIGHER)], 0.0)


def test_br30_a_missing_answer_is_wrong_and_improves_no_rate() -> None:
    item = score_one(None, CASE)
    assert item.status == "missing"
    assert item.values == dict.fromkeys(HIGHER, 0.0)
    assert item.strict_values == {f"strict_{name}": 0.0 for name in HIGHER}
    assert score_one(None, Reference(0)).values == {}
    assert score_one(None, Reference(0, frozenset({1}))).values == {"det_image_select_recall": 0.0}
    assert set(score_one(None, Reference(2)).values) == {"det_image_coverage", "det_image_format_compliance"}
    wrong, right = score_items(["Image 9", "Image 1: x"], [CASE] * 2)
    alone, with_missing = aggregate([wrong, right]), aggregate([wrong, right, item])
    for name, metric in METRICS.items():
        if metric.direction == "lower" or "precision" in name:
            assert with_missing[name] == alone[name]
        else:
            assert with_missing[name][0] == pytest.approx((alone[name][0] or 0) * 2 / 3)
            assert with_missing[name][1] == 3


def test_a_case_without_pictures_takes_every_number_for_real() -> None:
    item = score_one("Image 1, image 7", Reference(0, frozenset({1})))
    assert item.values == {
        "det_n_ref_images": 2,
        "det_image_select_recall": 1.0,
        "det_image_select_precision": 0.5,
        "det_image_attribution_offtarget_rate": 0.5,
    }
    assert not item.has_distractors


def test_a_case_without_decisive_pictures_has_no_selection() -> None:
    values = score_one("Image 1, image 3", Reference(4, supporting=frozenset({3}))).values
    assert values["det_image_attribution_hallucination_rate"] == 0.5
    assert not any("select" in name or "offtarget" in name for name in values)
    assert "det_image_attribution_hallucination_rate" not in score_one("Image 1", Reference(4)).values


def test_a_supporting_picture_that_does_not_exist_is_hallucinated() -> None:
    values = score_one("Image 5", Reference(4, frozenset({1}), frozenset({5}))).values
    assert values["det_image_attribution_hallucination_rate"] == 1.0


def test_wrong_references_and_answers_are_refused() -> None:
    with pytest.raises(UsageError, match="n_images must be 0 or more, got -1"):
        Reference(-1)
    with pytest.raises(UsageError, match=r"supporting must hold picture numbers of 0 or more, got \[-2, 1\]"):
        Reference(1, supporting=frozenset({1, -2}))
    with pytest.raises(UsageError, match="an answer must be a text or None, got 3"):
        score_one(3, CASE)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="2 texts for 1 references"):
        score_items(["a", "b"], [CASE])
    with pytest.raises(UsageError, match="must hold one entry per item, got the single text 'Image 1'"):
        score_items("Image 1", [CASE])
    assert score_items([], []) == []


def test_selection_is_averaged_over_cases_with_something_to_select() -> None:
    every = Reference(2, frozenset({1, 2}))
    items = score_items(["Image 1: x", "Image 1: x", None, ""], [CASE, every, every, CASE])
    found = aggregate(items)
    assert found["det_image_select_recall"] == (0.25, 2)
    assert found["det_image_select_precision"] == (1.0, 1)
    assert found["det_image_attribution_offtarget_rate"] == (0.0, 1)
    assert found["det_image_coverage"] == ((0.25 + 0.5) / 4, 4)
    assert counts(items) == {
        "n_total": 4,
        "n_scored": 2,
        "n_unparsed": 1,
        "n_missing": 1,
        "n_image_attribution_scored": 4,
        "n_image_select_scored_distractor_subset": 2,
    }
    assert case_values(items[1])["strict_det_image_select_recall"] is None
    assert case_values(items[0])["strict_det_image_select_recall"] == 0.5


def test_br54_nothing_gives_null() -> None:
    assert aggregate([]) == dict.fromkeys(METRICS, (None, 0))
    assert set(counts([]).values()) == {0}
    json.dumps(aggregate([]), allow_nan=False)


def test_the_table_says_what_a_metric_is() -> None:
    assert len(METRICS) == 14
    assert [name for name in METRICS if name.startswith("strict_")] == [f"strict_{name}" for name in list(METRICS)[:7]]
    assert {m.unit for m in METRICS.values()} == {"fraction"}
    for name, metric in METRICS.items():
        assert metric.direction == ("lower" if name.endswith("_rate") else "higher")
        assert metric.description.endswith(".")
        # They stand in a table of a card.
        assert "|" not in metric.description + metric.formula


NUMBERS = st.frozensets(st.integers(0, 7))
REFERENCES = st.builds(Reference, st.integers(0, 6), NUMBERS, NUMBERS)
TEXTS = st.one_of(
    st.none(),
    st.text(max_size=20),
    st.lists(st.integers(0, 9), max_size=5).map(lambda ks: "\n".join(f"Image {k}: x" for k in ks)),
    st.lists(st.integers(0, 9), max_size=5).map(lambda ks: f"Images {', '.join(map(str, ks))}"),
)
CASES = st.lists(st.tuples(TEXTS, REFERENCES), max_size=8)


@given(CASES)
def test_every_value_lies_in_its_range(cases: list[tuple[str | None, Reference]]) -> None:
    items = score_items([text for text, _ in cases], [reference for _, reference in cases])
    found = aggregate(items)
    assert list(found) == list(METRICS)
    for name, (value, n) in found.items():
        own = [v for item in items if (v := case_values(item)[name]) is not None]
        assert len(own) == n
        assert (value is None) == (n == 0)
        assert value is None or 0 <= min(own) <= value <= max(own) <= 1
    number = counts(items)
    assert number["n_total"] == len(cases) == number["n_scored"] + number["n_unparsed"] + number["n_missing"]
    assert number["n_image_select_scored_distractor_subset"] == found["det_image_select_recall"][1]
    assert number["n_image_attribution_scored"] == found["det_image_coverage"][1]


@given(CASES, st.randoms())
def test_the_order_of_items_does_not_matter(cases: list[tuple[str | None, Reference]], random: object) -> None:
    items = score_items([text for text, _ in cases], [reference for _, reference in cases])
    whole = aggregate(items)
    random.shuffle(items)  # type: ignore[attr-defined]
    assert aggregate(items) == whole


@given(TEXTS, REFERENCES)
def test_an_answer_is_never_worse_than_none_where_higher_is_better(text: str | None, reference: Reference) -> None:
    answered, missing = case_values(score_one(text, reference)), case_values(score_one(None, reference))
    for name in METRICS:
        if missing[name] is not None:
            assert (answered[name] or 0) >= missing[name] == 0  # type: ignore[operator]
