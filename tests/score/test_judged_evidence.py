"""Judged evidence: what enters the means, what is counted, groups; missing verdicts are never a NO."""

from __future__ import annotations

import pytest

from mrarebench_hf.parse.evidence_points import Points
from mrarebench_hf.score.judged_evidence import (
    METRICS,
    PEER_NAMES,
    ItemJudged,
    aggregate,
    by_category,
    by_task_type,
    case_values,
    score_one,
)

POINTS = Points(("A.", "B."), ("C.",), ("macro_pattern", "cross_image_integration"), ("other",))


def judged(*required: int, optional: int = 1, contradicted: tuple[int, ...] = (0, 0)) -> ItemJudged:
    return score_one(
        "text", POINTS, {"required": list(required), "optional": [optional], "contradicted": list(contradicted)}
    )


def test_br35_a_judge_failure_is_left_out_of_every_mean_and_counted() -> None:
    values = aggregate([judged(1, 1), judged(1, 1), judged(0, 0), score_one("text", POINTS, None)])
    assert values["t2_hierarchical_required_recall"] == (pytest.approx(2 / 3), 3)
    assert values["t2_optional_recall"] == (1.0, 3)
    assert values["judge_fail_rate"] == (0.25, 4)


def test_br35_without_any_verdict_every_score_is_null() -> None:
    values = aggregate([score_one("text", POINTS, None)] * 2)
    assert values.pop("judge_fail_rate") == (1.0, 2)
    assert {value for value, _ in values.values()} == {None}


@pytest.mark.parametrize("answer", [None, "", " \f\n"])
def test_a_case_without_an_answer_reports_nothing_unjudged(answer: str | None) -> None:
    item = score_one(answer, POINTS, None)
    values = aggregate([item, judged(1, 1, contradicted=(1, 0))])
    assert item.status == "unanswered"
    assert values["t2_required_recall"] == (0.5, 2)
    assert values["t2_required_recall_answered"] == (1.0, 1)
    assert values["t2_contradiction_rate"] == (0.5, 1)
    assert values["judge_fail_rate"] == (0.0, 1)


def test_a_case_without_points_or_without_required_ones_is_no_failure() -> None:
    empty = score_one("text", Points((), (), (), ()), None)
    optional = Points((), ("C.",), (), ("other",))
    failed = score_one("text", optional, None)
    assert (empty.status, failed.status) == ("empty", "failed")
    right = score_one("text", optional, {"required": [], "optional": [1], "contradicted": []})
    values = aggregate([empty, failed, right])
    assert values["t2_optional_recall"] == (1.0, 1)
    assert values["t2_required_recall"] == (None, 0)
    assert values["judge_fail_rate"] == (0.5, 2)


def test_differences_to_the_judge_free_values_are_over_cases_that_have_both() -> None:
    det = [{"det_required_recall@0.5": 0.5, "det_hierarchical_required_recall": 0.0}, {}]
    values = aggregate([judged(1, 1), judged(0, 0)], det)
    assert values["t2_judge_minus_det_required_recall"] == (0.5, 1)
    assert values["t2_judge_vs_det_required_recall_mae"] == (0.5, 1)
    assert values["t2_judge_minus_det_hierarchical_required_recall"] == (1.0, 1)
    assert "t2_judge_minus_det_required_recall" not in aggregate([judged(1, 1)])


def test_groups_count_cases_and_points() -> None:
    items = [judged(1, 0), judged(1, 1), score_one("text", POINTS, None), score_one(None, POINTS, None)]
    assert by_task_type(items, ["a", " ", "a", ""]) == {
        "a": {"n": 1, "required_recall": 0.5, "hierarchical_required_recall": pytest.approx(1 / 3)},
        "(blank)": {"n": 2, "required_recall": 0.5, "hierarchical_required_recall": 0.5},
    }
    assert by_category(items) == {
        "macro_pattern": {"n": 3, "required_recall": pytest.approx(2 / 3)},
        "cross_image_integration": {"n": 3, "required_recall": pytest.approx(1 / 3)},
    }


def test_rows_tell_verdicts_and_whether_they_are_there() -> None:
    assert judged(1, 0).as_dict()["required_verdicts"] == [1, 0]
    failed = score_one("text", POINTS, None).as_dict()
    assert (failed["judge_status"], failed["required_verdicts"], failed["optional_verdicts"]) == ("failed", None, None)


def test_names() -> None:
    assert set(case_values(judged(1, 1))) <= set(METRICS)
    assert set(PEER_NAMES.values()) <= set(METRICS)
