"""Errors of measured numbers, worked out by hand, and their laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrarebench_hf.score.errors_of_measurement import (
    mean_absolute_error,
    mean_relative_error,
    normalised_error,
    physical_diagonal_mm,
)

_LENGTH = st.integers(1, 4096).map(lambda value: value / 16)
_PAIR = st.lists(_LENGTH, min_size=2, max_size=2)


def test_errors_by_hand() -> None:
    assert mean_absolute_error([[12, 5], [math.nan, 1]], [[10, 8], [1, 1]]).tolist()[0] == 2.5
    assert math.isnan(mean_absolute_error([[math.nan, 1]], [[1, 1]])[0])
    assert mean_relative_error([[12, 6]], [[10, 8]]).tolist() == pytest.approx([(0.2 + 0.25) / 2])


def test_a_relative_error_divides_by_the_magnitude() -> None:
    assert mean_relative_error([[-5.0]], [[-10.0]]).tolist() == [0.5]
    assert mean_relative_error([[-5.0]], [[-10.0]], protocol=True)[0] == pytest.approx(-0.5)


def test_a_target_of_zero_has_no_relative_error() -> None:
    assert math.isnan(mean_relative_error([[12, 1]], [[10, 0]])[0])
    assert mean_relative_error([[3.0]], [[0.0]], protocol=True)[0] == pytest.approx(3e15)


@settings(deadline=None)
@given(p=_PAIR, t=_PAIR, exponent=st.integers(-8, 8))
def test_laws_of_errors(p: list[float], t: list[float], exponent: int) -> None:
    scale = 2.0**exponent
    scaled_p, scaled_t = [[scale * value for value in p]], [[scale * value for value in t]]
    assert mean_absolute_error([p], [t])[0] == mean_absolute_error([t], [p])[0]
    assert mean_absolute_error(scaled_p, scaled_t)[0] == scale * mean_absolute_error([p], [t])[0]
    assert mean_relative_error(scaled_p, scaled_t)[0] == mean_relative_error([p], [t])[0]
    assert (mean_absolute_error([p], [t])[0] == 0) == (p == t)


def test_an_error_as_a_share_of_the_diagonal() -> None:
    assert normalised_error([1.5, 1.5, math.nan, 1.5], [150, math.nan, 150, 0]).tolist()[0] == 0.01
    assert np.isnan(normalised_error([1.5, 1.5, math.nan, 1.5], [150, math.nan, 150, 0])[1:]).all()


def test_the_diagonal_takes_each_spacing_with_its_own_side() -> None:
    assert physical_diagonal_mm([[30, 20]], [[0.1, 0.2]]).tolist() == pytest.approx([5.0])
    assert physical_diagonal_mm([[30, 40]], [[1, 1]], [[2, 1]]).tolist() == pytest.approx([math.hypot(60, 40)])
    assert physical_diagonal_mm([[3, 4], [6, 8]], [[1, 1], [1, 1]], 2.0).tolist() == pytest.approx([10, 20])
