"""Stage 2 of MedVision for a batch of lines: texts to numbers one by one, numbers to metrics all at once.

In: decoded lines. Out: per line its parsed form as bytes, and the columns of our own record.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from mrarebench_hf.families import Family, Profile
from mrarebench_hf.parse.sample import Sample, read_sample
from mrarebench_hf.pipeline.diagonals import Diagonals
from mrarebench_hf.score.box_convention import BoxFormat, BoxOrigin
from mrarebench_hf.score.measured_answers import Answer, fitting_target, read_answer, score_answers
from mrarebench_hf.score.measurement import SampleScores

__all__ = ["Batch", "Row", "read_row", "score_columns", "score_rows"]

_METRICS = ("mae", "mre", "nmae", "iou", "f1", "precision", "recall")
# Entry of a parsed line, the name in it, and the column.
_BOX_METRICS = (
    ("avgIoU", "IoU", "iou"),
    ("F1", "F1", "f1"),
    ("Precision", "Precision", "precision"),
    ("Recall", "Recall", "recall"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line between its reading and its scores.

    Attributes:
        record: the decoded line; scoring completes it.
        sample: its facts.
        target: the k numbers to compare with; None when it does not fit the answer (``medvision_bm`` only).
        answer: what was read.
    """

    record: dict[str, Any]
    sample: Sample
    target: tuple[float, ...] | None
    answer: Answer

    @property
    def reason(self) -> str | None:
        """Why the sample is not scored; None when it is."""
        return self.answer.reason if self.target else self.answer.reason or "target"


@dataclass(frozen=True, slots=True)
class Batch:
    """Scored rows: ``lines`` as they are written, ``columns`` by the names of ``store.score_table.SCHEMA``."""

    lines: list[bytes]
    columns: dict[str, Any]


def read_row(record: Any, family: Family, profile: Profile, box_format: BoxFormat, origin: BoxOrigin) -> Row:
    """Read one decoded line.

    Raises:
        ValueError: when it is no sample of the family.
    """
    sample = read_sample(record, family)
    target = fitting_target(sample.target, family, profile)
    answer = read_answer(sample.reply, family, profile, box_format, origin, sample.size_px, sample.metric_type)
    return Row(record, sample, target, answer)


def score_rows(rows: Sequence[Row], family: Family, profile: Profile, diagonals: Diagonals) -> Batch:
    """Score rows and complete their records."""
    columns = score_columns(rows, family, profile, diagonals)
    _complete(rows, columns, family, profile)
    return Batch([_encoded(row.record) for row in rows], columns)


def score_columns(rows: Sequence[Row], family: Family, profile: Profile, diagonals: Diagonals) -> dict[str, Any]:
    """Scores of rows, by the names of ``store.score_table.SCHEMA``."""
    found = [_diagonal(row, diagonals, profile) for row in rows]
    answers, targets = [row.answer for row in rows], [row.target for row in rows]
    scores, flagged = score_answers(family, profile, answers, targets, [millimetres for millimetres, _ in found])
    sizes = [diagonals.picture_size(row.sample) if family.is_box else row.sample.size_px for row in rows]
    columns = _columns(rows, scores, sizes)
    columns["no_diagonal"] = [reason for _, reason in found]
    columns["flagged"] = flagged
    nmae, known = _stored_nmae(rows, scores, profile)
    return columns | {"nmae": nmae, "nmae_success": known}


def _diagonal(row: Row, diagonals: Diagonals, profile: Profile) -> tuple[float, str | None]:
    """The diagonal where one is used: of a length; under ``medvision_bm`` of a parsed one without a stored nMAE."""
    if not diagonals.applies(row.sample):
        return np.nan, None
    if profile == "medvision_bm" and (row.reason is not None or row.sample.stored_nmae is not None):
        return np.nan, None
    return diagonals.of(row.sample)


def _stored_nmae(rows: Sequence[Row], scores: SampleScores, profile: Profile) -> tuple[np.ndarray, list[bool]]:
    """nMAE and whether it counts; ``medvision_bm`` keeps one that the raw line has, whatever the answer is now."""
    nmae = scores.nmae.copy()
    known = (~np.isnan(nmae)).tolist()
    if profile == "medvision_bm":
        for place, row in enumerate(rows):
            stored = row.sample.stored_nmae
            if stored is not None:
                number = stored.get("NMAE")
                nmae[place] = number if isinstance(number, int | float) else np.nan
                known[place] = bool(stored.get("success", False))
    return nmae, known


