"""Stage source: the factor by which a scaled-pixel-size task changed the spacing that its prompt stated.

In: what identifies a sample. Out: factors on the spacing of rows and columns. The draw is MedVision's: BLAKE2b of the
sample's fields seeds NumPy's legacy generator. Source: medvision_bm 1.2.1.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

import numpy as np

from mrarebench_hf.errors import UsageError

__all__ = ["SCALE_VARIABLES", "draw_scale", "scale_range"]

# Environment variables for the bounds of the draw, and their defaults.
SCALE_VARIABLES = {"MEDVISION_SCALED_PS_LOW": 0.5, "MEDVISION_SCALED_PS_HIGH": 3.0}


def scale_range() -> tuple[float, float]:
    """Bounds of the draw, from the environment or by default.

    Raises:
        UsageError: when a variable holds no number.
    """
    found = []
    for name, default in SCALE_VARIABLES.items():
        text = os.environ.get(name)
        try:
            found.append(default if text is None else float(text))
        except ValueError as error:
            raise UsageError(f"{name}={text!r} is no number; unset it for {default}") from error
    return found[0], found[1]


def draw_scale(fields: tuple[Any, ...], anisotropic: bool, bounds: tuple[float, float]) -> tuple[float, float]:
    """The factors for one sample.

    Args:
        fields: image file exactly as recorded, slice axis, slice number, task number and label; an absent one is None.
        anisotropic: two draws, rows then columns; otherwise one for both.
        bounds: as ``scale_range`` gives them.

    >>> draw_scale(("a.nii.gz", 2, 7, "01", None), False, (0.5, 0.5))
    (0.5, 0.5)
    """
    digest = hashlib.blake2b("|".join(map(str, fields)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    generator = np.random.RandomState(int.from_bytes(digest, "big") % 2**32)
    rows = float(generator.uniform(*bounds))
    return rows, float(generator.uniform(*bounds)) if anisotropic else rows
