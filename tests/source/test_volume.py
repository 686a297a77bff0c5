"""Volumes: slices of real NIfTI files in RAS+ orientation, and what is said of files that cannot be used."""

from __future__ import annotations

import contextlib
import gzip
import sys
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slice_volumes import SHAPE, VOLUME, ZOOMS, save

from mrarebench_hf.errors import DataError, DataFormatError, DataNotFoundError, MissingDependencyError
from mrarebench_hf.measured import Geometry
from mrarebench_hf.source.volume import VolumeInfo, Volumes, _turned


def _values(dtype: Any = np.int16) -> np.ndarray[Any, Any]:
    return np.arange(np.prod(SHAPE)).reshape(SHAPE).astype(dtype)


@pytest.mark.parametrize("codes", ["RAS", "LAS", "LPI", "PIR", "SAL", "ASR"])
def test_slices_are_those_of_the_ras_volume_however_it_is_stored(tmp_path: Path, codes: str) -> None:
    values = _values()
    save(tmp_path, values, codes)
    volumes = Volumes(tmp_path)
    assert volumes.info(VOLUME) == VolumeInfo(SHAPE, ZOOMS, codes)
    for axis in range(3):
        for place in range(SHAPE[axis]):
            found = volumes.cut(VOLUME, axis, place)
            assert np.array_equal(found, values.take(place, axis))
            assert found.dtype == np.int16


