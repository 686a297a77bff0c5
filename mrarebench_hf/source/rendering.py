"""Stage source: from the values of a slice to 8-bit grey, as MedVision shows it.

In: a slice as an array, and the sample it belongs to. Out: the slice in another size, the CT window that it is shown
with, and its grey values. Source: medvision_bm 1.2.1. Values that are not finite (or beyond 1e38) are first replaced:
positive ones by the greatest finite value of the slice, negative ones and NaN by the least.
Resizing needs scipy, the extra ``medvision``.
"""

from __future__ import annotations

import functools
import logging
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrarebench_hf.errors import MissingDependencyError, UsageError
from mrarebench_hf.measured import MeasuredSample
from mrarebench_hf.source.label_groups import label_groups

__all__ = ["RENDERING_VERSION", "Window", "resized", "to_grey", "window_of"]

# Changes whenever the same slice gives another picture.
RENDERING_VERSION = "1"

_LOG = logging.getLogger(__name__)
# What is shown without a window is clipped to these percentiles of the slice.
_PERCENTILES = (0.5, 99.5)
# Beyond it, differences of two values would leave float32.
_GREATEST = 1e38


@dataclass(frozen=True, slots=True)
class Window:
    """The range of CT numbers that is spread over black to white.

    Attributes:
        width: from black to white, in Hounsfield units.
        level: the middle of it.
    """

    width: float
    level: float


_SOFT_TISSUE = Window(400, 40)
_LUNG = Window(1500, -600)
_BRAIN = Window(80, 40)
_BONE = Window(1800, 400)
# Group of a label → its window; every other group is soft tissue.
_WINDOWS = {
    "Lung": _LUNG,
    "Lung Tumor/Lesion": _LUNG,
    "Brain": _BRAIN,
    "Brain Tumor/Lesion": _BRAIN,
    "Hip": _BONE,
    "Rib": _BONE,
    "Spine": _BONE,
    "Knee Bone": _BONE,
    "Jawbone": _BONE,
    "Tooth": _BONE,
    "Calculus": _BONE,
}
_NO_WINDOW = "Others"
# Dataset and number of the tasks that are shown without a window although they are CT.
_EXCEPTIONS = frozenset({("KiPA22", "01")})


def window_of(sample: MeasuredSample) -> Window | None:
    """The window that a sample is shown with; None for clipping at percentiles.

    Only CT of a known structure has one. A structure that is in no published group is warned of once per dataset.
    """
    if sample.modality.strip().upper() != "CT" or not sample.label_name:
        return None
    if (sample.dataset, sample.task_id) in _EXCEPTIONS:
        return None
    group = label_groups().coarse.get(sample.label_name)
    if group is None:
        _warn_of(sample.dataset, sample.label_name)
        return None
    return None if group == _NO_WINDOW else _WINDOWS.get(group, _SOFT_TISSUE)


@functools.cache
def _warn_of(dataset: str, label: str) -> None:
    _LOG.warning("label %r of %s is in no published group; its CT slices are shown without a window", label, dataset)


def resized(pixels: NDArray[Any], size_px: tuple[int, int]) -> NDArray[np.float64]:
    """A slice brought to another size; its aspect is not kept.

    Values are interpolated linearly between the centres of the corner pixels, which stay where they are; a slice of
    at most two distinct values takes the nearest pixel instead.

    Args:
        pixels: rows x columns of numbers.
        size_px: rows and columns of the result, each at least 1.

    Raises:
        UsageError: when a side is below 1.
        MissingDependencyError: when scipy is not installed.

    >>> resized(np.array([[0, 4, 8]]), (1, 5)).tolist()
    [[0.0, 2.0, 4.0, 6.0, 8.0]]
    """
    try:
        from scipy import ndimage
    except ImportError as error:
        raise MissingDependencyError("scipy", "medvision", "resizing a slice") from error
    if min(size_px) < 1:
        raise UsageError(f"a slice cannot be resized to {size_px[0]} x {size_px[1]} px: sides are at least 1")
    values = _finite(pixels)
    if values.shape == size_px:
        return values.astype(np.float64)
    binary = bool(np.all((values == values.min()) | (values == values.max())))
    factors = [new / old for new, old in zip(size_px, values.shape, strict=True)]
    found = np.asarray(ndimage.zoom(values, factors, order=0 if binary else 1), np.float64)
    if found.shape != size_px:
        raise ArithmeticError(f"a slice of {values.shape} became {found.shape} instead of {size_px}")
    return found


def to_grey(pixels: NDArray[Any], window: Window | None) -> NDArray[np.uint8]:
    """Grey values of a slice: the range shown is spread linearly over 0 to 255, and fractions are cut off.

    Args:
        pixels: rows x columns of numbers; Hounsfield units where there is a window.
        window: the range to show; None for that between the percentiles 0.5 and 99.5 of the slice. Where the two are
            equal, the slice becomes black.

    >>> to_grey(np.array([[-161, -160, 40, 240, 241]]), Window(400, 40)).tolist()
    [[0, 0, 127, 255, 255]]
    """
    values = _finite(pixels)
    low: Any
    high: Any
    if window is None:
        # Each by itself: asked for together, they come in another type and round differently.
        low, high = (np.percentile(values, percent) for percent in _PERCENTILES)
    else:
        low, high = window.level - window.width / 2, window.level + window.width / 2
    if not low < high:
        return np.zeros(values.shape, np.uint8)
    return np.asarray((np.clip(values, low, high) - low) / (high - low) * 255, np.uint8)


def _finite(pixels: NDArray[Any]) -> NDArray[np.float32]:
    """The values in float32, all finite.

    MedVision computes in float32; where a grey value falls on a whole number, another type would cut off differently.
    """
    values = np.asarray(pixels)
    finite = np.abs(values) <= _GREATEST if values.dtype.kind == "f" else np.True_
    if np.all(finite):
        return values.astype(np.float32)
    known = values[finite]
    least, greatest = (known.min(), known.max()) if known.size else (0, 0)
    return np.where(finite, values, np.where(values > 0, greatest, least)).astype(np.float32)
