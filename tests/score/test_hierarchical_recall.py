"""Hierarchical recall: gates and weights by hand, bounds by property, absent verdicts never a NO."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.errors import UsageError
from mrarebench_hf.parse.evidence_points import BUCKETS
from mrarebench_hf.score.hierarchical_recall import METRICS, aggregate, case_values, counts, hierarchical, score_one

LADDER = ["macro_pattern", "cross_image_integration", "diagnostic_attribution"]


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([1, 1, 1], 1.0),
        ([0, 1, 1], 0.0),  # nothing seen: the higher levels earn nothing
        ([1, 0, 1], 1 / 3.75),
        ([1, 1, 0], 3 / 3.75),
    ],
)
def test_br33_a_level_earns_only_where_the_level_below_is_whole(verdicts: list[int], expected: float) -> None:
    score = hierarchical(verdicts, LADDER)
    assert score is not None
    assert score["hierarchical_required_recall"] == pytest.approx(expected)


def test_raw_and_gated_recall_of_a_level() -> None:
    score = hierarchical([0, 1, 1], LADDER)
    assert score is not None
    assert (score["hier_level2_cross_recall_raw"], score["hier_level2_cross_recall_gated"]) == (1.0, 0.0)
    assert (score["hier_level3_diag_recall_raw"], score["hier_level3_diag_recall_gated"]) == (1.0, 0.0)
    assert score["hier_visual_gate"] == 0.0


def test_an_unknown_category_counts_but_holds_no_gate() -> None:
    score = hierarchical([0, 1], ["something", "cross_image_integration"])
    assert score is not None
    assert (score["hier_visual_gate"], score["hierarchical_required_recall"]) == (1.0, pytest.approx(2 / 3))


@pytest.mark.parametrize("verdicts", [None, [1], [1, None, 0], [1, 1, 1, 1], [None, None, None]])
def test_br33_a_case_without_a_verdict_on_each_point_is_missing(verdicts: list[int | None] | None) -> None:
    item = score_one(verdicts, LADDER)
    assert item.status == "missing"
    assert set(case_values(item).values()) == {None}


def test_br35_missing_cases_stay_out_of_every_mean_and_are_counted() -> None:
    items = [score_one(v, ["other"]) for v in ([1], [1], [0], None)]
    assert aggregate(items)["t2_hierarchical_required_recall"] == (pytest.approx(2 / 3), 3)
    assert counts(items) == {"n_total": 4, "n_scored": 3, "n_missing": 1, "n_empty": 0}
    assert {value for value, _ in aggregate(items[3:]).values()} == {None}


def test_a_case_without_points_is_empty() -> None:
    assert score_one([], []).status == score_one(None, []).status == "empty"
    assert {value for value, _ in aggregate([]).values()} == {None}


@pytest.mark.parametrize("verdict", [2, -1, 0.5, 1.0, "1"])
def test_a_verdict_is_nothing_but_one_or_zero(verdict: object) -> None:
    with pytest.raises(UsageError, match="a verdict must be 1, 0 or None"):
        score_one([verdict], ["other"])  # type: ignore[list-item]


def test_the_drop_can_be_negative_and_the_weighted_recall_shows_the_gates_alone() -> None:
    values = case_values(score_one([1, 0], ["cross_image_integration", "diagnostic_attribution"]))
    assert values["t2_hierarchical_required_recall_drop"] == pytest.approx(0.5 - 2 / 2.75)
    assert values["t2_weighted_required_recall"] == values["t2_hierarchical_required_recall"]


POINTS = st.lists(st.tuples(st.integers(0, 1), st.sampled_from(BUCKETS)), min_size=1, max_size=12)


@given(POINTS)
def test_scores_are_fractions_gates_only_take_and_order_does_not_matter(points: list[tuple[int, str]]) -> None:
    item = score_one([verdict for verdict, _ in points], [name for _, name in points])
    values = case_values(item)
    assert set(values) == set(METRICS)
    for name, value in values.items():
        low = -1 if METRICS[name].unit == "difference" else 0
        assert value is None or low <= value <= 1
    weighted, gated = values["t2_weighted_required_recall"], values["t2_hierarchical_required_recall"]
    assert weighted is not None
    assert gated is not None
    assert gated <= weighted + 1e-12
    turned = case_values(score_one([v for v, _ in reversed(points)], [name for _, name in reversed(points)]))
    assert all(a == pytest.approx(b) for a, b in zip(values.values(), turned.values(), strict=True))


@given(POINTS, st.data())
def test_finding_one_more_point_never_costs(points: list[tuple[int, str]], data: st.DataObject) -> None:
    n = data.draw(st.integers(0, len(points) - 1))
    names = [name for _, name in points]
    before = [verdict for verdict, _ in points]
    after = [1 if i == n else verdict for i, verdict in enumerate(before)]
    a, b = hierarchical(before, names), hierarchical(after, names)
    assert a is not None
    assert b is not None
    x, y = a["hierarchical_required_recall"], b["hierarchical_required_recall"]
    assert x is not None
    assert y is not None
    assert x <= y + 1e-12