def test_an_oblique_volume_counts_by_its_nearest_axes(tmp_path: Path) -> None:
    turn = np.deg2rad(20)
    affine = np.eye(4)
    affine[:2, :2] = [[-np.cos(turn), np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    nibabel.save(nibabel.Nifti1Image(_values(), affine), tmp_path / "a.nii")
    volumes = Volumes(tmp_path)
    assert volumes.info("a.nii").orientation == "LAS"
    assert np.array_equal(volumes.cut("a.nii", 2, 1), _values()[::-1, :, 1])


def test_a_real_volume_is_cut_as_nibabel_turns_it() -> None:
    folder = Path(nibabel.__file__).parent / "tests/data"
    if not (folder / "anatomical.nii").is_file():
        pytest.skip("nibabel comes without its test data here")
    turned: Any = nibabel.as_closest_canonical(nibabel.load(folder / "anatomical.nii"))
    volumes = Volumes(folder)
    assert volumes.info("anatomical.nii") == VolumeInfo((33, 41, 25), (2.0, 2.0, 2.0), "LAS")
    for axis in range(3):
        expected = turned.get_fdata().take(7, axis)
        assert np.array_equal(volumes.cut("anatomical.nii", axis, 7), expected)


def test_rows_and_columns_are_the_axes_that_are_left() -> None:
    info = VolumeInfo(SHAPE, ZOOMS, "RAS")
    assert [info.geometry(axis) for axis in range(3)] == [
        Geometry((20, 16), (2.0, 3.0)),
        Geometry((12, 16), (0.5, 3.0)),
        Geometry((12, 20), (0.5, 2.0)),
    ]


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz"])
@pytest.mark.parametrize("dtype", ["u1", "i2", "u2", "i4", "f4", "f8"])
def test_stored_types_stay(tmp_path: Path, name: str, dtype: str) -> None:
    save(tmp_path, _values(dtype), name=name)
    found = Volumes(tmp_path).cut(name, 1, 3)
    assert found.dtype == np.dtype(dtype)
    assert np.array_equal(found, _values(dtype)[:, 3])


def test_a_big_endian_file(tmp_path: Path) -> None:
    header = nibabel.Nifti1Header(endianness=">")
    header.set_data_dtype(np.int16)
    nibabel.save(nibabel.Nifti1Image(_values(), np.eye(4), header), tmp_path / "a.nii")
    assert Volumes(tmp_path).cut("a.nii", 0, 2).tolist() == _values()[2].tolist()


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz"])
def test_slope_and_intercept_give_the_values(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    image = nibabel.Nifti1Image(_values(), np.eye(4))
    image.header.set_slope_inter(0.5, -1000)
    nibabel.save(image, path)
    found = Volumes(tmp_path).cut(name, 2, 4)
    assert found.dtype == np.float64
    assert np.array_equal(found, nibabel.load(path).get_fdata()[:, :, 4])
    assert np.array_equal(found, _values()[:, :, 4] * 0.5 - 1000)


def test_a_series_of_one_volume_is_a_volume(tmp_path: Path) -> None:
    nibabel.save(nibabel.Nifti1Image(_values()[..., None], np.eye(4)), tmp_path / "a.nii.gz")
    volumes = Volumes(tmp_path)
    assert volumes.info("a.nii.gz").shape == SHAPE
    assert np.array_equal(volumes.cut("a.nii.gz", 0, 1), _values()[1])


def test_slices_are_the_callers_own(tmp_path: Path) -> None:
    for name in ("a.nii", "a.nii.gz"):
        save(tmp_path, _values(), name=name)
        volumes = Volumes(tmp_path)
        found = volumes.cut(name, 2, 0)
        found[:] = -1
        assert np.array_equal(volumes.cut(name, 2, 0), _values()[:, :, 0])
        assert found.base is None


def test_the_last_volume_is_decoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real: Callable[..., Any] = gzip.open

    def counting(path: Path, mode: str) -> Any:
        opened.append(path.name)
        return real(path, mode)

    save(tmp_path, _values(), name="a.nii.gz")
    save(tmp_path, _values() + 1, "LAS", name="b.nii.gz")
    volumes = Volumes(tmp_path)
    volumes.info("a.nii.gz")
    volumes.info("b.nii.gz")
    monkeypatch.setattr(gzip, "open", counting)
    for name in ("a", "a", "b", "b", "a"):
        volumes.info(f"{name}.nii.gz")
        for axis in range(3):
            volumes.cut(f"{name}.nii.gz", axis, 0)
    assert opened == ["a.nii.gz", "b.nii.gz", "a.nii.gz"]


def test_one_volume_is_in_memory_and_only_in_its_stored_type(tmp_path: Path) -> None:
    values = np.random.default_rng(0).integers(0, 4000, (200, 200, 100)).astype(np.int16)
    for name in ("a.nii.gz", "b.nii.gz"):
        nibabel.save(nibabel.Nifti1Image(values, np.diag([-1, 1, 1, 1])), tmp_path / name)
    volumes = Volumes(tmp_path)
    volumes.cut("a.nii.gz", 2, 0)
    tracemalloc.start()
    try:
        volumes.cut("b.nii.gz", 2, 0)
        slices = [volumes.cut("a.nii.gz", 2, place) for place in range(5)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(slices) == 5
    assert peak < 1.6 * values.nbytes


@pytest.mark.parametrize(
    "relative",
    ["../a.nii.gz", "Datasets/../../a.nii.gz", "Datasets/../a.nii.gz", "/etc/a.nii.gz", "..\\a.nii.gz"],
)
def test_paths_stay_in_the_folder(tmp_path: Path, relative: str) -> None:
    save(tmp_path, _values(), name="a.nii.gz")
    root = tmp_path / "root"
    (root / "Datasets").mkdir(parents=True)
    with pytest.raises(DataFormatError, match=r"leaves the data folder .*root"):
        Volumes(root).info(relative)
    with pytest.raises(DataFormatError, match=r"leaves the data folder"):
        Volumes(root).cut(relative, 0, 0)


def test_links_of_the_user_are_followed(tmp_path: Path) -> None:
    save(tmp_path / "another disk", _values(), name="store/a.nii.gz")
    (tmp_path / "root").mkdir()
    (tmp_path / "root/Datasets").symlink_to(tmp_path / "another disk")
    (tmp_path / "link").symlink_to("root")
    assert Volumes(tmp_path / "link").info("Datasets/store/a.nii.gz").shape == SHAPE


@pytest.mark.parametrize("relative", ["a\0.nii.gz", "loop.nii.gz", "a" * 5000 + ".nii.gz"])
def test_impossible_paths_are_data_errors(tmp_path: Path, relative: str) -> None:
    (tmp_path / "loop.nii.gz").symlink_to("loop.nii.gz")
    with pytest.raises(DataError):
        Volumes(tmp_path).info(relative)


def test_a_missing_volume_is_named_with_its_dataset(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"no volume Datasets/Toy/Images/a\.nii\.gz .* fetch the dataset Toy"):
        Volumes(tmp_path).cut(VOLUME, 0, 0)
    (tmp_path / "b.nii").mkdir()
    with pytest.raises(DataNotFoundError, match=r"no volume b\.nii "):
        Volumes(tmp_path).info("b.nii")


@pytest.mark.parametrize(
    ("axis", "place", "words"),
    [
        (2, 16, r"a\.nii\.gz has no slice 16 along axis 2: slices are 0 to 15"),
        (0, -1, r"no slice -1 along axis 0: slices are 0 to 11"),
        (3, 0, r"no axis 3"),
        (-1, 0, r"no axis -1"),
    ],
)
def test_slices_that_are_not_there(tmp_path: Path, axis: int, place: int, words: str) -> None:
    save(tmp_path, _values())
    with pytest.raises(DataFormatError, match=words):
        Volumes(tmp_path).cut(VOLUME, axis, place)


def test_files_that_are_no_volumes(tmp_path: Path) -> None:
    for shape in ((4, 5), (4, 5, 6, 2), (4, 5, 6, 1, 2)):
        nibabel.save(nibabel.Nifti1Image(np.zeros(shape, np.uint8), np.eye(4)), tmp_path / "a.nii")
        with pytest.raises(DataFormatError, match=r"has the shape .* 3 dimensions"):
            Volumes(tmp_path).info("a.nii")
    nibabel.save(nibabel.Nifti1Image(np.zeros((2, 2, 2), np.complex64), np.eye(4)), tmp_path / "a.nii")
    with pytest.raises(DataFormatError, match="voxels of type complex64"):
        Volumes(tmp_path).info("a.nii")
    nibabel.save(nibabel.Nifti1Image(np.zeros((2, 2, 2), [(c, "u1") for c in "RGB"]), np.eye(4)), tmp_path / "a.nii")
    with pytest.raises(DataFormatError, match="one real number per voxel"):
        Volumes(tmp_path).info("a.nii")
    for name, words in (("t.nii.gz", "no readable NIfTI"), ("t.nii", "no readable NIfTI"), ("t.mgz", "names end in")):
        (tmp_path / name).write_text("no volume")
        with pytest.raises(DataFormatError, match=rf"{name}.*{words}"):
            Volumes(tmp_path).info(name)


def test_an_affine_without_directions_is_named(tmp_path: Path) -> None:
    image = nibabel.Nifti1Image(_values(), np.diag([1, 1, 1, 1]))
    image.header["srow_z"] = 0
    image.header["sform_code"], image.header["qform_code"] = 1, 0
    data = bytearray(image.to_bytes())
    place = 280 + 2 * 16
    data[place : place + 16] = bytes(16)
    (tmp_path / "a.nii").write_bytes(data)
    with pytest.raises(DataFormatError, match="gives no orientation"):
        Volumes(tmp_path).info("a.nii")


@pytest.mark.parametrize("keep", [30, -100, -9, -4])
def test_a_truncated_gzip_file(tmp_path: Path, keep: int) -> None:
    path = save(tmp_path, np.random.default_rng(0).integers(0, 999, SHAPE).astype(np.int16))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataFormatError, match=r"a\.nii\.gz"):
        Volumes(tmp_path).cut(VOLUME, 0, 0)


def test_a_wrong_checksum_is_found(tmp_path: Path) -> None:
    path = save(tmp_path, _values())
    data = bytearray(path.read_bytes())
    data[-8] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataFormatError, match=r"voxels of .* cannot be read: CRC check failed.*fetch it anew"):
        Volumes(tmp_path).cut(VOLUME, 0, 0)


def test_headers_that_promise_more_than_there_is(tmp_path: Path) -> None:
    path = save(tmp_path, _values(), name="a.nii")
    data = bytearray(path.read_bytes())
    data[42:48] = np.array([30_000] * 3, "<i2").tobytes()
    path.write_bytes(data)
    (tmp_path / "a.nii.gz").write_bytes(gzip.compress(data))
    (tmp_path / "few.nii").write_bytes(save(tmp_path, _values(), name="b.nii").read_bytes()[:-1])
    (tmp_path / "few.nii.gz").write_bytes(gzip.compress((tmp_path / "few.nii").read_bytes()))
    for name in ("a.nii", "a.nii.gz", "few.nii", "few.nii.gz"):
        with pytest.raises(DataFormatError, match=rf"voxels of {name} cannot be read: .*header promises"):
            Volumes(tmp_path).cut(name, 0, 0)


@pytest.mark.parametrize("seed", range(8))
def test_damage_never_escapes_as_another_error(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    plain = save(tmp_path, _values(), name="whole.nii").read_bytes()
    packed = save(tmp_path, _values(), name="whole.nii.gz").read_bytes()
    for turn in range(40):
        for whole, suffix, reach in ((plain, "nii", 352), (packed, "nii.gz", len(packed))):
            data = bytearray(whole)
            for place in rng.integers(0, reach, 3):
                data[place] = int(rng.integers(0, 256))
            (tmp_path / f"{turn}.{suffix}").write_bytes(data)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with contextlib.suppress(DataFormatError):
                    assert Volumes(tmp_path).cut(f"{turn}.{suffix}", 0, 0).ndim == 2


def test_without_nibabel_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, _values())
    monkeypatch.setitem(sys.modules, "nibabel", None)
    with pytest.raises(MissingDependencyError, match="medvision"):
        Volumes(tmp_path).info(VOLUME)


@given(st.permutations((0, 1, 2)), st.tuples(st.booleans(), st.booleans(), st.booleans()))
def test_turning_is_a_view_that_reaches_every_voxel(axes: list[int], against: tuple[bool, bool, bool]) -> None:
    values = _values()
    first, second, third = axes
    found = _turned(values, (first, second, third), against)
    assert found.shape == tuple(SHAPE[axis] for axis in axes)
    assert np.shares_memory(found, values)
    assert sorted(found.ravel()) == list(range(values.size))
