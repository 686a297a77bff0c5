"""The floor of random boxes: seeded, inside the picture, and what geometry says it is."""

from __future__ import annotations

import numpy as np
import pytest

from mrarebench_hf.score.random_boxes import random_boxes, score_random_boxes


def test_boxes_lie_inside_the_picture() -> None:
    boxes = random_boxes(10_000, np.random.default_rng(0))
    assert boxes.shape == (10_000, 4)
    assert (boxes >= 0).all()
    assert (boxes <= 1).all()
    assert (boxes[:, 2:] >= boxes[:, :2]).all()
    sides = boxes[:, 2:] - boxes[:, :2]
    assert sides.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.02)


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    targets = [[0.1, 0.2, 0.5, 0.6], [0.3, 0.3, 0.4, 0.9]]
    first, again, other = (score_random_boxes(targets, seed)[0].iou.tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_the_whole_picture_is_covered_by_the_mean_area_of_a_box() -> None:
    found, mae = score_random_boxes([[0, 0, 1, 1]], seed=5, draws=20_000)
    assert found.recall[0] == pytest.approx(0.25, abs=0.005)  # the mean of a product of two uniform sides
    assert found.precision[0] == pytest.approx(1.0)
    assert mae[0] == pytest.approx(0.25, abs=0.005)  # each edge is a quarter of the picture away on average


def test_no_targets_give_no_values() -> None:
    found, mae = score_random_boxes(np.empty((0, 4)), seed=0)
    assert found.iou.shape == mae.shape == (0,)
