"""Measurements in answers against references: an evaluate module over ``mrarebench_hf.score.measured_answers``.

In: answers as text, and per sample its target. Out: a dict of metrics and counts. All mathematics is in the installed
package, so that this file works from any directory.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from numbers import Real

import datasets
import evaluate

from mrarebench_hf import families
from mrarebench_hf.case_metric import CaseMetric
from mrarebench_hf.errors import UsageError
from mrarebench_hf.score import measured_answers as score
from mrarebench_hf.score import measurement_summary as summary

_DESCRIPTION = """
How close the numbers of an answer are to what was measured in a medical image: boxes (config "detection"), the two axes
of a tumor or lesion ("tumor_lesion"), an angle or distance ("angle_distance"). Definitions as published for MedVision;
profile="medvision_bm" gives what that package computes. See the card.
"""

_INPUTS = """
Args:
    predictions: one entry per sample: the model's whole answer as text, or None where the request failed.
    references: one mapping per sample with "target" (list of 4, 2 or 1 numbers by config; a number alone for 1),
        "diagonal_mm" (the picture's physical diagonal, or None), "metric_type" ("distance", "angle" or None; only
        angle_distance reads it) and, for boxes in pixels, "image_size" (rows and columns).
    profile: "spec" (the published definitions) or "medvision_bm".
    box_format: what the numbers of a box are: "xyxy01" (corners as fractions), "xyxy1000", "xyxy_px" or "xywh01".
    box_origin: where y is 0: "lower-left" or "upper-left".
    return_items: whether to add "items", one dict per sample.
Returns:
    metrics by name, counts, and "reasons": why answers were not read, each with its number. With return_items also
    "items": values, success, status, reason and every metric of the sample, None where undefined.
Example:
    >>> metric = evaluate.load("metrics/medvision", "tumor_lesion")
    >>> result = metric.compute(
    ...     predictions=["The axes are <answer>12.5, 8.0</answer> mm", "about 3 cm"],
    ...     references=[{"target": [10.0, 8.0], "diagonal_mm": 250.0}, {"target": [30.0, 20.0]}],
    ... )
    >>> result["MAE"], result["nMAE"], result["SuccessRate"], result["reasons"]
    (1.25, 0.005, 0.5, {'no_tag': 1})
