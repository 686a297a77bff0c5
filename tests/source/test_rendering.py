"""Windows of CT, resizing and grey values, against hand-worked numbers."""

from __future__ import annotations

import logging
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage
from slice_volumes import sample

from mrarebench_hf.errors import MissingDependencyError, UsageError
from mrarebench_hf.source.label_groups import label_groups
from mrarebench_hf.source.rendering import RENDERING_VERSION, Window, resized, to_grey, window_of

SOFT, LUNG, BRAIN, BONE = Window(400, 40), Window(1500, -600), Window(80, 40), Window(1800, 400)
OF_GROUP = {
    "Lung": LUNG,
    "Lung Tumor/Lesion": LUNG,
    "Brain": BRAIN,
    "Brain Tumor/Lesion": BRAIN,
    "Hip": BONE,
    "Rib": BONE,
    "Spine": BONE,
    "Knee Bone": BONE,
    "Jawbone": BONE,
    "Tooth": BONE,
    "Calculus": BONE,
    "Others": None,
}


def test_every_published_label_has_the_window_of_its_group() -> None:
    groups = label_groups().coarse
    assert set(OF_GROUP) <= set(groups.values())
    for label, group in groups.items():
        assert window_of(sample(label_name=label)) == OF_GROUP.get(group, SOFT), label


@pytest.mark.parametrize(
    ("label", "window"),
    [
        ("kidney tumor", SOFT),
        ("left lung", LUNG),
        ("lung nodule", LUNG),
        ("skull", BRAIN),
        ("stroke infarct", BRAIN),
        ("vertebra L1", BONE),
        ("kidney stone", BONE),
        ("femoral cartilage", SOFT),
        ("total tumor burden", SOFT),
        ("implant", None),
    ],
)
def test_windows_of_some_labels(label: str, window: Window | None) -> None:
    assert window_of(sample(label_name=label)) == window


@pytest.mark.parametrize("task_type", ["Box-Size", "Tumor-Lesion-Size", "Biometrics-From-Landmarks"])
def test_one_task_is_shown_without_a_window(task_type: str) -> None:
    assert window_of(sample(dataset="KiPA22", task_type=task_type, label_name="kidney tumor")) is None
    assert window_of(sample(dataset="KiPA22", task_type=task_type, task_id="02", label_name="kidney tumor")) == SOFT


def test_only_ct_of_a_structure_has_a_window(caplog: pytest.LogCaptureFixture) -> None:
    assert window_of(sample(modality="ct", label_name="kidney")) == SOFT
    for modality in ("MRI", "PET", "X Ray", "ultrasound", ""):
        assert window_of(sample(modality=modality, label_name="kidney")) is None
    assert window_of(sample(label=None, label_name="")) is None
    assert not caplog.records


def test_an_unknown_label_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    for dataset in ("ToyOne", "ToyTwo", "ToyOne"):
        assert window_of(sample(dataset=dataset, label_name="third kidney")) is None
    assert [record.getMessage().partition(";")[0] for record in caplog.records] == [
        f"label 'third kidney' of {dataset} is in no published group" for dataset in ("ToyOne", "ToyTwo")
    ]


@pytest.mark.parametrize("window", [SOFT, LUNG, BRAIN, BONE])
def test_a_window_goes_from_black_to_white(window: Window) -> None:
    low, high = window.level - window.width / 2, window.level + window.width / 2
    values = np.array([[-3000, low - 1, low, window.level, high, high + 1, 4000]])
    assert to_grey(values, window).tolist() == [[0, 0, 0, 127, 255, 255, 255]]


def test_grey_values_are_cut_off_not_rounded() -> None:
    # (40 - 0) / 80 * 255 = 127.5; (79 - 0) / 80 * 255 = 251.8125.
    assert to_grey(np.array([[40, 79]], np.int16), BRAIN).tolist() == [[127, 251]]


def test_a_flat_slice() -> None:
    flat = np.full((3, 4), 40, np.int16)
    assert not to_grey(flat, None).any()
    assert (to_grey(flat, SOFT) == 127).all()
    # So few bright pixels that both percentiles lie on the ground.
    flat = np.zeros((40, 50), np.uint8)
    flat[3, 4] = 200
    assert not to_grey(flat, None).any()


