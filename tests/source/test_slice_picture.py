"""The picture of a sample's slice: which way round it is, its spacing, and the same bytes every time."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from slice_volumes import SHAPE, VOLUME, ZOOMS, sample, save

from mrarebench_hf.errors import DataFormatError
from mrarebench_hf.measured import Geometry
from mrarebench_hf.source.slice_picture import SlicePicture, _resized, slice_picture
from mrarebench_hf.source.volume import Volumes

# A voxel near the right, front and lower corner, brighter than the rest: no turn or flip leaves it in place.
MARKER = (9, 17, 3)
ORIENTATIONS = ("RAS", "LAS", "LPS", "PIR", "SLA")
PLANES = ("Sagittal", "Coronal", "Axial")


def _marked() -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    values = np.full(SHAPE, -160, np.int16)
    values[MARKER] = 240
    return values


@pytest.mark.parametrize("codes", ORIENTATIONS)
@pytest.mark.parametrize(
    ("axis", "place", "spacing"),
    [(0, (17, 3), (2.0, 3.0)), (1, (9, 3), (0.5, 3.0)), (2, (9, 17), (0.5, 2.0))],
)
def test_a_marker_is_where_the_indices_say(
    tmp_path: Path, codes: str, axis: int, place: tuple[int, int], spacing: tuple[float, float]
) -> None:
    save(tmp_path, _marked(), codes)
    found = slice_picture(Volumes(tmp_path), sample(plane=PLANES[axis], slice_dim=axis, slice_idx=MARKER[axis]))
    rows, columns = (side for number, side in enumerate(SHAPE) if number != axis)
    assert found.geometry == Geometry((rows, columns), spacing)
    assert found.grey.shape == (rows, columns)
    assert np.argwhere(found.grey).tolist() == [list(place)]
    image = found.image()
    # Pillow counts across first, then downwards.
    assert (image.mode, image.size) == ("RGB", (columns, rows))
    assert image.getpixel(place[::-1]) == (255, 255, 255)
    assert image.getpixel((0, 0)) == (0, 0, 0)


def test_how_a_volume_is_stored_does_not_show(tmp_path: Path) -> None:
    values = np.random.default_rng(0).integers(-1000, 1000, SHAPE).astype(np.int16)
    pictures = []
    for codes in ORIENTATIONS:
        for suffix in ("nii", "nii.gz"):
            save(tmp_path, values, codes, f"{codes}.{suffix}")
            shown = sample(image_file=f"{codes}.{suffix}")
            pictures.append(slice_picture(Volumes(tmp_path), shown, (31, 17)).pgm())
    assert len(set(pictures)) == 1


def test_resizing_keeps_the_extent(tmp_path: Path) -> None:
    save(tmp_path, _marked())
    found = slice_picture(Volumes(tmp_path), sample(slice_idx=MARKER[2]), (36, 30))
    assert found.grey.shape == found.geometry.size_px == (36, 30)
    assert found.geometry.spacing_mm == pytest.approx((0.5 / 3, 2.0 / 1.5))
    # Two values stay two, and the marker stays right of and below the middle.
    assert set(found.grey.ravel()) == {0, 255}
    assert (np.argwhere(found.grey).mean(axis=0) > (18, 15)).all()


_SIZES = st.tuples(*[st.integers(1, 2000)] * 2)


@given(_SIZES, _SIZES, st.tuples(*[st.floats(0.01, 10)] * 2))
def test_extent_is_kept_at_any_size(old: tuple[int, int], new: tuple[int, int], spacing: tuple[float, float]) -> None:
    before = Geometry(old, spacing)
    after = _resized(before, new)
    assert after.size_px == new
    assert after.diagonal_mm == pytest.approx(before.diagonal_mm)
    extents = [[n * mm for n, mm in zip(g.size_px, g.spacing_mm, strict=True)] for g in (before, after)]
    assert extents[0] == pytest.approx(extents[1])


def test_a_resize_to_the_same_size_changes_nothing(tmp_path: Path) -> None:
    save(tmp_path, _marked())
    volumes, shown = Volumes(tmp_path), sample(slice_idx=3)
    plain, same = slice_picture(volumes, shown), slice_picture(volumes, shown, (SHAPE[0], SHAPE[1]))
    assert plain.pgm() == same.pgm()
    assert plain.geometry == same.geometry


def test_the_window_is_that_of_the_structure(tmp_path: Path) -> None:
    values = np.full(SHAPE, 40, np.int16)
    values[:, :10] = -600
    save(tmp_path, values)
    volumes = Volumes(tmp_path)
    found = {
        label: set(slice_picture(volumes, sample(label_name=label)).grey.ravel().tolist())
        for label in ("kidney", "left lung", "brain")
    }
    # Lung: black is -1350; (40 + 1350) / 1500 * 255 = 236.3.
    assert found == {"kidney": {0, 127}, "left lung": {127, 236}, "brain": {0, 127}}
    assert set(slice_picture(volumes, sample(modality="MRI")).grey.ravel().tolist()) == {0, 255}


def test_pgm_is_what_pillow_reads(tmp_path: Path) -> None:
    values = np.random.default_rng(0).integers(0, 300, SHAPE).astype(np.uint16)
    save(tmp_path, values)
    found = slice_picture(Volumes(tmp_path), sample())
    data = found.pgm()
    assert data.startswith(b"P5\n20 12\n255\n")
    with Image.open(io.BytesIO(data)) as image:
        assert (image.format, image.mode) == ("PPM", "L")
        assert np.array_equal(np.asarray(image), found.grey)
        assert image.convert("RGB").tobytes() == found.image().tobytes()


def test_pgm_does_not_depend_on_the_layout_in_memory() -> None:
    grey = np.arange(12, dtype=np.uint8).reshape(3, 4)
    geometry = Geometry((3, 4), (1.0, 1.0))
    assert SlicePicture(np.asfortranarray(grey), geometry).pgm() == SlicePicture(grey, geometry).pgm()


@pytest.mark.parametrize("size", [(20, 12, 16), (12, 20, 17)])
def test_a_volume_of_another_size_than_the_plan_says(tmp_path: Path, size: tuple[int, int, int]) -> None:
    save(tmp_path, _marked())
    with pytest.raises(DataFormatError, match=r"a\.nii\.gz has 12 x 20 x 16 voxels .* 1\.4\.0 says \d+ x \d+ x 1"):
        slice_picture(Volumes(tmp_path), sample(array_size=size))


@pytest.mark.parametrize(("axis", "place"), [(2, 16), (2, -1), (3, 0)])
def test_a_slice_that_is_not_there(tmp_path: Path, axis: int, place: int) -> None:
    save(tmp_path, _marked())
    with pytest.raises(DataFormatError, match=r"a\.nii\.gz has no (slice|axis)"):
        slice_picture(Volumes(tmp_path), sample(slice_dim=axis, slice_idx=place))


def test_sizes_agree_in_ras_order(tmp_path: Path) -> None:
    path = save(tmp_path, _marked(), "SLA")
    assert path == tmp_path / VOLUME
    volumes = Volumes(tmp_path)
    assert volumes.info(VOLUME).zooms_mm == ZOOMS
    assert slice_picture(volumes, sample(array_size=SHAPE)).grey.shape == (12, 20)
