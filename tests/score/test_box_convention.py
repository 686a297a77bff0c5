"""Declared box conventions as fractions from the lower left."""

from __future__ import annotations

import math

import pytest

from mrarebench_hf.score.box_convention import BoxFormat, BoxOrigin, out_of_range, to_fractions
from mrarebench_hf.score.boxes import overlap

TARGET = [0.1, 0.2, 0.5, 0.6]


@pytest.mark.parametrize(
    ("box", "box_format", "origin"),
    [
        ([0.1, 0.2, 0.5, 0.6], "xyxy01", "lower-left"),
        ([100, 200, 500, 600], "xyxy1000", "lower-left"),
        ([64, 96, 320, 288], "xyxy_px", "lower-left"),
        ([0.1, 0.2, 0.4, 0.4], "xywh01", "lower-left"),
        ([0.1, 0.4, 0.5, 0.8], "xyxy01", "upper-left"),
        ([100, 400, 500, 800], "xyxy1000", "upper-left"),
        ([64, 192, 320, 384], "xyxy_px", "upper-left"),
        ([0.1, 0.4, 0.4, 0.4], "xywh01", "upper-left"),
    ],
)
def test_br27_every_convention_gives_the_same_box(box: list[float], box_format: BoxFormat, origin: BoxOrigin) -> None:
    found = to_fractions([box], box_format, origin, [[480, 640]])
    assert overlap(found, [TARGET]).iou[0] == pytest.approx(1.0)
    assert found[0] == pytest.approx(TARGET)  # corner by corner, or the MAE of a right answer is not 0
    assert not out_of_range(found)[0]


def test_br27_another_reading_scores_what_it_scores() -> None:
    assert overlap([[0.1, 0.2, 0.4, 0.4]], [TARGET]).iou[0] == pytest.approx(0.375)
    assert overlap([[0.2, 0.1, 0.6, 0.5]], [TARGET]).iou[0] == pytest.approx(0.3913, abs=5e-5)
    undeclared = to_fractions([[100, 200, 500, 600]], "xyxy01")
    assert (overlap(undeclared, [TARGET]).iou[0], bool(out_of_range(undeclared)[0])) == (0.0, True)


def test_the_input_is_not_changed() -> None:
    boxes = [[0.1, 0.2, 0.4, 0.4]]
    to_fractions(boxes, "xywh01", "upper-left")
    assert boxes == [[0.1, 0.2, 0.4, 0.4]]


def test_pixels_need_the_size_of_the_picture() -> None:
    with pytest.raises(ValueError, match="need the size of the picture"):
        to_fractions([[1, 2, 3, 4]], "xyxy_px")
    assert math.isnan(to_fractions([[1, 2, 3, 4]], "xyxy_px", size_px=[[math.nan, 5]])[0, 1])


def test_the_edge_of_the_picture_is_in_range_and_nan_is_no_place() -> None:
    boxes = [[0, 0, 1, 1], [-1e-9, 0, 1, 1], [0, 0, 1, 1 + 1e-9], [math.nan] * 4]
    assert out_of_range(boxes).tolist() == [False, True, True, False]
