"""Overlap of boxes against exact rational arithmetic, and its laws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrarebench_hf.score.boxes import area, overlap, protocol_overlap, sorted_corners

_CORNER = st.integers(-64, 128).map(lambda value: value / 64)  # exact in binary, so that laws hold exactly
_BOX = st.lists(_CORNER, min_size=4, max_size=4)
_NAMES = ("iou", "f1", "precision", "recall")


def _exact(p: list[float], t: list[float]) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """The textbook definition in fractions, corner by corner."""
    (px0, px1), (py0, py1) = sorted(map(Fraction, p[0::2])), sorted(map(Fraction, p[1::2]))
    (tx0, tx1), (ty0, ty1) = sorted(map(Fraction, t[0::2])), sorted(map(Fraction, t[1::2]))
    width = max(Fraction(0), min(px1, tx1) - max(px0, tx0))
    height = max(Fraction(0), min(py1, ty1) - max(py0, ty0))
    shared, of_p, of_t = width * height, (px1 - px0) * (py1 - py0), (tx1 - tx0) * (ty1 - ty0)
    if not shared:
        return Fraction(0), Fraction(0), Fraction(0), Fraction(0)
    return shared / (of_p + of_t - shared), 2 * shared / (of_p + of_t), shared / of_p, shared / of_t


def _values(p: list[float], t: list[float]) -> list[float]:
    found = overlap([p], [t])
    return [float(getattr(found, name)[0]) for name in _NAMES]


@settings(deadline=None)
@given(p=_BOX, t=_BOX)
def test_every_value_is_that_of_exact_arithmetic(p: list[float], t: list[float]) -> None:
    assert _values(p, t) == pytest.approx([float(value) for value in _exact(p, t)], rel=1e-12, abs=0)


@settings(deadline=None)
@given(p=_BOX, t=_BOX)
def test_laws_of_overlap(p: list[float], t: list[float]) -> None:
    iou, f1, precision, recall = _values(p, t)
    assert all(0 <= value <= 1 for value in (iou, f1, precision, recall))
    assert _values(t, p) == [iou, f1, recall, precision]
    assert _values([p[2], p[1], p[0], p[3]], [t[0], t[3], t[2], t[1]]) == [iou, f1, precision, recall]
    assert _values([8 * c for c in p], [8 * c for c in t]) == [iou, f1, precision, recall]
    moved = _values([c + 2 for c in p], [c + 2 for c in t])
    assert moved == pytest.approx([iou, f1, precision, recall], abs=1e-12)
    assert f1 == pytest.approx(2 * iou / (1 + iou))
    if iou:
        assert f1 == pytest.approx(2 * precision * recall / (precision + recall))


@settings(deadline=None)
@given(p=_BOX)
def test_a_box_covers_itself_unless_it_has_no_area(p: list[float]) -> None:
    has_area = p[0] != p[2] and p[1] != p[3]
    assert _values(p, p) == [float(has_area)] * 4


def test_many_boxes_are_scored_as_each_alone() -> None:
    draw = np.random.default_rng(3)
    p, t = draw.random((500, 4)), draw.random((500, 4))
    together = overlap(p, t)
    for row in range(500):
        alone = _values(p[row].tolist(), t[row].tolist())
        assert [float(getattr(together, name)[row]) for name in _NAMES] == alone


def test_no_boxes_give_no_values() -> None:
    empty = np.empty((0, 4))
    assert overlap(empty, empty).iou.shape == (0,)
    assert protocol_overlap(empty, empty).precision.shape == (0,)


def test_huge_boxes_raise_no_warning_and_stay_in_range() -> None:
    found = _values([0, 0, 1e200, 1e200], [0, 0, 1, 1])
    assert all(0 <= value <= 1 for value in found)


def test_corners_are_sorted_by_axis_and_the_type_is_kept() -> None:
    boxes = np.array([[0.5, 0.2, 0.1, 0.6]], np.float32)
    assert sorted_corners(boxes).tolist() == np.array([[0.1, 0.2, 0.5, 0.6]], np.float32).tolist()
    assert sorted_corners(boxes).dtype == np.float32
    assert area(np.array([[0.5, 0.25, 0.0, 1.0], [1, 1, 1, 5]])).tolist() == [0.375, 0.0]


def test_the_other_package_holds_predictions_in_float32() -> None:
    found = protocol_overlap([[0.1, 0.1, 0.5, 0.5]], [[0.1, 0.1, 0.5, 0.5]])
    side = float(np.float32(0.5)) - float(np.float32(0.1))
    assert found.iou[0] == pytest.approx(side**2 / 0.16, rel=1e-12)
    assert found.iou[0] < 1
    assert found.precision[0] == 1.0


def test_an_area_that_underflows_has_no_precision_in_the_other_package() -> None:
    found = protocol_overlap([[0, 0, 1e-30, 1e-30]], [[0, 0, 1, 1]])
    assert np.isnan(found.precision[0])
    assert overlap([[0, 0, 1e-30, 1e-30]], [[0, 0, 1, 1]]).precision[0] == 1.0
