"""Stage source: slices of NIfTI volumes in RAS+ orientation, with the last volume kept in memory.

In: the data folder, and a volume's path below it. Out: its size, spacing and orientation, and single slices as arrays.
Gzip cannot be entered in the middle, so a compressed volume is decoded once, in the type it is stored in, and stays
until another is asked for. Needs nibabel, the extra ``medvision``.
"""

from __future__ import annotations

import gzip
import math
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mrarebench_hf.errors import DataFormatError, MissingDependencyError
from mrarebench_hf.measured import Geometry
from mrarebench_hf.source.inside import file_inside

__all__ = ["VolumeInfo", "Volumes"]

_T = TypeVar("_T")
_SUFFIXES = (".nii", ".nii.gz")
_BLOCK_BYTES = 1 << 20
# Deflate cannot do better; a header that promises more is lying, and is found out before memory is taken.
_MAX_DEFLATE_RATIO = 1032
# What nibabel, gzip and NumPy raise on damaged files beside their own classes; a file is untrusted input.
_DAMAGE = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    EOFError,
    OverflowError,
    MemoryError,
    UnicodeError,
    struct.error,
    zlib.error,
)


@dataclass(frozen=True, slots=True)
class VolumeInfo:
    """What a volume's header says.

    Attributes:
        shape: voxels along the axes to the right, to the front and to the top.
        zooms_mm: millimetres per voxel along the same axes, as stored (float32, widened).
        orientation: the axes as the file has them, "RAS", "LAS", …
    """

    shape: tuple[int, int, int]
    zooms_mm: tuple[float, float, float]
    orientation: str

    def geometry(self, slice_dim: int) -> Geometry:
        """Size and spacing of a slice along one axis; its rows run along the first of the other two."""
        first, second = (axis for axis in range(3) if axis != slice_dim)
        return Geometry((self.shape[first], self.shape[second]), (self.zooms_mm[first], self.zooms_mm[second]))


@dataclass(frozen=True, slots=True)
class _Stored:
    """Where and how the voxels lie in a file.

    Attributes:
        path: the file.
        shape: voxels along the three axes as stored.
        dtype: type of a voxel, byte order included.
        offset: bytes before the first voxel.
        scaling: slope and intercept that turn what is stored into values.
        axes: of each RAS+ axis, the number of the stored axis that runs along it.
        against: of each stored axis, whether it runs against its RAS+ axis.
        info: what is told of it.
    """

    path: Path
    shape: tuple[int, int, int]
    dtype: np.dtype[Any]
    offset: int
    scaling: tuple[float, float]
    axes: tuple[int, int, int]
    against: tuple[bool, bool, bool]
    info: VolumeInfo


