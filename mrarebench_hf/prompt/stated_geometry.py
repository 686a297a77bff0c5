"""Stage prompt: a picture's geometry and what a model's processor makes of it in, the geometry that is stated out.

A model sees the picture after its processor has resized, padded or cropped it. Size and spacing must be those of what
it sees, or lengths that it works out from them are wrong. Source: medvision_bm 1.2.1.
"""

from __future__ import annotations

import math

from mrarebench_hf.errors import DataFormatError, ModelError
from mrarebench_hf.measured import Geometry, View

__all__ = ["stated_geometry"]


def stated_geometry(picture: Geometry, view: View) -> Geometry:
    """Size and spacing of a picture as the model sees it.

    Args:
        picture: size in pixels and spacing in millimetres of the picture that is given to the processor.
        view: canvas and content of what comes out of it, in pixels.

    Returns:
        The canvas, in whole pixels, and per axis the spacing divided by how much the content was enlarged; the
        spacing is not rounded. Padding changes the size alone: content × stated spacing is the extent of the picture.

    Raises:
        DataFormatError: when a size or spacing of the picture is not a positive number.
        ModelError: when canvas or content is not, or the canvas has less than half a pixel.

    >>> stated_geometry(Geometry((60, 80), (3.0, 2.0)), View(canvas=(120, 120), content=(90, 120)))
    Geometry(size_px=(120, 120), spacing_mm=(2.0, 1.3333333333333333))
    """
    if not _positive(*picture.size_px, *picture.spacing_mm):
        raise DataFormatError(
            f"a picture of {picture.size_px} pixels with a spacing of {picture.spacing_mm} mm: all four must be "
            "positive numbers; see the header of its volume"
        )
    rows, columns = (round(length) if math.isfinite(length) else 0 for length in view.canvas)
    if not _positive(rows, columns, *view.content):
        raise ModelError(
            f"the model's processor makes a canvas of {view.canvas} pixels with a content of {view.content}: all four "
            "must be positive numbers; see the rule for this model"
        )
    down, right = (
        spacing / (content / original)
        for spacing, content, original in zip(picture.spacing_mm, view.content, picture.size_px, strict=True)
    )
    return Geometry((rows, columns), (down, right))


def _positive(*numbers: float) -> bool:
    return all(math.isfinite(number) and number > 0 for number in numbers)
