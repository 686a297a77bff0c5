"""Stage summarize: from tables of scores to the columns that an aggregate takes, and to rows across groups.

In: Arrow tables as ``store.score_table`` has them. Out: ``Columns``; per group its metrics and counts; rows over
several groups by the rules of a profile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mrarebench_hf.families import Family, Profile
from mrarebench_hf.score.measurement_summary import Columns, aggregate, counts, near_zero
from mrarebench_hf.source.label_groups import label_groups

__all__ = ["as_columns", "group_entry", "join", "overall_rows", "protocol_rows"]

_FLOATS = ("mae", "mre", "iou", "f1", "precision", "recall")


def as_columns(family: Family, table: pa.Table) -> Columns:
    """The columns of a table of scores; an nMAE counts where the table says that it succeeded."""
    floats = {name: table[name].to_numpy() for name in _FLOATS}
    nmae = np.where(table["nmae_success"].to_numpy(), table["nmae"].to_numpy(), np.nan)
    first = pc.list_element(table["target"], 0).to_numpy() if len(table) else np.empty(0)
    return Columns(
        **floats,
        nmae=nmae,
        scored=pc.equal(table["status"], "scored").to_numpy(),
        missing=pc.equal(table["status"], "missing").to_numpy(),
        near_zero=near_zero(family, first),
        flagged=table["flagged"].to_numpy(),
        no_diagonal=pc.is_valid(table["no_diagonal"]).to_numpy(),
    )


def group_entry(family: Family, profile: Profile, columns: Columns) -> dict[str, Any]:
    """One row of a summary: metrics by name, then counts; undefined values are null."""
    return {name: value for name, (value, _) in aggregate(family, profile, columns).items()} | counts(columns)


def overall_rows(family: Family, groups: Mapping[str, Columns]) -> dict[str, dict[str, Any]]:
    """Rows over several groups under ``spec``: every sample counts once, whatever its group.

    All samples; for boxes anatomy, and tumors and lesions, without the groups that a summary leaves out; for A/D each
    metric type of each dataset, and of all.
    """
    parts: dict[str, list[str]] = {"all": list(groups)}
    if family.is_box:
        parts |= _anatomy_and_lesion(groups)
    if family.name == "AD":
        for name in groups:
            dataset, kind = name.split("_")[:2]
            parts.setdefault(f"{dataset} {kind or 'untyped'}", []).append(name)
            parts.setdefault(kind or "untyped", []).append(name)
    return {
        label: group_entry(family, "spec", join([groups[name] for name in names])) | {"n_groups": len(names)}
        for label, names in parts.items()
        if names
    }


def protocol_rows(family: Family, groups: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Rows over several groups as medvision_bm 1.2.1 prints them: means of groups, weighted by their samples."""
    if family.is_box:
        parts = _anatomy_and_lesion(groups)
        return {label: _weighted_by_valid([groups[name] for name in names]) for label, names in parts.items() if names}
    shown = ("SuccessRate", "MRE<0.1", "MRE<0.2", "MRE<0.3")
    if family.name == "TL":
        kept = [entry for entry in groups.values() if entry["MRE"] is not None]
        return {"all": _over_total(kept, ("MAE", "MRE", *shown)) | {"nMAE": _over_valid(kept, "nMAE")}}
    rows = {"all": _over_total(groups.values(), ("MAE", "MRE", *shown))}
    rows["all"]["nMAE"] = _over_valid(groups.values(), "nMAE")
    for label, prefixes in _AD_ROWS.items():
        entries = [entry for name, entry in groups.items() if name.startswith(prefixes)]
        found = {metric: _over_valid(entries, metric) for metric in ("MAE", "MRE", "nMAE", *shown)}
        rows[label] = found | {"n_total": sum(entry["n_total"] for entry in entries)}
    return rows


_AD_ROWS: dict[str, tuple[str, ...]] = {
    "FeTA-Distance": ("FeTA24_distance",),
    "Ceph-Angle": ("Ceph-Biometrics-400_angle",),
    "Ceph-Distance": ("Ceph-Biometrics-400_distance",),
    "Distance": ("FeTA24_distance", "Ceph-Biometrics-400_distance"),
    "Angle": ("Ceph-Biometrics-400_angle",),
}


def _anatomy_and_lesion(groups: Mapping[str, Any]) -> dict[str, list[str]]:
    tables = label_groups()
    kept = [
        name
        for name, entry in groups.items()
        if not tables.is_excluded(name) and _size(entry) >= tables.minimum_group_size
    ]
    return {
        "anatomy": [name for name in kept if not tables.is_tumor_lesion(name)],
        "T/L": [name for name in kept if tables.is_tumor_lesion(name)],
    }


def _size(entry: Any) -> int:
    return len(entry) if isinstance(entry, Columns) else int(entry["n_total"])


def _weighted_by_valid(entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = [name for name in entries[0] if not name.startswith("n_")]
    found: dict[str, Any] = {name: _over_valid(entries, name) for name in names}
    return found | {"n_total": sum(entry["n_total"] for entry in entries), "n_groups": len(entries)}


def _over_valid(entries: Iterable[Mapping[str, Any]], metric: str) -> float | None:
    """Mean of the groups that have a value, weighted by their samples."""
    found = [(entry[metric], entry["n_total"]) for entry in entries if entry[metric] is not None]
    total = sum(n for _, n in found)
    return math.fsum(value * n for value, n in found) / total if total else None


def _over_total(entries: Iterable[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    """The same over the samples of all groups, those without a value too."""
    rows = list(entries)
    total = sum(entry["n_total"] for entry in rows)
    found: dict[str, Any] = {"n_total": total, "n_groups": len(rows)}
    for name in names:
        values = [entry[name] * entry["n_total"] for entry in rows if entry[name] is not None]
        found[name] = math.fsum(values) / total if total and values else None
    return found


def join(parts: Sequence[Columns]) -> Columns:
    """The samples of several parts, one after the other."""
    names = Columns.__dataclass_fields__
    return Columns(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