def _columns(rows: Sequence[Row], scores: SampleScores, sizes: Sequence[tuple[float, float] | None]) -> dict[str, Any]:
    samples = [row.sample for row in rows]
    status = {None: "scored", "no_answer": "missing"}
    return {
        "doc_id": [sample.doc_id for sample in samples],
        "status": [status.get(row.reason, "unparsed") for row in rows],
        "reason": [row.reason for row in rows],
        "response": [row.answer.response for row in rows],
        "target_text": [_target_text(row.record["target"]) for row in rows],
        "target": [sample.target for sample in samples],
        **{name: getattr(scores, name) for name in _METRICS},
        "profiles_differ": [row.answer.differ for row in rows],
        "box_ratio": [_box_ratio(sample, size) for sample, size in zip(samples, sizes, strict=True)],
        "size_px": sizes,
        "image_file": [_clean(sample.image_file) for sample in samples],
        "slice_dim": [sample.slice_dim for sample in samples],
        "slice_idx": [_json(sample.slice_idx) for sample in samples],
        "task_id": [_json(sample.task_id) for sample in samples],
        "label": [_json(sample.label) for sample in samples],
        "scale": [_json(row.record.get("pixel_size_scale")) for row in rows],
        "metric_type": [_clean(sample.metric_type) for sample in samples],
        "metric_key": [_clean(sample.metric_key) for sample in samples],
        "label_name": [_clean(sample.label_name) for sample in samples],
        "modality": [_clean(sample.modality) for sample in samples],
    }


def _complete(rows: Sequence[Row], columns: dict[str, Any], family: Family, profile: Profile) -> None:
    """Put the scores into the records, in the places and with the names that medvision_bm's users read."""
    lists = {name: columns[name].tolist() for name in _METRICS}
    for place, row in enumerate(rows):
        record, success = row.record, row.reason is None
        record["filtered_resps"] = [row.answer.response]
        record["avgMAE"] = {"MAE": lists["mae"][place], "success": success}
        record["SuccessRate"] = {"success": success}
        if family.is_box:
            for entry, name, column in _BOX_METRICS:
                record[entry] = {name: lists[column][place]}
            size = columns["size_px"][place]
            if size is not None and "image_size_2d" not in record["doc"]:
                record["doc"]["image_size_2d"] = [int(side) for side in size]
            record["box_img_ratio"] = columns["box_ratio"][place]
        else:
            record["avgMRE"] = {"MRE": lists["mre"][place], "success": success}
            if profile == "spec" or row.sample.stored_nmae is None:
                record["nMAE"] = {"NMAE": lists["nmae"][place], "success": columns["nmae_success"][place]}
        if profile == "spec":
            record["parse_reason"] = row.reason


def _box_ratio(sample: Sample, size: tuple[float, float] | None) -> float | None:
    """Share of the picture that the target's box covers; None for no box, or without a size."""
    if sample.box_size_px is not None and size is not None:
        return sample.box_size_px[0] * sample.box_size_px[1] / (size[0] * size[1])
    if len(sample.target) == 4 and sample.box_size_px is None:
        x0, y0, x1, y1 = sample.target
        return abs(x1 - x0) * abs(y1 - y0)
    return None


def _encoded(record: dict[str, Any]) -> bytes:
    """Strict JSON: what is not finite is null."""
    try:
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)
    except TypeError:  # an unpaired surrogate, or an integer beyond 64 bits
        return json.dumps(_finite(record), allow_nan=False).encode() + b"\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _json(value: Any) -> str | None:
    return None if value is None else orjson.dumps(value, default=str).decode()


def _target_text(value: Any) -> str:
    return _clean(value) if isinstance(value, str) else json.dumps(value)


def _clean(text: str | None) -> Any:
    """A text that Parquet can hold: an unpaired surrogate becomes a question mark."""
    return None if text is None else text.encode("utf-8", "replace").decode()
