"""Solids of the demo volumes: a grid of voxels, ellipsoids in it, and the ellipses that slices cut out of them.

In: centres and semi-axes in millimetres. Out: masks, and axes known by formula instead of measured on a mask. Positions
are scanner coordinates: first to the right, then to the front, then upwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ellipse", "Ellipsoid", "Grid", "Triple", "in_plane"]

Triple = tuple[float, float, float]


def in_plane(values: Triple | tuple[int, int, int], slice_dim: int) -> tuple[float, float]:
    """The two of three values that belong to the rows and to the columns of a slice.

    >>> in_plane((1, 2, 3), 1)
    (1, 3)
    """
    rows, columns = (value for axis, value in enumerate(values) if axis != slice_dim)
    return rows, columns


@dataclass(frozen=True, slots=True)
class Grid:
    """Voxels in RAS+ order around the origin.

    Attributes:
        size: voxels along the three axes.
        voxel_mm: millimetres per voxel along the three axes.
    """

    size: tuple[int, int, int]
    voxel_mm: Triple

    @property
    def origin_mm(self) -> NDArray[np.float64]:
        """Position of the voxel (0, 0, 0)."""
        half: NDArray[np.float64] = (np.array(self.size) - 1) / 2 * np.array(self.voxel_mm)
        return -half

    @property
    def affine(self) -> NDArray[np.float64]:
        """From a voxel's index to its position, 4 × 4."""
        affine = np.diag([*self.voxel_mm, 1.0])
        affine[:3, 3] = self.origin_mm
        return affine

    def position_mm(self, axis: int, index: int) -> float:
        """Position along one axis of the voxels with an index."""
        return float(self.origin_mm[axis] + index * self.voxel_mm[axis])

    def voxel_at(self, position_mm: NDArray[np.float64]) -> tuple[int, int, int]:
        """Index of the voxel that holds a position."""
        first, second, third = np.rint((position_mm - self.origin_mm) / np.array(self.voxel_mm)).tolist()
        return int(first), int(second), int(third)


@dataclass(frozen=True, slots=True)
class Ellipse:
    """What a slice cuts out of an ellipsoid.

    Attributes:
        center_mm: position of its middle, three coordinates.
        axes_mm: full lengths of the major and of the minor axis.
        ends_mm: of each axis the positions of its two ends.
    """

    center_mm: NDArray[np.float64]
    axes_mm: tuple[float, float]
    ends_mm: tuple[tuple[NDArray[np.float64], NDArray[np.float64]], ...]


@dataclass(frozen=True, slots=True)
class Ellipsoid:
    """A solid, perhaps turned about one axis of the patient.

    Attributes:
        center_mm: position of its middle.
        semi_mm: half its three axes.
        turn_deg: angle of the turn, from the first to the second of the other two axes in cyclic order.
        about: the axis that it is turned about, 0 to 2.
    """

    center_mm: Triple
    semi_mm: Triple
    turn_deg: float = 0.0
    about: int = 2

    @property
    def directions(self) -> NDArray[np.float64]:
        """Unit vectors along its axes, one a column."""
        first, second = (self.about + 1) % 3, (self.about + 2) % 3
        cosine, sine = np.cos(np.radians(self.turn_deg)), np.sin(np.radians(self.turn_deg))
        turned = np.eye(3)
        turned[first, first] = turned[second, second] = cosine
        turned[second, first], turned[first, second] = sine, -sine
        return turned

    def ends_mm(self, axis: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Positions of the ends of one of its axes, the one along the positive direction first."""
        center, half = np.array(self.center_mm), self.directions[:, axis] * self.semi_mm[axis]
        return center + half, center - half

    def mask(self, grid: Grid) -> NDArray[np.bool_]:
        """Voxels whose middle lies inside, an array of the grid's size."""
        places = np.stack(np.meshgrid(*(np.arange(side, dtype=float) for side in grid.size), indexing="ij"), -1)
        away = places * np.array(grid.voxel_mm) + grid.origin_mm - np.array(self.center_mm)
        along = away @ self.directions / np.array(self.semi_mm)
        inside: NDArray[np.bool_] = (along**2).sum(-1) <= 1
        return inside

    def cut(self, slice_dim: int, at_mm: float) -> Ellipse | None:
        """The ellipse in the plane across one axis at a position; None where the plane passes by."""
        form = self.directions @ np.diag(1 / np.array(self.semi_mm) ** 2) @ self.directions.T
        plane = [axis for axis in range(3) if axis != slice_dim]
        offset = at_mm - self.center_mm[slice_dim]
        within, mixed = form[np.ix_(plane, plane)], form[plane, slice_dim]
        middle = -np.linalg.solve(within, mixed) * offset
        rest = 1 - offset**2 * form[slice_dim, slice_dim] + middle @ within @ middle
        if rest <= 0:
            return None
        # Eigenvalues come in rising order, so the longest axis is first.
        values, vectors = np.linalg.eigh(within)
        halves = np.sqrt(rest / values)
        center = np.insert(np.array(self.center_mm)[plane] + middle, slice_dim, at_mm)
        reach = [np.insert(vectors[:, k] * halves[k], slice_dim, 0.0) for k in range(2)]
        ends = tuple((center + half, center - half) for half in reach)
        return Ellipse(center, (2 * float(halves[0]), 2 * float(halves[1])), ends)