def test_without_a_window_the_extreme_half_percents_are_clipped() -> None:
    # Of 0 to 1000 the percentiles are 5 and 995; (500 - 5) / 990 * 255 = 127.5.
    values = np.arange(1001).reshape(7, 143)
    grey = to_grey(values, None).ravel()
    assert grey[[0, 5, 500, 995, 1000]].tolist() == [0, 0, 127, 255, 255]
    assert grey[8:10].tolist() == [0, 1]


@pytest.mark.parametrize("window", [None, SOFT])
def test_values_that_are_not_finite_take_the_nearest_end(window: Window | None) -> None:
    odd = np.array([[np.nan, np.inf, -np.inf, 0.0, 100.0, 1e300, -1e300]])
    same = np.array([[0.0, 100.0, 0.0, 0.0, 100.0, 100.0, 0.0]])
    assert to_grey(odd, window).tolist() == to_grey(same, window).tolist()
    assert resized(odd, (1, 13)).tolist() == resized(same, (1, 13)).tolist()
    assert not to_grey(np.full((2, 2), np.nan), None).any()


def test_what_is_given_is_not_changed() -> None:
    values = np.array([[np.nan, -3000.0, 4000.0]])
    to_grey(values, SOFT)
    resized(values, (2, 2))
    assert values[0, 1:].tolist() == [-3000.0, 4000.0]


@given(st.tuples(*[st.integers(1, 40)] * 2), st.tuples(*[st.integers(1, 60)] * 2))
def test_a_slice_gets_exactly_the_size(old: tuple[int, int], new: tuple[int, int]) -> None:
    values = np.arange(old[0] * old[1], dtype=np.float32).reshape(old)
    found = resized(values, new)
    assert (found.shape, found.dtype) == (new, np.float64)
    factors = [side / before for side, before in zip(new, old, strict=True)]
    order = 1 if values.size > 2 else 0
    assert np.array_equal(found, ndimage.zoom(values, factors, order=order))


@pytest.mark.parametrize("side", [336, 512, 560, 896])
def test_sizes_that_tasks_ask_for(side: int) -> None:
    for shape in ((29, 512), (255, 333), (511, 513), (197, 233)):
        assert resized(np.zeros(shape), (side, side)).shape == (side, side)


def test_interpolation_is_linear_between_corner_centres() -> None:
    assert resized(np.array([[0, 10], [20, 31]]), (3, 3)).tolist() == [[0, 5, 10], [10, 15.25, 20.5], [20, 25.5, 31]]


@pytest.mark.parametrize("values", [(0, 1), (-1000, 37)])
def test_two_values_stay_two(values: tuple[int, int]) -> None:
    mask = np.random.default_rng(0).choice(values, (20, 31))
    found = resized(mask, (47, 53))
    assert set(found.ravel()) == set(map(float, values))
    three = mask.copy()
    three[0, 0] = 900
    assert len(np.unique(resized(three, (47, 53)))) > 3


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (-3, 5)])
def test_sizes_that_no_picture_has(size: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="cannot be resized to"):
        resized(np.zeros((4, 4)), size)


def test_without_scipy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingDependencyError, match="medvision"):
        resized(np.zeros((2, 2)), (3, 3))


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.float32, np.float64, ">i2"])
def test_types_make_no_difference(dtype: Any) -> None:
    values = np.arange(200).reshape(10, 20)
    for window in (None, SOFT):
        assert np.array_equal(to_grey(values.astype(dtype), window), to_grey(values, window))


def test_pictures_stay_what_they_are_as_long_as_the_version_does() -> None:
    values = np.arange(12).reshape(3, 4) ** 3
    assert RENDERING_VERSION == "1"
    # Resized to 0, 4.5, 27 and 512, 864.5, 1331; the percentiles are 0.1125 and 1319.3375.
    assert to_grey(resized(values, (2, 3)), None).tolist() == [[0, 0, 5], [98, 167, 255]]
