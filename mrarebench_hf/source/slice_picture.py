"""Stage source: the picture of one sample's slice.

In: the volumes and a sample. Out: its slice in 8-bit grey, with size and spacing. Array and picture agree: row 0 is the
top, nothing is turned or mirrored, so an axial slice lies on its side.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mrarebench_hf.errors import DataFormatError
from mrarebench_hf.measured import Geometry, MeasuredSample
from mrarebench_hf.source.rendering import resized, to_grey, window_of
from mrarebench_hf.source.volume import Volumes

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["SlicePicture", "slice_geometry", "slice_picture"]


@dataclass(frozen=True, slots=True, eq=False)
class SlicePicture:
    """A slice as a model gets to see it.

    Attributes:
        grey: rows x columns, 0 to 255.
        geometry: size and spacing of this picture, after any resizing.
    """

    grey: NDArray[np.uint8]
    geometry: Geometry

    def pgm(self) -> bytes:
        """The picture as a binary PGM file; the same picture always gives the same bytes."""
        rows, columns = self.grey.shape
        return b"P5\n%d %d\n255\n" % (columns, rows) + self.grey.tobytes()

    def png(self) -> bytes:
        """The picture as a PNG file in mode L."""
        from PIL import Image

        file = io.BytesIO()
        Image.fromarray(self.grey).save(file, "PNG")
        return file.getvalue()

    def image(self) -> Image:
        """The picture for a model's processor, in mode RGB."""
        from PIL import Image

        return Image.fromarray(self.grey).convert("RGB")


def slice_picture(volumes: Volumes, sample: MeasuredSample, size_px: tuple[int, int] | None = None) -> SlicePicture:
    """Cut, resize and render the slice of a sample.

    Args:
        volumes: the data folder's volumes.
        sample: what is measured where.
        size_px: rows and columns to bring the slice to first; None leaves it as it is. Spacing changes so that the
            extent in millimetres stays.

    Raises:
        DataNotFoundError: when the volume is not there.
        DataFormatError: when it cannot be read, or is not of the size that the plan states.
        UsageError: when a side of ``size_px`` is below 1.
        MissingDependencyError: when nibabel, or scipy for resizing, is not installed.
    """
    geometry = slice_geometry(volumes, sample, size_px)
    pixels = volumes.cut(sample.image_file, sample.slice_dim, sample.slice_idx)
    if size_px is not None:
        pixels = resized(pixels, size_px)
    return SlicePicture(to_grey(pixels, window_of(sample)), geometry)


def slice_geometry(volumes: Volumes, sample: MeasuredSample, size_px: tuple[int, int] | None = None) -> Geometry:
    """Size and spacing of the picture that ``slice_picture`` gives, from the header alone.

    Raises:
        DataError: as ``slice_picture`` does, but for voxels that cannot be read.
    """
    info = volumes.info(sample.image_file)
    if info.shape != sample.array_size:
        raise DataFormatError(
            f"{sample.image_file} has {_sides(info.shape)} voxels in RAS+ order, the plan of release {sample.release} "
            f"says {_sides(sample.array_size)}: its indices would point elsewhere; fetch the volume of that release"
        )
    if not 0 <= sample.slice_dim <= 2:
        raise DataFormatError(f"{sample.image_file} has no axis {sample.slice_dim}: axes are 0 to 2")
    geometry = info.geometry(sample.slice_dim)
    return geometry if size_px is None else _resized(geometry, size_px)


def _resized(geometry: Geometry, size_px: tuple[int, int]) -> Geometry:
    (rows, columns), (down, right) = geometry.size_px, geometry.spacing_mm
    return Geometry(size_px, (down / (size_px[0] / rows), right / (size_px[1] / columns)))


def _sides(shape: tuple[int, ...]) -> str:
    return " x ".join(str(side) for side in shape)
