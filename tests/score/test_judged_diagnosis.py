"""The judge on T1: dimensions by hand, cases without a list, failures left out, candidates counted per case."""

from __future__ import annotations

import pytest

from mrarebench_hf.score.judged_diagnosis import METRICS, RARE_METRICS, dimensions, rare

FULL = {"presence": 1, "top1": 1, "type_match": 3, "specificity": 1, "coherence": 1}
HALF = {"presence": 1, "top1": 0, "type_match": 0, "specificity": 1, "coherence": 0}


def test_means_by_hand() -> None:
    values, rows = dimensions([True, True], [FULL, HALF])
    assert values["judge_avg_score"] == (pytest.approx(0.7), 2)
    assert values["judge_dim_typematch"] == (1.5, 2)
    assert values["judge_dim_top1"] == (0.5, 2)
    assert rows[1]["judge_avg_score"] == pytest.approx(0.4)
    assert set(values) == set(METRICS)


def test_br35_a_failure_is_left_out_and_a_case_without_a_list_scores_nothing() -> None:
    values, rows = dimensions([True, True, False], [FULL, None, None])
    assert values["judge_avg_score"] == (0.5, 2)
    assert values["judge_fail_rate"] == (0.5, 2)
    assert rows[1] is None


def test_nothing_is_null() -> None:
    values, _ = dimensions([], [])
    assert {value for value, _ in values.values()} == {None}
    assert {value for value, _ in rare([], {}).values()} == {None}


def test_candidates_are_counted_out_of_ten_per_case() -> None:
    labels = {"a": "rare", "b": "generic", "c": "unknown", "d": "nonrare", "e": None}
    values = rare([["a", "b", "c", "d"], [], ["a", "e"]], labels)
    assert values["rare_candidate_count@10_mean"] == (0.5, 2)
    assert values["rare_candidate_ratio@10"] == (pytest.approx(0.05), 2)
    assert values["rare_candidate_generic_count@10_mean"] == (0.5, 2)
    assert values["rare_candidate_unknown_count@10_mean"] == (0.5, 2)
    assert values["rare_candidate_judge_fail_rate"] == (0.2, 5)
    assert set(values) == set(RARE_METRICS)
