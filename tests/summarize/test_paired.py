"""Paired differences against scipy and hand-worked cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mrarebench_hf.summarize.contrasts import contrasts
from mrarebench_hf.summarize.paired import difference, mcnemar_p


@given(gained=st.integers(0, 60), lost=st.integers(0, 60))
def test_mcnemar_is_the_exact_binomial_test(gained: int, lost: int) -> None:
    n = gained + lost
    expected = stats.binomtest(gained, n, 0.5).pvalue if n else 1.0
    assert mcnemar_p(gained, lost) == pytest.approx(expected, rel=1e-9)
    assert mcnemar_p(gained, lost) == mcnemar_p(lost, gained)


def test_interval_agrees_with_scipys_percentile_bootstrap() -> None:
    generator = np.random.default_rng(1)
    a, b = generator.random(80), generator.random(80) * 0.8
    found = difference(a, b, hits=False)
    scipys = stats.bootstrap((a - b,), np.mean, n_resamples=20_000, method="percentile", rng=2).confidence_interval
    assert found.value == pytest.approx((a - b).mean())
    assert found.low == pytest.approx(scipys.low, abs=0.01)
    assert found.high == pytest.approx(scipys.high, abs=0.01)
    assert found.p_mcnemar is None


def test_the_same_seed_gives_the_same_interval() -> None:
    a, b = np.array([1.0, 0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0, 0.0])
    assert difference(a, b, hits=True, seed=3) == difference(a, b, hits=True, seed=3)
    assert difference(a, b, hits=True).p_mcnemar == 0.5  # two gained, none lost: 2 * (1/2)^2


def test_a_difference_over_nothing_is_undefined() -> None:
    found = difference(np.array([]), np.array([]), hits=True)
    assert (found.value, found.low, found.high, found.n, found.p_mcnemar) == (None, None, None, 0, None)


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"equally many, got \(2,\) and \(1,\)"):
        difference(np.zeros(2), np.zeros(1), hits=True)


def test_contrasts_pair_by_case_and_say_what_was_left_out() -> None:
    limited = {
        "a": {"recall@1": 0.0, "MRR": 0.5},
        "b": {"recall@1": 1.0, "MRR": 1.0},
        "x": {"recall@1": 1.0, "MRR": 1.0},
    }
    full = {"b": {"recall@1": 1.0, "MRR": 1.0}, "a": {"recall@1": 1.0, "MRR": 1.0}, "y": {"recall@1": 0.0, "MRR": 0.0}}
    found = contrasts({"Diagnosis": limited, "Diagnosis_FD": full})
    assert list(found) == ["delta_sub"]
    one = found["delta_sub"]
    assert (one["n_shared"], one["n_only_minuend"], one["n_only_subtrahend"]) == (2, 1, 1)
    assert one["metrics"]["recall@1"]["value"] == 0.5
    assert one["metrics"]["MRR"]["value"] == 0.25


def test_a_contrast_is_the_other_way_round_negative() -> None:
    low, high = {"a": {"MRR": 0.25}}, {"a": {"MRR": 1.0}}
    up = contrasts({"Diagnosis": high, "Diagnosis_TO": low})["delta_vis"]["metrics"]["MRR"]["value"]
    down = contrasts({"Diagnosis": low, "Diagnosis_TO": high})["delta_vis"]["metrics"]["MRR"]["value"]
    assert up == -down == 0.75


def test_values_that_one_side_lacks_are_not_paired() -> None:
    minuend, subtrahend = {"a": {"MR": None}, "b": {"MR": 2.0}}, {"a": {"MR": 1.0}, "b": {"MR": 4.0}}
    metric = contrasts({"Diagnosis": minuend, "Diagnosis_TO": subtrahend})["delta_vis"]["metrics"]["MR"]
    assert (metric["value"], metric["n"]) == (-2.0, 1)
