"""Stage source: size and spacing of a NIfTI volume from its header, without reading a voxel.

In: the path of a volume. Out: its shape and its zooms. Needs nibabel, the extra ``medvision``.
"""

from __future__ import annotations

import functools
import math
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mrarebench_hf.errors import DataFormatError, DataNotFoundError, MissingDependencyError

__all__ = ["Header", "read_header"]


@dataclass(frozen=True, slots=True)
class Header:
    """What a volume's header says.

    Attributes:
        shape: voxels along the three axes.
        zooms_mm: millimetres per voxel along the three axes, as stored (float32, widened).
    """

    shape: tuple[int, int, int]
    zooms_mm: tuple[float, float, float]

    def in_plane_size(self, slice_dim: int) -> tuple[float, float]:
        """Rows and columns of a slice along one axis, in pixels."""
        rows, columns = (side for axis, side in enumerate(self.shape) if axis != slice_dim)
        return float(rows), float(columns)

    def in_plane_spacing_mm(self, slice_dim: int) -> tuple[float, float]:
        """Millimetres per pixel along the rows and columns of a slice along one axis."""
        rows, columns = (zoom for axis, zoom in enumerate(self.zooms_mm) if axis != slice_dim)
        return rows, columns


@functools.lru_cache(maxsize=4096)
def read_header(path: Path) -> Header:
    """Read one header; those read before are remembered.

    Raises:
        DataNotFoundError: when there is no such file.
        DataFormatError: when it is no NIfTI file of three dimensions.
        MissingDependencyError: when nibabel is not installed.
    """
    try:
        import nibabel
    except ImportError as error:
        raise MissingDependencyError("nibabel", "medvision", "reading the spacing of a volume") from error
    if not os.path.isfile(path):  # unlike Path's, it takes a name that no file can have for one that none has
        raise DataNotFoundError(f"no volume {path}: paths in the samples count from --data-root")
    try:
        header: Any = nibabel.load(path).header
        shape = tuple(int(side) for side in header.get_data_shape()[:3])
        zooms = tuple(float(zoom) for zoom in header.get_zooms()[:3])
    except _damage(nibabel) as error:
        raise DataFormatError(f"{path} is no readable NIfTI volume: {error}") from error
    if len(shape) != 3 or len(zooms) != 3:
        raise DataFormatError(f"{path} has {len(shape)} dimensions, a volume has 3")
    if not all(math.isfinite(zoom) and zoom > 0 for zoom in zooms):
        raise DataFormatError(f"{path} has a spacing of {zooms}: millimetres per voxel are positive")
    return Header(shape, zooms)


def _damage(nibabel: Any) -> tuple[type[Exception], ...]:
    """What nibabel, or what it calls, raises on damaged files."""
    images = nibabel.spatialimages
    own = nibabel.filebasedimages.ImageFileError, images.HeaderDataError, images.HeaderTypeError
    return *own, OSError, ValueError, EOFError, TypeError, OverflowError, zlib.error
