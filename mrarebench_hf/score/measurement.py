"""Stage score: the metrics of every sample of a MedVision family, by one of the two profiles; vectorised and pure.

In: the numbers read, the targets, and the physical diagonals, as arrays with one row per sample.
Out: ``SampleScores``, arrays of shape (n,).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mrarebench_hf.families import Family, Profile
from mrarebench_hf.score.boxes import overlap, protocol_overlap
from mrarebench_hf.score.errors_of_measurement import mean_absolute_error, mean_relative_error, normalised_error

__all__ = ["SampleScores", "score_samples"]

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SampleScores:
    """Metrics of n samples, each an array of shape (n,); NaN where undefined.

    Attributes:
        success: whether the answer was parsed.
        mae: mean absolute error, in the unit of the target (of a box: fraction of the picture).
        mre: mean relative error; NaN for boxes and for a target of 0.
        nmae: MAE over the picture's physical diagonal; NaN without a diagonal.
        iou: intersection over union, 0 for an unparsed box, NaN for other families.
        f1: Dice, likewise.
        precision: likewise.
        recall: likewise.
    """

    success: Flags
    mae: Floats
    mre: Floats
    nmae: Floats
    iou: Floats
    f1: Floats
    precision: Floats
    recall: Floats


def score_samples(
    family: Family,
    profile: Profile,
    values: npt.ArrayLike,
    success: npt.ArrayLike,
    targets: npt.ArrayLike,
    diagonal_mm: npt.ArrayLike,
) -> SampleScores:
    """Score samples.

    Args:
        family: what is measured; k is its ``n_values``.
        profile: by which rules. ``medvision_bm`` rounds predictions to float32 and divides by signed targets.
        values: shape (n, k); what stands in the row of an unparsed answer does not matter.
        success: shape (n,), whether the answer was parsed.
        targets: shape (n, k).
        diagonal_mm: shape (n,), physical diagonal of the picture; NaN where it is unknown or means nothing.
    """
    parsed = np.asarray(success, np.bool_)
    t = np.asarray(targets, np.float64).reshape(-1, family.n_values)
    p = np.where(parsed[:, None], np.asarray(values, np.float64).reshape(-1, family.n_values), np.nan)
    protocol = profile == "medvision_bm"
    if protocol:
        with np.errstate(over="ignore", under="ignore"):
            p = p.astype(np.float32).astype(np.float64)
    mae = mean_absolute_error(p, t)
    nothing = np.full(len(t), np.nan)
    if not family.is_box:
        mre = mean_relative_error(p, t, protocol=protocol)
        nmae = normalised_error(mae, diagonal_mm)
        return SampleScores(parsed, mae, mre, nmae, nothing, nothing, nothing, nothing)
    found = (protocol_overlap if protocol else overlap)(np.where(parsed[:, None], p, 0.0), t)
    return SampleScores(parsed, mae, nothing, nothing, found.iou, found.f1, found.precision, found.recall)