"""

_CITATION = """
@misc{mrarebench_hf, title = {mrarebench_hf: evaluate vision-language models on MRareBench and MedVision}}
"""

_METRICS = ("mae", "mre", "nmae", "iou", "f1", "precision", "recall")
_METRIC_TYPES = ("distance", "angle", None)


class MedVision(CaseMetric, evaluate.Metric):
    """The module that ``evaluate.load`` gives."""

    def _info(self):
        self._family = _family(self.config_name)
        number, text = datasets.Value("float64"), datasets.Value("large_string")
        reference = {"target": [number], "diagonal_mm": number, "metric_type": text, "image_size": [number]}
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            # large_string, because evaluate refuses a null in the first row of a plain string column.
            features=datasets.Features({"predictions": text, "references": reference}),
        )

    def _compute(
        self,
        predictions,
        references,
        profile="spec",
        box_format="xyxy01",
        box_origin="lower-left",
        return_items=False,
    ):
        family = self._family
        score.check_convention(family, profile, box_format, box_origin)
        answers = [
            score.read_answer(
                text, family, profile, box_format, box_origin, entry["image_size"] or None, entry["metric_type"]
            )
            for text, entry in zip(predictions, references, strict=True)
        ]
        targets = [score.fitting_target(tuple(entry["target"]), family, profile) for entry in references]
        applies = [score.has_diagonal(family, entry["metric_type"]) for entry in references]
        diagonals = [
            entry["diagonal_mm"] if used and entry["diagonal_mm"] is not None else math.nan
            for used, entry in zip(applies, references, strict=True)
        ]
        scores, flagged = score.score_answers(family, profile, answers, targets, diagonals)
        unknown = [used and math.isnan(diagonal) for used, diagonal in zip(applies, diagonals, strict=True)]
        columns = score.summary_columns(family, answers, targets, scores, flagged, unknown)
        result = {name: value for name, (value, _) in summary.aggregate(family, profile, columns).items()}
        result |= summary.counts(columns)
        result["n_profiles_differ"] = sum(answer.differ for answer in answers)
        reasons = Counter(answer.reason for answer in answers if answer.reason is not None)
        result["reasons"] = dict(sorted(reasons.items()))
        return {**result, "items": _items(answers, scores, columns)} if return_items else result

    def _prediction(self, entry, row):
        if entry is not None and not isinstance(entry, str):
            raise ValueError(f"prediction {row} must be a text or None, got {entry!r:.80}")
        # Arrow holds no half of a surrogate pair, which a reply cut in the middle of a sign may end in.
        return None if entry is None else entry.encode("utf-8", "replace").decode("utf-8")

    def _reference(self, entry, row):
        k = self._family.n_values
        if not isinstance(entry, Mapping) or "target" not in entry:
            raise ValueError(
                f"reference {row} must be {{'target': list of {k}, 'diagonal_mm': number or None, 'metric_type': "
                f"'distance', 'angle' or None}}, got {entry!r:.80}"
            )
        target = _numbers(entry["target"])
        if target is None or len(target) != k:
            raise ValueError(
                f"'target' of reference {row} must be {k} finite numbers for {self._family.config}, "
                f"got {entry['target']!r:.80}"
            )
        if entry.get("metric_type") not in _METRIC_TYPES:
            raise ValueError(
                f"'metric_type' of reference {row} must be 'distance', 'angle' or None, got {entry['metric_type']!r}"
            )
        return {
            "target": target,
            "diagonal_mm": _diagonal(entry.get("diagonal_mm"), row),
            "metric_type": entry.get("metric_type"),
            "image_size": _size(entry.get("image_size"), row),
        }


def _family(config_name):
    if config_name in (None, "default"):
        names = ", ".join(repr(family.config) for family in families.FAMILIES)
        raise UsageError(f"metrics/medvision needs a config_name, one of {names}: evaluate.load(path, config_name)")
    return families.by_config(config_name)


def _numbers(entry):
    """The entry as a list of finite floats; None when it is none."""
    listed = isinstance(entry, Iterable) and not isinstance(entry, str | bytes | Mapping)
    values = list(entry) if listed else [entry]
    if not all(isinstance(value, Real) and not isinstance(value, bool) for value in values):
        return None
    found = [float(value) for value in values]
    return found if all(map(math.isfinite, found)) else None


def _diagonal(entry, row):
    found = None if entry is None else _numbers(entry)
    if entry is None or (found is not None and len(found) == 1 and found[0] > 0):
        return None if found is None else found[0]
    raise ValueError(f"'diagonal_mm' of reference {row} must be a number above 0 or None, got {entry!r:.80}")


def _size(entry, row):
    found = [] if entry is None else _numbers(entry)
    if found == [] or (found is not None and len(found) == 2 and min(found) > 0):
        return found
    raise ValueError(f"'image_size' of reference {row} must be rows and columns, got {entry!r:.80}")


def _items(answers, scores, columns):
    listed = {name: getattr(scores, name).tolist() for name in _METRICS}
    return [
        {
            "values": None if answer.values is None else [_finite(value) for value in answer.values],
            "success": answer.reason is None,
            "status": {None: "scored", "no_answer": "missing"}.get(answer.reason, "unparsed"),
            "reason": answer.reason,
            **{name: _finite(values[row]) for name, values in listed.items()},
            "near_zero": bool(columns.near_zero[row]),
            "out_of_range": bool(columns.flagged[row]),
            "profiles_differ": answer.differ,
        }
        for row, answer in enumerate(answers)
    ]


def _finite(value):
    return value if math.isfinite(value) else None
