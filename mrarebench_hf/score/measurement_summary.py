"""Stage score: from the metrics of samples to the metrics of a group of samples, by one of the two profiles; pure.

In: ``Columns``, one entry per sample. Out: per metric its value (None over nothing) and the number of samples that it
is over, and the counts that every aggregate carries.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from mrarebench_hf.families import Family, Profile
from mrarebench_hf.score._metric import Metric, Values

__all__ = ["Columns", "aggregate", "counts", "metrics", "near_zero", "select"]

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_TENTHS = tuple(range(1, 11))
_OVERLAPS = (("IoU", "iou"), ("F1", "f1"), ("Precision", "precision"), ("Recall", "recall"))
# Acc@IoU of medvision_bm: in steps of 0.05.
_ACC = tuple(50 + 5 * step for step in range(10))


@dataclass(frozen=True, slots=True)
class Columns:
    """Metrics and outcomes of n samples, each an array of shape (n,); NaN where undefined.

    Attributes:
        scored: whether the answer was parsed.
        missing: whether no answer was had; a sample that is neither is unparsed.
        mae: mean absolute error.
        mre: mean relative error.
        nmae: MAE over the physical diagonal.
        iou: intersection over union.
        f1: Dice.
        precision: intersection over predicted area.
        recall: intersection over the target's area.
        near_zero: whether the target is too small to count (A/D).
        flagged: a box out of range, or a negative length or angle.
        no_diagonal: whether nMAE would apply and the diagonal is unknown.
    """

    scored: Flags
    missing: Flags
    mae: Floats
    mre: Floats
    nmae: Floats
    iou: Floats
    f1: Floats
    precision: Floats
    recall: Floats
    near_zero: Flags
    flagged: Flags
    no_diagonal: Flags

    def __len__(self) -> int:
        return len(self.scored)


def near_zero(family: Family, first_target: npt.ArrayLike) -> Flags:
    """Which samples a family drops before aggregation: those whose target lies below its threshold; shape (n,)."""
    target = np.asarray(first_target, np.float64)
    if family.near_zero is None:
        return np.zeros(len(target), np.bool_)
    return np.asarray(target < family.near_zero, np.bool_)


def select(columns: Columns, rows: npt.NDArray[np.intp] | Flags) -> Columns:
    """The same columns for some of the samples."""
    return Columns(**{field.name: getattr(columns, field.name)[rows] for field in fields(Columns)})


def aggregate(family: Family, profile: Profile, columns: Columns) -> Values:
    """Metrics of a group.

    ``spec``: MAE, MRE and nMAE are means over the scored samples that have one; overlaps, SuccessRate and the shares
    beyond a threshold are over all samples; thresholds are strict. ``medvision_bm``: its stage 3, where only finite
    values count, an error of 1 or more falls into the last bucket, and overlaps count from the threshold on.
    Both leave out samples with a target near zero.
    """
    counted = select(columns, ~columns.near_zero)
    n = len(counted)
    found: Values = {}
    if family.is_box:
        found |= {name: _mean(getattr(counted, column)) for name, column in _OVERLAPS}
    found["MAE"] = _mean(counted.mae)
    if not family.is_box:
        found["MRE"] = _mean(counted.mre)
        found["nMAE"] = _mean(np.where(counted.scored, counted.nmae, np.nan))
    found["SuccessRate"] = _share(counted.scored, n)
    return found | (_protocol_shares(family, counted) if profile == "medvision_bm" else _shares(family, counted))


def counts(columns: Columns) -> dict[str, int]:
    """How many samples are in an aggregate, and what became of them; those near zero stand apart.

    ``n_total`` = ``n_scored`` + ``n_unparsed`` + ``n_missing``.
    """
    counted = select(columns, ~columns.near_zero)
    scored, missing = int(counted.scored.sum()), int(counted.missing.sum())
    return {
        "n_total": len(counted),
        "n_scored": scored,
        "n_unparsed": len(counted) - scored - missing,
        "n_missing": missing,
        "n_near_zero": int(columns.near_zero.sum()),
        "n_out_of_range": int((counted.flagged & counted.scored).sum()),
        "n_no_diagonal": int(counted.no_diagonal.sum()),
    }


def metrics(family: Family) -> Mapping[str, Metric]:
    """What ``aggregate`` gives under ``spec``, in the order of a table."""
    found = {}
    if family.is_box:
        zero = ", 0 for an answer that is not parsed"
        found = {
            "IoU": Metric("higher", "fraction", "Intersection over union.", f"mean of ∩ / ∪{zero}"),
            "F1": Metric("higher", "fraction", "Dice coefficient.", f"mean of 2 · ∩ / (areaₚ + areaₜ){zero}"),
            "Precision": Metric("higher", "fraction", "Share of the answer on target.", f"mean of ∩ / areaₚ{zero}"),
            "Recall": Metric("higher", "fraction", "Share of the target covered.", f"mean of ∩ / areaₜ{zero}"),
        }
    found["MAE"] = Metric(
        "lower", "as the target", "Mean absolute error of the numbers, parsed answers only.", "mean of abs(p − t)"
    )
    if not family.is_box:
        found["MRE"] = Metric(
            "lower",
            "ratio",
            "Mean relative error of the numbers, parsed answers whose target is not 0 only.",
            "mean of abs(p − t) / abs(t)",
        )
        found["nMAE"] = Metric(
            "lower",
            "ratio",
            "Error as a share of the picture's physical diagonal, parsed lengths with a known diagonal only.",
            "mean of abs(p − t) / diagonal",
        )
    found["SuccessRate"] = Metric("higher", "fraction", "Share of parsed answers.", "n_scored / n_total")
    if family.is_box:
        names = [(f"IoU>0.{k}", f"#(IoU > 0.{k}) / n_total") for k in range(5, 10)]
        what = "Share of all samples whose box overlaps more than this."
    else:
        names = [(f"MRE<{k / 10:.1f}", f"#(MRE < {k / 10:.1f}) / n_total") for k in _TENTHS]
        what = "Share of all samples with a smaller relative error."
    return found | {name: Metric("higher", "fraction", what, formula) for name, formula in names}


def _shares(family: Family, columns: Columns) -> Values:
    n = len(columns)
    with np.errstate(invalid="ignore"):
        if family.is_box:
            return {f"IoU>0.{k}": _share(columns.iou > k / 10, n) for k in range(5, 10)}
        return {f"MRE<{k / 10:.1f}": _share(columns.mre < k / 10, n) for k in _TENTHS}


def _protocol_shares(family: Family, columns: Columns) -> Values:
    n = len(columns)
    name, errors = ("MAE", columns.mae) if family.is_box else ("MRE", columns.mre)
    finite = errors[np.isfinite(errors)]
    # A negative bucket counts from the end, as an index of a list does.
    bucket = np.minimum((np.clip(finite, -1e9, 1e9) * 10).astype(np.int64), 9) % 10
    found = {f"{name}<{k / 10:.1f}": _share(bucket < k, n) for k in _TENTHS}
    if not family.is_box:
        return found
    for name, column in _OVERLAPS:
        values = getattr(columns, column)
        found |= {f"{name}>0.{k}": _share(values >= k / 10, n) for k in range(5, 10)}
    accuracy = {f"Acc@IoU>={k / 100:.2f}": _share(columns.iou >= k / 100, n) for k in _ACC}
    values = [value for value, _ in accuracy.values() if value is not None]
    return found | accuracy | {"Acc@IoU[0.50:0.95]": (math.fsum(values) / len(values) if values else None, n)}


def _mean(values: Floats) -> tuple[float | None, int]:
    """Mean of the finite values, whatever their order."""
    finite = values[np.isfinite(values)]
    return (math.fsum(finite.tolist()) / len(finite) if len(finite) else None), len(finite)


def _share(flags: Flags, n: int) -> tuple[float | None, int]:
    return (int(flags.sum()) / n if n else None), n
