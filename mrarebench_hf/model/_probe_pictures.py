"""Stage model, private: grey test pictures, and what a picture's size becomes, read from how a processor shows them.

In: arrays of one channel that a processor made of flat pictures, ramps and edges. Out: rows and columns in pixels. No
rule of any model is known here: flat pictures tell padding from content, ramps tell what is cropped and how tiles lie,
and the way an edge moves tells the scale.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Flats", "Floats", "Probe", "edge", "flat", "length", "ramp", "unevenness"]

Floats = npt.NDArray[np.float32]
Grey = npt.NDArray[np.uint8]
Probe = Callable[[Grey], Floats]

# Far enough from black and white that no resampling filter overshoots into either.
_LOW, _HIGH = 64, 192
_FULL = 0.02
_MIN_SPAN_PX = 2


def flat(size_px: tuple[int, int], *, high: bool) -> Grey:
    """One grey level, the low or the high one."""
    return np.full(size_px, _HIGH if high else _LOW, np.uint8)


def ramp(size_px: tuple[int, int], axis: int) -> Grey:
    """Black to white along an axis: 0 for downwards, 1 for to the right."""
    n = size_px[axis]
    levels = np.rint(255 * (np.arange(n) + 0.5) / n).astype(np.uint8)
    return np.array(np.broadcast_to(levels[:, None] if axis == 0 else levels, size_px))


def edge(size_px: tuple[int, int], axis: int, at: int) -> Grey:
    """The low level before a position along an axis, the high one from it on."""
    step = np.where(np.arange(size_px[axis]) < at, _LOW, _HIGH).astype(np.uint8)
    return np.array(np.broadcast_to(step[:, None] if axis == 0 else step, size_px))


@dataclass(frozen=True, slots=True)
class Flats:
    """What became of the two flat pictures: where they differ is content, elsewhere is padding.

    Attributes:
        low: of the low level, rows × columns.
        depth: how much brighter the high level is.
    """

    low: Floats
    depth: Floats

    @property
    def base(self) -> float:
        """The depth of content that no padding touches; 0 where nothing is content."""
        deep = self.depth[self.depth > 0.5 * self.depth.max()]
        return float(np.median(deep)) if deep.size else 0.0

    @property
    def touched(self) -> npt.NDArray[np.bool_]:
        """Which values depend on the picture at all."""
        return np.asarray(self.depth > 0.25 * self.depth.max())

    @property
    def full(self) -> npt.NDArray[np.bool_]:
        """Which pixels are content alone, not mixed with padding; a filter may overshoot beside padding."""
        return np.asarray(self.depth > (1 - _FULL) * self.base)

    def place(self, shown: Floats) -> Floats:
        """Of every value of a shown ramp, the place in the original picture, 0 to 1; only where it is touched."""
        return np.asarray((_LOW + (shown - self.low) / self.depth * (_HIGH - _LOW)) / 255)

    def bright(self, shown: Floats, axis: int) -> float:
        """How many pixels along an axis show the high level of an edge, parts of pixels counted."""
        # Beside padding a filter overshoots: lines there would count too much.
        weights = np.where(self.full, self.depth, 0).sum(axis=axis) / np.maximum(self.full.sum(axis=axis), 1)
        lines = np.abs(weights - self.base) < _FULL * self.base
        part = (shown - self.low) / self.base
        part = part[:, lines] if axis == 0 else part[lines]
        return float(part.mean(axis=1 - axis).sum())


def _profile(flats: Flats, shown: Floats, size_px: tuple[int, int], axis: int) -> tuple[Floats, float] | None:
    """The places along an axis and their root mean square error; None when a ramp along it is not shown as one."""
    full, touched = flats.full, flats.touched
    if flats.base <= 0 or not full.any():
        return None
    rows, columns = (np.flatnonzero(full.any(axis=across)) for across in (1, 0))
    region = np.ix_(rows, columns)
    if not full[region].all() or not touched[rows[0] : rows[-1], columns[0] : columns[-1]].all():
        return None
    places = Flats(flats.low[region], flats.depth[region]).place(shown[region])
    places = places.T if axis == 0 else places
    line = places.mean(axis=0)
    steps = np.arange(len(line))
    straight = np.polyval(np.polyfit(steps, line, 1), steps) if len(line) > 1 else line
    error = np.abs(places - straight)
    # The outermost half pixels of the original are flat, whatever they are enlarged to.
    if error.max() > 0.03 + 1 / len(line) + 0.5 / size_px[axis] or line[-1] < line[0]:
        return None
    return line, float(np.sqrt(np.mean(error**2)))


def unevenness(flats: Flats, across: Floats, down: Floats, size_px: tuple[int, int]) -> float | None:
    """How far both ramps are from running straight over one piece of content; None where they do not at all."""
    fits = [_profile(flats, shown, size_px, axis) for axis, shown in ((1, across), (0, down))]
    return None if fits[0] is None or fits[1] is None else fits[0][1] + fits[1][1]


def length(flats: Flats, shown_ramp: Floats, size_px: tuple[int, int], axis: int, show: Probe) -> float | None:
    """Pixels that the whole original takes along an axis, cropped parts counted; None when it cannot be told.

    Args:
        flats: the flat pictures as shown.
        shown_ramp: the ramp along the axis as shown.
        size_px: rows and columns of the original picture.
        axis: 0 for rows, 1 for columns.
        show: a picture → how it is shown.
    """
    fit = _profile(flats, shown_ramp, size_px, axis)
    if fit is None or len(line := fit[0]) < _MIN_SPAN_PX or line[-1] <= line[0]:
        return None
    n = size_px[axis]
    scale = (len(line) - 1) / ((line[-1] - line[0]) * n)
    # An edge should lie so far inside that no filter reaches over the border of what is shown.
    for margin in (2 + n / 128 + 3 * max(1, 1 / scale), 1):
        first, last = int(np.ceil(line[0] * n + margin)), int(np.floor(line[-1] * n - margin))
        if last - first >= _MIN_SPAN_PX:
            break
    else:
        return None
    bright = [flats.bright(show(edge(size_px, axis, at)), axis) for at in (first, last)]
    return _settled((bright[0] - bright[1]) / (last - first) * n, flats.low.shape, size_px, axis)


def _settled(measured: float, canvas: tuple[int, ...], size_px: tuple[int, int], axis: int) -> float:
    """The measured length without its small error: whole pixels, or the picture's part of a square."""
    candidates = [float(round(measured))]
    if canvas[0] == canvas[1]:
        candidates.append(canvas[axis] * size_px[axis] / max(size_px))
    nearest = min(candidates, key=lambda candidate: abs(candidate - measured))
    return nearest if abs(nearest - measured) <= 0.1 + 0.001 * measured else round(measured, 2)
