"""Phantoms of the demo volumes: a CT of a small abdomen with a kidney and a tumor, and an MR of a head with landmarks.

All is invented: ellipsoids of plausible values with smooth seeded noise, nothing of a patient. In: a case. Out: its
array of intensities, its mask, its landmarks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrarebench_hf.demo.ellipsoids import Ellipsoid, Grid, Triple
from mrarebench_hf.errors import MissingDependencyError

__all__ = ["ABDOMENS", "HEADS", "KIDNEY", "TUMOR", "Abdomen", "Head"]

# Values in the masks.
KIDNEY = 1
TUMOR = 2
_AIR_HU = -1000
_NOISE_HU = 9.0
_NOISE_MR = 12.0

# Painted in this order, in Hounsfield units; the long ones reach beyond the volume above and below.
_TORSO: tuple[tuple[Ellipsoid, int], ...] = (
    (Ellipsoid((0, 0, 0), (78, 56, 300)), -100),
    (Ellipsoid((0, 0, 0), (71, 49, 300)), 40),
    (Ellipsoid((34, 15, 8), (32, 27, 38)), 60),
    (Ellipsoid((-48, -10, 12), (14, 20, 26), 20), 52),
    (Ellipsoid((-34, -17, -4), (13, 17, 28)), 130),
    (Ellipsoid((0, -32, 0), (13, 11, 300)), 320),
    (Ellipsoid((-5, -12, 0), (6, 6, 300)), 150),
)
_KIDNEY_HU, _TUMOR_HU = 130, 5
# Likewise for the head, in arbitrary units: scalp, skull, fluid, grey and white matter, ventricles, cerebellum.
_SKULL: tuple[tuple[Ellipsoid, int], ...] = (
    (Ellipsoid((0, 0, 0), (70, 88, 76)), 520),
    (Ellipsoid((0, 0, 0), (66, 84, 72)), 60),
    (Ellipsoid((0, 0, 0), (62, 80, 68)), 120),
    (Ellipsoid((0, 0, 0), (59, 77, 65)), 320),
    (Ellipsoid((0, 2, 2), (48, 66, 54)), 430),
    (Ellipsoid((11, 0, 8), (6, 30, 8)), 110),
    (Ellipsoid((-11, 0, 8), (6, 30, 8)), 110),
    (Ellipsoid((0, -44, -38), (38, 22, 18)), 350),
)
_CALLOSUM_UNITS, _STEM_UNITS = 560, 490


@dataclass(frozen=True, slots=True)
class Abdomen:
    """One CT case.

    Attributes:
        case_id: its name.
        grid: its voxels in RAS+ order.
        kidney: the right kidney.
        lesions: the tumor and what lies apart from it; they do not touch.
        seed: of the noise.
        flipped: whether the files on disk run to the left instead of to the right.
    """

    case_id: str
    grid: Grid
    kidney: Ellipsoid
    lesions: tuple[Ellipsoid, ...]
    seed: int
    flipped: bool = False

    def mask(self) -> NDArray[np.uint8]:
        """Kidney 1, tumor 2, all else 0."""
        mask = np.zeros(self.grid.size, np.uint8)
        mask[self.kidney.mask(self.grid)] = KIDNEY
        for lesion in self.lesions:
            mask[lesion.mask(self.grid)] = TUMOR
        return mask

    def image(self) -> NDArray[np.int16]:
        """Hounsfield units."""
        organs = (*_TORSO, (self.kidney, _KIDNEY_HU), *((lesion, _TUMOR_HU) for lesion in self.lesions))
        return _painted(self.grid, organs, _AIR_HU, _NOISE_HU, self.seed)


@dataclass(frozen=True, slots=True)
class Head:
    """One MR case.

    Attributes:
        case_id: its name.
        grid: its voxels in RAS+ order.
        callosum: the corpus callosum, long from front to back.
        stem: the brain stem, long from bottom to top.
        seed: of the noise.
    """

    case_id: str
    grid: Grid
    callosum: Ellipsoid
    stem: Ellipsoid
    seed: int

    def image(self) -> NDArray[np.int16]:
        """Intensities in arbitrary units."""
        organs = (*_SKULL, (self.callosum, _CALLOSUM_UNITS), (self.stem, _STEM_UNITS))
        return _painted(self.grid, organs, 0, _NOISE_MR, self.seed)

    def landmarks(self) -> Mapping[str, tuple[int, int, int]]:
        """Voxel indices of the four landmarks, all in one sagittal slice."""
        front, back = self.callosum.ends_mm(1)
        top, bottom = self.stem.ends_mm(2)
        places = zip(("P1", "P2", "P3", "P4"), (front, back, bottom, top), strict=True)
        return {name: self.grid.voxel_at(place) for name, place in places}


def _painted(
    grid: Grid, organs: Iterable[tuple[Ellipsoid, int]], background: int, noise: float, seed: int
) -> NDArray[np.int16]:
    """Later organs cover earlier ones; outside the body nothing is noisy, which keeps the files small."""
    image = np.full(grid.size, background, np.float64)
    for organ, value in organs:
        image[organ.mask(grid)] = value
    inside = image != background
    image[inside] += noise * _smooth_noise(grid, seed)[inside]
    return np.rint(image).astype(np.int16)


def _smooth_noise(grid: Grid, seed: int) -> NDArray[np.float64]:
    try:
        from scipy import ndimage
    except ImportError as error:
        raise MissingDependencyError("scipy", "medvision", "the demo volumes") from error
    raw = np.random.default_rng(seed).standard_normal(grid.size)
    smooth: NDArray[np.float64] = ndimage.gaussian_filter(raw, 0.8)
    return smooth / float(smooth.std())


def _abdomen(
    number: int,
    grid: Grid,
    kidney: tuple[Triple, Triple],
    lesions: tuple[tuple[Triple, Triple, float], ...],
    flipped: bool = False,
) -> Abdomen:
    solids = tuple(Ellipsoid(center, semi, turn) for center, semi, turn in lesions)
    return Abdomen(f"demo_ct_{number:02d}", grid, Ellipsoid(*kidney), solids, 1024 + number, flipped)


def _head(number: int, grid: Grid, callosum: tuple[Triple, float, float], stem: tuple[Triple, float, float]) -> Head:
    """Of each structure its centre, half its length and its turn in the sagittal plane."""
    (center, half, turn), (low, long, lean) = callosum, stem
    return Head(
        f"demo_mr_{number:02d}",
        grid,
        Ellipsoid(center, (14, half, 5.5), turn, about=0),
        Ellipsoid(low, (11, 12, long), lean, about=0),
        2048 + number,
    )


# The first two of each are the test cases. Case 1: a second lesion makes some slices hold two, and is 9 pixels wide.
ABDOMENS: tuple[Abdomen, ...] = (
    _abdomen(
        1,
        Grid((92, 80, 24), (1.8, 1.5, 3.5)),
        ((36, -20, -2), (15, 19, 27)),
        (((46, 0, 4), (20, 13, 17), 30), ((33.3, -27, -16), (8.2, 8.5, 9), 0)),
    ),
    _abdomen(
        2,
        Grid((84, 72, 22), (2.0, 1.6, 4.0)),
        ((34, -18, -4), (16, 17, 30)),
        (((44, -2, -6), (22, 14, 19), -35),),
        flipped=True,
    ),
    _abdomen(
        3,
        Grid((88, 64, 28), (1.9, 1.8, 3.0)),
        ((37, -17, 0), (14, 18, 25)),
        (((40, 2, 6), (13, 20, 15), 15),),
    ),
    _abdomen(
        4,
        Grid((80, 84, 20), (2.1, 1.4, 4.2)),
        ((35, -19, 2), (15, 16, 28)),
        (((47, -4, 0), (18, 11, 21), 50), ((33, -20, -25), (9, 8, 7), 0)),
    ),
)
HEADS: tuple[Head, ...] = (
    _head(1, Grid((44, 62, 48), (3.5, 3.1, 3.4)), ((0, -2, 17), 36, 4), ((0, -18, -36), 29, -22)),
    _head(2, Grid((48, 56, 52), (3.2, 3.4, 3.1)), ((0, 0, 19), 33, -5), ((0, -16, -38), 26, -31)),
    _head(3, Grid((42, 66, 50), (3.6, 2.9, 3.3)), ((0, -4, 16), 38, 7), ((0, -20, -35), 30, -18)),
    _head(4, Grid((46, 60, 44), (3.3, 3.2, 3.7)), ((0, -1, 18), 34, 2), ((0, -17, -37), 27, -26)),
)
