"""Headers of real NIfTI files."""

from __future__ import annotations

import sys
from pathlib import Path

import nibabel
import numpy as np
import pytest

from mrarebench_hf.errors import DataFormatError, DataNotFoundError, MissingDependencyError
from mrarebench_hf.source.volume_header import read_header


def _volume(path: Path, shape: tuple[int, ...], zooms: tuple[float, ...]) -> Path:
    volume = nibabel.Nifti1Image(np.zeros(shape, np.uint8), np.eye(4))
    volume.header.set_zooms(zooms)
    nibabel.save(volume, path)
    return path


def test_a_slice_has_the_sides_and_spacings_that_are_not_its_axis(tmp_path: Path) -> None:
    header = read_header(_volume(tmp_path / "a.nii.gz", (40, 64, 10), (0.5, 0.75, 3.0)))
    assert [header.in_plane_size(axis) for axis in range(3)] == [(64, 10), (40, 10), (40, 64)]
    assert [header.in_plane_spacing_mm(axis) for axis in range(3)] == [(0.75, 3.0), (0.5, 3.0), (0.5, 0.75)]


def test_a_series_of_volumes_has_the_header_of_its_volumes(tmp_path: Path) -> None:
    header = read_header(_volume(tmp_path / "a.nii", (4, 5, 6, 2), (1.0, 2.0, 3.0, 1.5)))
    assert (header.shape, header.zooms_mm) == ((4, 5, 6), (1.0, 2.0, 3.0))


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"no volume .*--data-root"):
        read_header(tmp_path / "a.nii.gz")
    (tmp_path / "text.nii.gz").write_text("no volume")
    whole = _volume(tmp_path / "whole.nii.gz", (4, 5, 6), (1, 1, 1)).read_bytes()
    (tmp_path / "cut.nii.gz").write_bytes(whole[:40])
    for name in ("text.nii.gz", "cut.nii.gz"):
        with pytest.raises(DataFormatError, match=f"{name} is no readable NIfTI volume"):
            read_header(tmp_path / name)
    with pytest.raises(DataFormatError, match="2 dimensions, a volume has 3"):
        read_header(_volume(tmp_path / "flat.nii", (4, 5), (1, 1)))


@pytest.mark.parametrize(
    ("offset", "damage"),
    [
        (70, b"\xff\x7f"),  # a type of data that does not exist
        (40, b"\x09\x00"),  # nine dimensions
        (80, b"\x00\x00\xc0\x7f"),  # a spacing of NaN
        (80, b"\x00\x00\x80\x7f"),  # an endless one
    ],
)
def test_a_damaged_header_is_named(tmp_path: Path, offset: int, damage: bytes) -> None:
    whole = bytearray(_volume(tmp_path / "a.nii", (4, 5, 6), (1, 1, 1)).read_bytes())
    whole[offset : offset + len(damage)] = damage
    (tmp_path / "damaged.nii").write_bytes(whole)
    with pytest.raises(DataFormatError, match=r"damaged\.nii "):
        read_header(tmp_path / "damaged.nii")


def test_a_damaged_gzip_is_named(tmp_path: Path) -> None:
    whole = bytearray(_volume(tmp_path / "a.nii.gz", (4, 5, 6), (1, 1, 1)).read_bytes())
    whole[12:40] = b"\xff" * 28
    (tmp_path / "damaged.nii.gz").write_bytes(whole)
    with pytest.raises(DataFormatError, match=r"damaged\.nii\.gz "):
        read_header(tmp_path / "damaged.nii.gz")


def test_without_nibabel_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _volume(tmp_path / "a.nii", (4, 5, 6), (1, 1, 1))
    monkeypatch.setitem(sys.modules, "nibabel", None)
    with pytest.raises(MissingDependencyError, match="medvision"):
        read_header(path)
