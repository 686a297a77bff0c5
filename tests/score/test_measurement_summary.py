"""Aggregates of measured samples by both profiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrarebench_hf.families import FAMILIES, Family, get
from mrarebench_hf.score.measured_answers import (
    Answer,
    check_convention,
    fitting_target,
    read_answer,
    score_answers,
    summary_columns,
)
from mrarebench_hf.score.measurement_summary import Columns, aggregate, counts, metrics, near_zero, select

AD, TL, BOX = get("AD"), get("TL"), get("Detection")
_FLOATS = ("mae", "mre", "nmae", "iou", "f1", "precision", "recall")


def _columns(n: int, **given: Any) -> Columns:
    """Samples that are scored and have only the given metrics."""
    found: dict[str, Any] = {name: np.full(n, np.nan) for name in _FLOATS}
    found |= {name: np.zeros(n, np.bool_) for name in ("missing", "near_zero", "flagged", "no_diagonal")}
    found |= {"scored": np.ones(n, np.bool_)}
    return Columns(**found | {name: np.asarray(values) for name, values in given.items()})


def _answered(family: Family, texts: list[str | None], targets: list[tuple[float, ...]]) -> Columns:
    answers = [read_answer(text, family) for text in texts]
    scores, flagged = score_answers(family, "spec", answers, targets, np.full(len(texts), 100.0))
    return summary_columns(family, answers, targets, scores, flagged, np.zeros(len(texts), np.bool_))


def _values(columns: Columns, family: Family, profile: Any = "spec") -> dict[str, float | None]:
    return {name: value for name, (value, _) in aggregate(family, profile, columns).items()}


def test_br30_overlaps_and_shares_are_over_all_samples() -> None:
    columns = _columns(4, iou=[1.0, 1.0, 0.5, 0.0], scored=[True, True, True, False])
    found = _values(columns, BOX)
    assert (found["IoU"], found["SuccessRate"], found["IoU>0.5"], found["MAE"]) == (0.625, 0.75, 0.5, None)


def test_br30_errors_are_over_parsed_answers_and_their_shares_over_all() -> None:
    texts = ["<answer>11, 9</answer>", "<answer>12, 10</answer>", "<answer>13, 11</answer>", "cannot tell"]
    found = _values(_answered(TL, [*texts], [(10.0, 8.0)] * 4), TL)
    assert found["MAE"] == pytest.approx(2.0)
    assert found["nMAE"] == pytest.approx(0.02)
    assert (found["MRE<0.2"], found["MRE<0.3"], found["MRE<1.0"]) == (0.25, 0.5, 0.75)


def test_br30_targets_near_zero_are_left_out_and_counted() -> None:
    columns = _answered(AD, ["<answer>9</answer>", "<answer>44</answer>", None], [(0.05,), (40.0,), (-3.0,)])
    assert _values(columns, AD)["MAE"] == 4.0
    assert counts(columns)["n_total"] == 1
    assert counts(columns)["n_near_zero"] == 2
    assert near_zero(TL, [0.0, 1.0]).tolist() == [False, False]
    assert near_zero(AD, [0.1, 0.0999]).tolist() == [False, True]


def test_every_sample_is_scored_unparsed_or_missing() -> None:
    texts = ["<answer>[0.1, 0.2, 0.5, 1.5]</answer>", "none", None]
    found = counts(_answered(BOX, [*texts], [(0.1, 0.2, 0.5, 0.6)] * 3))
    assert found == {
        "n_total": 3,
        "n_scored": 1,
        "n_unparsed": 1,
        "n_missing": 1,
        "n_near_zero": 0,
        "n_out_of_range": 1,
        "n_no_diagonal": 0,
    }


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("profile", ["spec", "medvision_bm"])
def test_an_aggregate_of_nothing_is_none(family: Family, profile: Any) -> None:
    assert set(_values(_columns(0), family, profile).values()) == {None}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_table_names_what_an_aggregate_gives(family: Family) -> None:
    assert list(metrics(family)) == list(aggregate(family, "spec", _columns(1)))
    assert set(family.metrics) < set(metrics(family))


def test_the_order_of_samples_does_not_matter() -> None:
    draw = np.random.default_rng(0)
    columns = _columns(999, mae=draw.random(999) * 1e9, mre=draw.random(999), nmae=draw.random(999))
    assert _values(columns, TL) == _values(select(columns, draw.permutation(999)), TL)


def test_thresholds_are_strict() -> None:
    found = _values(_columns(2, iou=[0.5, 0.7]), BOX)
    assert (found["IoU>0.5"], found["IoU>0.7"]) == (0.5, 0.0)
    assert _values(_columns(2, mre=[0.1, 1.0]), TL)["MRE<0.1"] == 0.0


def test_the_other_package_counts_overlaps_from_the_threshold_on_and_clamps_errors() -> None:
    found = _values(_columns(2, iou=[0.5, 0.7], mae=[0.05, 7.0]), BOX, "medvision_bm")
    assert (found["IoU>0.5"], found["Acc@IoU>=0.50"], found["Acc@IoU>=0.55"]) == (1.0, 1.0, 0.5)
    assert found["Acc@IoU[0.50:0.95]"] == pytest.approx((1.0 + 4 * 0.5) / 10)
    assert (found["MAE<0.1"], found["MAE<0.9"], found["MAE<1.0"]) == (0.5, 0.5, 1.0)
    assert _values(_columns(2, mre=[5.0, np.inf]), TL, "medvision_bm")["MRE<1.0"] == 0.5


def test_the_other_package_indexes_a_negative_error_from_the_end() -> None:
    found = _values(_columns(1, mre=[-0.15]), TL, "medvision_bm")
    assert (found["MRE<0.9"], found["MRE<1.0"]) == (0.0, 1.0)


def test_a_stored_nmae_of_an_unparsed_answer_does_not_count() -> None:
    assert _values(_columns(2, nmae=[0.5, 0.1], scored=[False, True]), TL)["nMAE"] == 0.1


def test_a_target_of_another_length_is_refused_or_fails_the_answer() -> None:
    with pytest.raises(ValueError, match="has 1 numbers, Tumor and lesion size needs 2"):
        fitting_target((3.0,), TL, "spec")
    assert fitting_target((3.0,), TL, "medvision_bm") == (3.0, 3.0)
    assert fitting_target((1.0, 2.0, 3.0), TL, "medvision_bm") is None
    assert fitting_target((3.0,), BOX, "medvision_bm") is None
    scores, flagged = score_answers(TL, "medvision_bm", [Answer((1.0, 2.0), None, "1,2", False)], [None], [100.0])
    assert not scores.success[0]
    assert not flagged[0]


def test_a_box_convention_is_for_boxes_under_the_published_rules() -> None:
    check_convention(BOX, "spec", "xywh01", "upper-left")
    check_convention(TL, "medvision_bm", "xyxy01", "lower-left")