class Volumes:
    """The volumes below a data folder.

    Headers are remembered; of the voxels only those of the volume that was cut last. Files are closed again at once,
    but for the memory map of an uncompressed volume, which lasts as long as it is the last one.

    Attributes:
        root: the data folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._headers: dict[str, _Stored] = {}
        self._last: tuple[str, NDArray[Any]] | None = None

    def info(self, relative: str) -> VolumeInfo:
        """Size, spacing and orientation of a volume, from its header alone.

        Args:
            relative: path below the data folder, with forward slashes.

        Raises:
            DataNotFoundError: when there is no such file.
            DataFormatError: when the path leaves the data folder, or the file is no NIfTI volume of three dimensions.
            MissingDependencyError: when nibabel is not installed.
        """
        return self._header(relative).info

    def cut(self, relative: str, slice_dim: int, slice_idx: int) -> NDArray[Any]:
        """One slice of a volume, as an array of its own.

        Args:
            relative: path below the data folder, with forward slashes.
            slice_dim: the axis to cut along, 0 to 2 in RAS+ orientation.
            slice_idx: number of the slice along it, from 0.

        Returns:
            The slice, rows along the first remaining axis and columns along the second. It has the stored type, or
            float64 where the header scales its values.

        Raises:
            DataNotFoundError: when there is no such file.
            DataFormatError: as ``info``, and when the voxels cannot be read or there is no such slice.
            MissingDependencyError: when nibabel is not installed.
        """
        stored = self._header(relative)
        if not 0 <= slice_dim <= 2:
            raise DataFormatError(f"{relative} has no axis {slice_dim}: axes are 0 to 2")
        if not 0 <= slice_idx < stored.info.shape[slice_dim]:
            last = stored.info.shape[slice_dim] - 1
            raise DataFormatError(f"{relative} has no slice {slice_idx} along axis {slice_dim}: slices are 0 to {last}")
        pixels = self._voxels(relative, stored)[(slice(None),) * slice_dim + (slice_idx,)]
        slope, intercept = stored.scaling
        if (slope, intercept) != (1.0, 0.0):
            return np.asarray(pixels, np.float64) * slope + intercept
        # A copy: a view would keep the whole volume in memory for as long as the slice.
        return np.array(pixels, stored.dtype.newbyteorder("="), order="C")

    def _header(self, relative: str) -> _Stored:
        if relative not in self._headers:
            self._headers[relative] = _read_header(relative, _volume(self.root, relative))
        return self._headers[relative]

    def _voxels(self, relative: str, stored: _Stored) -> NDArray[Any]:
        if self._last is None or self._last[0] != relative:
            # Let go of the old one first, or two volumes are in memory at once.
            self._last = None
            self._last = relative, _turned(_read_voxels(relative, stored), stored.axes, stored.against)
        return self._last[1]


def _volume(root: Path, relative: str) -> Path:
    path = file_inside(root, relative, "volume")
    if not path.name.lower().endswith(_SUFFIXES):
        raise DataFormatError(f"{relative!r} is no volume: names end in {' or '.join(_SUFFIXES)}")
    return path


def _read_header(relative: str, path: Path) -> _Stored:
    try:
        import nibabel
        from nibabel.filebasedimages import ImageFileError
        from nibabel.spatialimages import HeaderDataError, HeaderTypeError
    except ImportError as error:
        raise MissingDependencyError("nibabel", "medvision", "reading a volume") from error
    try:
        image: Any = nibabel.load(path)
        if not isinstance(image, nibabel.Nifti1Image):
            raise ValueError(f"it is a {type(image).__name__}")
        header: Any = image.header
        voxels: Any = image.dataobj
        axcodes: Any = nibabel.aff2axcodes
        codes, zooms = axcodes(image.affine), tuple(float(zoom) for zoom in header.get_zooms()[:3])
        shape, offset = tuple(int(side) for side in voxels.shape), int(voxels.offset)
        scaling, dtype = (float(voxels.slope), float(voxels.inter)), np.dtype(voxels.dtype)
    except (ImageFileError, HeaderDataError, HeaderTypeError, *_DAMAGE) as error:
        raise DataFormatError(f"{relative} is no readable NIfTI volume: {_words(error)}") from None
    _check(relative, shape, zooms, codes, dtype)
    orientation = "".join(codes)
    # Each pair of letters names one axis, the second of them its direction in RAS+.
    axes = _triple(next(place for place, code in enumerate(orientation) if code in pair) for pair in ("LR", "PA", "IS"))
    against = _triple(code in "LPI" for code in orientation)
    info = VolumeInfo(_triple(shape[axis] for axis in axes), _triple(zooms[axis] for axis in axes), orientation)
    return _Stored(path, _triple(shape[:3]), dtype, offset, scaling, axes, against, info)


def _check(relative: str, shape: tuple[int, ...], zooms: tuple[float, ...], codes: Any, dtype: np.dtype[Any]) -> None:
    if len(shape) < 3 or any(side != 1 for side in shape[3:]):
        raise DataFormatError(f"{relative} has the shape {shape}, a volume has 3 dimensions")
    if min(shape) < 1:
        raise DataFormatError(f"{relative} holds no voxels: its shape is {shape}")
    if not all(math.isfinite(zoom) and zoom > 0 for zoom in zooms):
        raise DataFormatError(f"{relative} has the spacing {zooms}: millimetres per voxel are positive")
    if None in codes:
        raise DataFormatError(f"{relative} has an affine that gives no orientation")
    if dtype.kind not in "iuf":
        raise DataFormatError(f"{relative} has voxels of type {dtype}: only one real number per voxel can be shown")


def _triple(values: Iterable[_T]) -> tuple[_T, _T, _T]:
    first, second, third = values
    return first, second, third


def _turned(voxels: NDArray[Any], axes: tuple[int, int, int], against: tuple[bool, bool, bool]) -> NDArray[Any]:
    """A view of a stored array in RAS+ orientation; nothing is copied."""
    return voxels[tuple(slice(None, None, -1 if turn else None) for turn in against)].transpose(axes)


def _read_voxels(relative: str, stored: _Stored) -> NDArray[Any]:
    """The voxels as stored, first axis fastest; a memory map where the file is not compressed."""
    n_bytes = math.prod(stored.shape) * stored.dtype.itemsize
    try:
        size = stored.path.stat().st_size
        if not stored.path.name.lower().endswith(".gz"):
            if stored.offset + n_bytes > size:
                raise EOFError(f"{size} bytes where the header promises {stored.offset + n_bytes}")
            return np.memmap(stored.path, stored.dtype, "r", stored.offset, stored.shape, "F")
        if n_bytes > size * _MAX_DEFLATE_RATIO:
            raise EOFError(f"{size} bytes cannot hold the {n_bytes} that the header promises")
        found = np.empty(n_bytes, np.uint8)
        _decompress(stored, found)
    except _DAMAGE as error:
        raise DataFormatError(f"the voxels of {relative} cannot be read: {_words(error)}; fetch it anew") from None
    return found.view(stored.dtype).reshape(stored.shape, order="F")


def _decompress(stored: _Stored, into: NDArray[np.uint8]) -> None:
    """Fill an array from a gzip file, block by block: one large read would hold everything twice."""
    with gzip.open(stored.path, "rb") as file:
        file.seek(stored.offset)
        done = 0
        while done < into.size:
            block = file.read(min(_BLOCK_BYTES, into.size - done))
            if not block:
                raise EOFError(f"{done} bytes of voxels where the header promises {into.size}")
            into[done : done + len(block)] = np.frombuffer(block, np.uint8)
            done += len(block)
        # The checksum is compared only when the end is read.
        file.read(1)


def _words(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
