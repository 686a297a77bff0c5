"""Stage store: one line of MedVision's samples file, with the fields that its users' scripts read, and ours.

In: a sample, its geometry and target, and what came back. Out: a JSON object. Paths count from the data folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mrarebench_hf.measured import Geometry, MeasuredSample
from mrarebench_hf.records import Response

__all__ = ["Shown", "measured_line"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What one sample showed and what is compared with its answer.

    Attributes:
        doc_id: its number in the task, after the filters.
        sample: what is measured.
        geometry: size and spacing of its slice, unscaled and before any resizing.
        prompt: the text.
        target: the numbers of the right answer.
        scale: factors on the stated spacing; None for a task that does not scale.
    """

    doc_id: int
    sample: MeasuredSample
    geometry: Geometry
    prompt: str
    target: tuple[float, ...]
    scale: tuple[float, float] | None


def measured_line(shown: Shown, fingerprint: str, response: Response, about: Mapping[str, Any]) -> dict[str, Any]:
    """One line.

    Args:
        shown: the sample.
        fingerprint: what the response is stored under.
        response: what came back.
        about: how the samples were chosen and shown, the same for all lines of a file.
    """
    sample, target = shown.sample, shown.target
    line: dict[str, Any] = {
        "doc_id": shown.doc_id,
        "doc": _doc(shown),
        "target": repr(target[0]) if sample.measure is not None else repr(list(target)),
        "resps": [[response.text]],
        "filtered_resps": [response.text],
        "prompt_hash": hashlib.sha256(shown.prompt.encode()).hexdigest(),
        "input": shown.prompt,
        "status": response.status,
        "reason": response.reason,
        "error": response.error,
        "finish_reason": response.finish_reason,
        "fingerprint": fingerprint,
        "run": dict(about),
    }
    if shown.scale is not None:
        down, right = shown.scale
        mode = "uniform" if sample.measure is None else "anisotropic"
        line["pixel_size_scale"] = {"s_h": down, "s_w": right, "mode": mode}
    return line


def _doc(shown: Shown) -> dict[str, Any]:
    sample, geometry = shown.sample, shown.geometry
    doc: dict[str, Any] = {
        "sample_id": sample.sample_id,
        "dataset_name": sample.dataset,
        "taskID": sample.task_id,
        "taskType": sample.task_type,
        "image_file": sample.image_file,
        "mask_file": sample.mask_file or "",
        "landmark_file": sample.landmark_file or "",
        "slice_dim": sample.slice_dim,
        "slice_idx": sample.slice_idx,
        "label": sample.label,
        "label_name": sample.label_name or None,
        "modality": sample.modality,
        "release": sample.release,
        "image_size_2d": list(geometry.size_px),
        "pixel_size": list(geometry.spacing_mm),
        "image_size_3d": list(sample.array_size),
        "voxel_size": list(sample.voxel_mm),
    }
    if sample.box_px is not None:
        doc["bounding_boxes"] = _boxes(sample.box_px, geometry)
    else:
        doc["biometric_profile"] = _profile(shown)
    return doc


def _boxes(box_px: tuple[int, int, int, int], geometry: Geometry) -> dict[str, Any]:
    top, left, bottom, right = box_px
    height, width = bottom - top + 1, right - left + 1
    down_mm, right_mm = geometry.spacing_mm
    return {
        "min_coords": [[top, left]],
        "max_coords": [[bottom, right]],
        "center_coords": [[(top + bottom) // 2, (left + right) // 2]],
        "dimensions": [[height, width]],
        "sizes": [[height * down_mm, width * right_mm]],
    }


def _profile(shown: Shown) -> dict[str, Any]:
    sample = shown.sample
    place = {"metric_unit": sample.unit, "slice_dim": sample.slice_dim, "slice_idx": sample.slice_idx}
    if sample.measure is not None:
        maps = {"distance": "lines_map", "angle": "angles_map"}
        return {
            "metric_type": sample.measure.kind,
            "metric_map_name": maps[sample.measure.kind],
            "metric_key": sample.measure.key,
            "metric_value": sample.values[0],
            **place,
        }
    major, minor = sample.values
    return {
        "metric_type": "distance",
        "metric_key_major_axis": "L-1-2",
        "metric_key_minor_axis": "L-3-4",
        "metric_value_major_axis": [major],
        "metric_value_minor_axis": [minor],
        **place,
    }
