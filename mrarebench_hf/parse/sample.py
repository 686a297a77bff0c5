"""Stage parse: what scoring needs of one line of a MedVision samples file, whoever wrote it.

In: the decoded JSON object. Out: a ``Sample``, or ValueError that says what is wrong with the line.
Lines of this package and of medvision_bm are both read; unknown keys do not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mrarebench_hf.families import Family
from mrarebench_hf.parse.literal import numbers

__all__ = ["Sample", "read_sample"]


# No picture has so many pixels, no pixel so many millimetres.
_LARGEST = 1e12


@dataclass(frozen=True, slots=True)
class Sample:
    """One line's facts.

    Attributes:
        doc_id: number in the dataset; 0 when absent.
        reply: the model's text; None when no answer was had.
        target: its numbers, as many as stand there.
        image_file: path of the volume, exactly as recorded; None when absent.
        mask_file: path of the mask, likewise.
        slice_dim: axis of the slice, 0 to 2; None when absent.
        slice_idx: number of the slice.
        task_id: the dataset's own task number as recorded.
        label: the structure's label as recorded.
        size_px: rows and columns of the picture; None when absent.
        spacing_mm: millimetres per pixel along rows and columns; None when absent.
        scale: recorded factors on the spacing, rows and columns; None when absent.
        metric_type: "distance", "angle" or "" (A/D only).
        metric_key: which of the dataset's measures (A/D only); None when absent.
        label_name: the structure's name, which records of this package have; None when absent.
        modality: "CT", "MRI", likewise.
        box_size_px: sides of the target's box in pixels; None when absent.
        stored_nmae: ``nMAE`` as the line already has it; None when absent.
    """

    doc_id: int
    reply: str | None
    target: tuple[float, ...]
    image_file: str | None
    mask_file: str | None
    slice_dim: int | None
    slice_idx: Any
    task_id: Any
    label: Any
    size_px: tuple[float, float] | None
    spacing_mm: tuple[float, float] | None
    scale: tuple[float, float] | None
    metric_type: str
    metric_key: str | None
    label_name: str | None
    modality: str | None
    box_size_px: tuple[float, float] | None
    stored_nmae: Mapping[str, Any] | None


def read_sample(record: Any, family: Family) -> Sample:
    """Take the facts out of a line.

    Raises:
        ValueError: when the line is no sample, or its target is not one.
    """
    doc = record.get("doc") if isinstance(record, dict) else None
    if not isinstance(doc, dict):
        raise ValueError("no sample: it has no object 'doc'")
    profile = doc.get("biometric_profile")
    profile = profile if isinstance(profile, dict) else {}
    slice_dim = doc.get("slice_dim")
    slice_dim = slice_dim if type(slice_dim) is int and 0 <= slice_dim <= 2 else None
    stored = record.get("nMAE")
    return Sample(
        doc_id=_doc_id(record.get("doc_id", 0)),
        reply=_reply(record),
        target=numbers(record.get("target")),
        image_file=_text(doc.get("image_file")),
        mask_file=_text(doc.get("mask_file")),
        slice_dim=slice_dim,
        slice_idx=doc.get("slice_idx"),
        task_id=doc.get("taskID"),
        label=doc.get("label"),
        size_px=_pair(doc.get("image_size_2d")) or _pair(doc.get("image_size")),
        spacing_mm=_pair(doc.get("pixel_size")) or _pair(doc.get("pixel_size_mm")) or _in_plane(doc, slice_dim),
        scale=_scale(record.get("pixel_size_scale")),
        metric_type=_text(profile.get("metric_type", doc.get("metric_type"))) or "",
        metric_key=_text(profile.get("metric_key")),
        label_name=_text(doc.get("label_name")) or None,
        modality=_text(doc.get("modality")) or None,
        box_size_px=_box_size(doc.get("bounding_boxes")) if family.is_box else None,
        stored_nmae=stored if isinstance(stored, dict) else None,
    )


def _reply(record: Mapping[str, Any]) -> str | None:
    """The text in ``resps``, however deep it is nested; None for a failed request."""
    if record.get("status") == "failed":
        return None
    found = record.get("resps")
    for _ in range(3):
        if not isinstance(found, list):
            break
        found = found[0] if found else None
    return found if isinstance(found, str) else None


def _doc_id(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
        raise ValueError(f"doc_id {value!r:.40} is no whole number")
    return value


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _pair(value: Any) -> tuple[float, float] | None:
    """Two positive numbers; None for anything else."""
    if not isinstance(value, list) or len(value) != 2:
        return None
    first, second = value
    if not isinstance(first, int | float) or not isinstance(second, int | float):
        return None
    if not (0 < first < _LARGEST and 0 < second < _LARGEST):
        return None
    return float(first), float(second)


def _in_plane(doc: Mapping[str, Any], slice_dim: int | None) -> tuple[float, float] | None:
    voxel = doc.get("voxel_size")
    if slice_dim is None or not isinstance(voxel, list) or len(voxel) != 3:
        return None
    return _pair([side for axis, side in enumerate(voxel) if axis != slice_dim])


def _scale(value: Any) -> tuple[float, float] | None:
    return _pair([value.get("s_h"), value.get("s_w")]) if isinstance(value, dict) else None


def _box_size(value: Any) -> tuple[float, float] | None:
    dimensions = value.get("dimensions") if isinstance(value, dict) else None
    return _pair(dimensions[0]) if isinstance(dimensions, list) and dimensions else None
