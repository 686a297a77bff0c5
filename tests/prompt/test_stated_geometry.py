"""Size and spacing as a model sees a picture: stretched, padded, cropped."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.errors import DataFormatError, ModelError
from mrarebench_hf.measured import Geometry, View
from mrarebench_hf.prompt.stated_geometry import stated_geometry

PICTURE = Geometry((300, 500), (0.8, 0.3))
SIDES = st.integers(1, 4000)
SPACINGS = st.floats(0.01, 50)


def same(pair: tuple[float, float]) -> object:
    return pytest.approx(pair, rel=1e-12)


def test_an_untouched_picture_keeps_its_geometry_to_the_last_bit() -> None:
    assert stated_geometry(PICTURE, View((300, 500), (300, 500))) == PICTURE


def test_a_stretch_changes_each_axis_by_its_own_factor() -> None:
    stated = stated_geometry(PICTURE, View((896, 896), (896, 896)))
    assert stated.size_px == (896, 896)
    assert stated.spacing_mm == same((0.8 * 300 / 896, 0.3 * 500 / 896))
    assert stated.diagonal_mm == pytest.approx(PICTURE.diagonal_mm)


def test_padding_changes_the_size_and_not_the_spacing() -> None:
    # 300 × 500 padded to a square of 500, then brought to 336: the content is 201.6 × 336.
    stated = stated_geometry(PICTURE, View((336, 336), (201.6, 336)))
    assert stated.size_px == (336, 336)
    assert stated.spacing_mm == same((0.8 / 0.672, 0.3 / 0.672))


def test_a_crop_has_a_content_larger_than_the_canvas() -> None:
    stated = stated_geometry(PICTURE, View((224, 224), (300, 500)))
    assert stated == Geometry((224, 224), PICTURE.spacing_mm)


def test_the_canvas_is_in_whole_pixels() -> None:
    assert stated_geometry(PICTURE, View((335.6, 336.4), (300, 500))).size_px == (336, 336)


@given(st.tuples(SIDES, SIDES), st.tuples(SPACINGS, SPACINGS), st.tuples(SIDES, SIDES), st.tuples(SIDES, SIDES))
def test_content_times_spacing_is_the_extent_of_the_picture(
    size: tuple[int, int], spacing: tuple[float, float], canvas: tuple[int, int], content: tuple[int, int]
) -> None:
    stated = stated_geometry(Geometry(size, spacing), View(canvas, content))
    assert stated.size_px == canvas
    for axis in (0, 1):
        assert content[axis] * stated.spacing_mm[axis] == pytest.approx(size[axis] * spacing[axis], rel=1e-12)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_numbers_that_are_no_lengths_are_refused(bad: float) -> None:
    for view in (View((bad, 10), (10, 10)), View((10, 10), (10, bad))):
        with pytest.raises(ModelError, match="positive numbers; see the rule for this model"):
            stated_geometry(PICTURE, view)
    with pytest.raises(DataFormatError, match="see the header of its volume"):
        stated_geometry(Geometry((300, 500), (0.8, bad)), View((10, 10), (10, 10)))
    with pytest.raises(DataFormatError, match="see the header of its volume"):
        stated_geometry(Geometry((300, 0), (0.8, 0.3)), View((10, 10), (10, 10)))
