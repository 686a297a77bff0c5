"""Stage model, private: how a picture may lie in the tensors of a processor, and the picture put together again.

In: pixel values of one picture. Out: one channel of it, rows × columns. Which of the forms is the right one is for the
caller to find out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Form", "PatchForm", "TileForm", "patch_forms", "tile_forms"]

_Floats = npt.NDArray[np.float32]
_N_CHANNELS = 3


class Form(Protocol):
    """One way in which a picture may lie."""

    def assembled(self, values: _Floats) -> _Floats:
        """One channel of the picture, rows × columns."""


@dataclass(frozen=True, slots=True)
class TileForm:
    """Tiles row by row.

    Attributes:
        first: the first tile; those before it and after the last are views of the whole picture.
        rows: tiles from top to bottom.
        columns: tiles from left to right.
    """

    first: int
    rows: int
    columns: int

    def assembled(self, values: _Floats) -> _Floats:
        """The picture that one channel of tiles (number × rows × columns) forms."""
        height, width = values.shape[1:]
        used = values[self.first : self.first + self.rows * self.columns]
        grid = used.reshape(self.rows, self.columns, height, width).swapaxes(1, 2)
        return grid.reshape(self.rows * height, self.columns * width)


@dataclass(frozen=True, slots=True)
class PatchForm:
    """Patches row by row, or group by group.

    Attributes:
        grid: patches from top to bottom and from left to right.
        patch_px: rows and columns of a patch.
        group: patches along both sides of a group; 1 where they lie row by row.
        channels_last: whether the channels of a pixel stand side by side.
    """

    grid: tuple[int, int]
    patch_px: tuple[int, int]
    group: int
    channels_last: bool

    def assembled(self, values: _Floats) -> _Floats:
        """The picture that patches (number × values) form."""
        (rows, columns), (height, width), group = self.grid, self.patch_px, self.group
        used = values[: rows * columns]
        channel = used[:, ::_N_CHANNELS] if self.channels_last else used[:, : height * width]
        lying = channel.reshape(rows // group, columns // group, group, group, height, width)
        return lying.transpose(0, 2, 4, 1, 3, 5).reshape(rows * height, columns * width)


def tile_forms(n_tiles: int) -> Iterator[TileForm]:
    """Every way in which tiles may lie: all of them, without the first, without the last."""
    for first, n_used in ((0, n_tiles), (1, n_tiles - 1), (0, n_tiles - 1)):
        for rows in range(1, n_used + 1):
            if n_used % rows == 0:
                yield TileForm(first, rows, n_used // rows)


def patch_forms(
    grid: tuple[int, int], patch_px: tuple[int, int], n_values: int, groups: tuple[int, ...]
) -> Iterator[PatchForm]:
    """Every way in which the values of patches may lie.

    Args:
        grid: patches from top to bottom and from left to right.
        patch_px: rows and columns of a patch.
        n_values: values of one patch; frames of a film may stand behind one another.
        groups: sizes of groups to try.
    """
    n_pixels = patch_px[0] * patch_px[1]
    for group in groups:
        if grid[0] % group == 0 == grid[1] % group and n_values % (_N_CHANNELS * n_pixels) == 0:
            yield PatchForm(grid, patch_px, group, channels_last=False)
            if n_values == _N_CHANNELS * n_pixels:
                yield PatchForm(grid, patch_px, group, channels_last=True)
