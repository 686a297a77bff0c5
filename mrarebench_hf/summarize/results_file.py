"""Stage summarize: the aggregate of one parsed file, in the layout of MedVision's ``<stamp>_results.json``.

In: columns of scores, batch by batch. Out: the raw results document with the new values in it. Under ``medvision_bm``
the values have that package's forms, texts among them; under ``spec`` numbers are numbers and undefined ones null.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mrarebench_hf.families import Family, Profile
from mrarebench_hf.score.measurement_summary import Columns, aggregate, counts, near_zero

__all__ = ["ResultColumns", "results_document"]

_FLOATS = ("mae", "mre", "nmae", "iou", "f1", "precision", "recall")


class ResultColumns:
    """Collects what aggregates of one file need: a few numbers per sample."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._floats = {name: array("d") for name in (*_FLOATS, "target")}
        self._flags = {name: bytearray() for name in ("scored", "missing", "flagged", "no_diagonal")}
        self._reasons: dict[str, int] = {}
        self._differ = 0

    def add(self, columns: Mapping[str, Any]) -> None:
        """Add a batch, by the names of ``store.score_table.SCHEMA``."""
        for name in _FLOATS:
            self._floats[name].frombytes(np.ascontiguousarray(columns[name], np.float64).tobytes())
        self._floats["target"].extend(target[0] for target in columns["target"])
        self._flags["scored"].extend(status == "scored" for status in columns["status"])
        self._flags["missing"].extend(status == "missing" for status in columns["status"])
        self._flags["flagged"].extend(bool(flag) for flag in columns["flagged"])
        self._flags["no_diagonal"].extend(reason is not None for reason in columns["no_diagonal"])
        self._differ += sum(columns["profiles_differ"])
        for reason in (*columns["reason"], *columns["no_diagonal"]):
            if reason is not None:
                self._reasons[reason] = self._reasons.get(reason, 0) + 1

    @property
    def columns(self) -> Columns:
        """All samples so far."""
        arrays: dict[str, npt.NDArray[Any]] = {
            name: np.frombuffer(values, np.float64) if values else np.empty(0) for name, values in self._floats.items()
        }
        target = arrays.pop("target")
        arrays |= {name: np.frombuffer(bytes(values), np.bool_) for name, values in self._flags.items()}
        return Columns(**arrays, near_zero=near_zero(self._family, target))

    @property
    def reasons(self) -> dict[str, int]:
        """Why samples were not scored, or have no nMAE, by name."""
        return dict(sorted(self._reasons.items()))

    def counts(self) -> dict[str, int]:
        """The counts of an aggregate, and how many samples the two profiles read differently."""
        return counts(self.columns) | {"n_profiles_differ": self._differ}


def results_document(
    raw: Mapping[str, Any] | None,
    task: str,
    family: Family,
    profile: Profile,
    columns: Columns,
    about: Mapping[str, Any],
) -> dict[str, Any]:
    """The results document with the values of stage 2.

    Args:
        raw: the document of stage 1; without one there is a new one.
        task: name of the task: of its entry, where several are there or none is.
        family: what is measured.
        profile: by which rules.
        columns: the samples.
        about: what a reader must know to trust the values; stands below ``mrarebench``.
    """
    document = dict(raw) if raw is not None else {}
    results = document.get("results")
    results = dict(results) if isinstance(results, dict) and results else {task: {"alias": task}}
    name = next(iter(results))  # medvision_bm completes the first entry, whatever its name
    if profile == "spec" and (task in results or len(results) > 1):
        name = task
    old = results.get(name)
    values = (_protocol_values if profile == "medvision_bm" else _values)(family, columns)
    results[name] = (old if isinstance(old, dict) else {}) | values
    return document | {"results": results, "mrarebench": dict(about)}


def _values(family: Family, columns: Columns) -> dict[str, Any]:
    found = {name: value for name, (value, _) in aggregate(family, "spec", columns).items()}
    named = {"avgMAE": found["MAE"]}
    if not family.is_box:
        named |= {"avgMRE": found["MRE"], "avgNMAE": found["nMAE"]}
    published = {f"{name},none": value for name, value in named.items()}
    published |= {"SuccessRate,none": found["SuccessRate"]}
    if family.is_box:
        published |= {"avgIoU,none": found["IoU"]}
    shares = {name: value for name, value in found.items() if "<" in name or ">" in name}
    return published | named | {"SuccessRate": found["SuccessRate"]} | shares


def _protocol_values(family: Family, columns: Columns) -> dict[str, Any]:
    """Stage 2 of medvision_bm: means over all that is not NaN, as text; true comparisons; nothing is left out."""
    n = len(columns)
    values = {
        "avgMAE,none": _as_text(columns.mae),
        "SuccessRate,none": int(columns.scored.sum()) / n if n else None,
        "avgMRE,none": _as_text(columns.mre),
        "avgIoU,none": _as_text(columns.iou),
    }
    with np.errstate(invalid="ignore"):
        shares = {
            f"MRE<{k / 10:.1f}": "N/A" if family.is_box else (int((columns.mre < k / 10).sum()) / n if n else None)
            for k in range(1, 11)
        }
    return values | shares


def _as_text(column: npt.NDArray[np.float64]) -> str:
    found = column[~np.isnan(column)]
    if not len(found):
        return "nan"
    return str(float(found.sum()) / len(found) if np.isinf(found).any() else math.fsum(found.tolist()) / len(found))
