"""Stage summarize: the JSON files that medvision_bm's stage 3 writes, in its layout and with its names.

In: tables of scores by group. Out: documents ``summary_values_*``, ``summary_metrics_*`` and the detection pair.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from mrarebench_hf.families import Family
from mrarebench_hf.source.label_groups import label_groups
from mrarebench_hf.store.sample_files import SampleFile

__all__ = ["all_models", "anatomy_versus_lesion", "metrics_document", "values_document"]

_ERRORS = {"MAE": "avgMAE", "MRE": "avgMRE", "nMAE": "avgNMAE"}
Part = tuple[SampleFile, pa.Table, np.ndarray]


def metrics_document(groups: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """``summary_metrics_*``: per group its metrics under that package's names."""
    return {name: _entry(entry) | {"num_samples": entry["n_total"]} for name, entry in groups.items()}


def anatomy_versus_lesion(
    groups: Mapping[str, Mapping[str, Any]], rows: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """``summary_metrics_anatomy_vs_lesion_*``: the two means, with the groups that are in them."""
    tables = label_groups()
    found = {}
    for label, row in rows.items():
        names = [
            name
            for name, entry in groups.items()
            if tables.is_tumor_lesion(name) == (label == "T/L")
            and not tables.is_excluded(name)
            and entry["n_total"] >= tables.minimum_group_size
        ]
        means = _entry(row) | {"total_samples": row["n_total"], "num_regions": row["n_groups"]}
        detailed = metrics_document({name: groups[name] for name in names})
        found[label] = {"mean_metrics": means, "regions": names, "detailed_data": detailed}
    return found


def all_models(rows_by_model: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """``summary_metrics_all_models_*``: per model and kind the headline values."""
    names = {
        "Recall": "Recall", "Precision": "Precision", "F1": "F1", "IoU": "IoU", "SuccessRate": "SuccessRate",
        "IoU>0.5": "IoU>0.5", "F1>0.5": "F1>0.5", "AccIoU_50": "Acc@IoU>=0.50", "AccIoU_75": "Acc@IoU>=0.75",
        "AccIoU_mean": "Acc@IoU[0.50:0.95]", "total_samples": "n_total", "num_regions": "n_groups",
    }  # fmt: skip
    return {
        model: {kind: {name: row[ours] for name, ours in names.items()} for kind, row in rows.items()}
        for model, rows in rows_by_model.items()
    }


def values_document(family: Family, groups: Mapping[str, Sequence[Part]]) -> Any:
    """``summary_values_*``: targets and answers of every sample, by group; A/D as one list."""
    if family.name == "AD":
        return [
            {"label": name, "targets": target, "responses": [response], "doc_meta": meta}
            for name, parts in groups.items()
            for target, response, meta in _samples(family, parts)
        ]
    document: dict[str, dict[str, list[Any]]] = {}
    for name, parts in groups.items():
        samples = list(_samples(family, parts))
        document[name] = {"targets": [s[0] for s in samples], "responses": [s[1] for s in samples]}
        if not family.is_box:
            document[name]["doc_metas"] = [s[2] for s in samples]
    return document


def _samples(family: Family, parts: Sequence[Part]) -> Iterable[tuple[str, str, dict[str, Any]]]:
    for file, table, rows in parts:
        chosen = table.take(pa.array(rows))
        texts = zip(chosen["target_text"].to_pylist(), chosen["response"].to_pylist(), strict=True)
        if family.is_box:
            yield from ((target, response, {}) for target, response in texts)
            continue
        metas = _metas(family, file, chosen)
        yield from ((target, response, meta) for (target, response), meta in zip(texts, metas, strict=True))


def _metas(family: Family, file: SampleFile, table: pa.Table) -> Iterable[dict[str, Any]]:
    scaled = ("anisotropic" if family.name == "AD" else "uniform") if file.is_scaled else None
    names = ("image_file", "slice_dim", "slice_idx", "size_px", "nmae", "nmae_success", "task_id", "label", "scale")
    columns = zip(*(table[name].to_pylist() for name in names), table["metric_type"].to_pylist(), strict=True)
    for image, axis, index, size, nmae, known, task, label, scale, metric_type in columns:
        meta = {
            "image_file": image,
            "slice_dim": axis,
            "slice_idx": _decoded(index),
            "image_size_2d": None if size is None else [int(side) for side in size],
            "scale_mode": scaled,
            "nmae_precomputed": {"NMAE": nmae, "success": known},
            "taskID": _decoded(task),
            "label": _decoded(label),
            "pixel_size_scale": _decoded(scale),
        }
        yield meta | {"metric_type": metric_type} if family.name == "AD" else meta


def _decoded(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {_ERRORS.get(name, name): value for name, value in entry.items() if not name.startswith("n_")}
