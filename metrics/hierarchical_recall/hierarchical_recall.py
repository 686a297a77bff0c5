"""Verdicts on evidence points against their categories: an evaluate module over ``score.hierarchical_recall``.

In: per case a verdict and a category for each required point. Out: a flat dict of metrics and counts.
All mathematics is in the installed package, so that this file works from any directory and any copy of it.
"""

from collections.abc import Iterable, Mapping
from numbers import Integral

import datasets
import evaluate

from mrarebench_hf.case_metric import CaseMetric
from mrarebench_hf.parse.evidence_points import BUCKETS, bucket
from mrarebench_hf.score import hierarchical_recall as score

_DESCRIPTION = """
Hierarchical required recall of MRareBench T2: the weighted share of a case's required evidence points that earn credit,
where points that join pictures count only if every point of single pictures was found, and points on the diagnosis
only if those were found too. A case without a verdict on each point is missing, never wrong. See the card.
"""

_INPUTS = """
Args:
    predictions: one list per case: per required point 1 (found), 0, or None where the judge gave no verdict; None for a
        case without any verdict.
    references: one list per case: per required point its category, one of modality, macro_pattern, micro_pattern,
        other, cross_image_integration, diagnostic_attribution.
    raw_categories: whether the categories are the benchmark's own names (macroscopic_pattern, region_or_field, ...),
        to be sorted into those six first. Otherwise an unknown name counts on the first level and holds no gate.
    return_items: whether to add "items": per case its score, None for a missing case and one without points.
Returns:
    metrics and counts by name, under our names (t2_...) and under those of the published harness: fractions between 0
    and 1, whole numbers, or None over nothing.
Example:
    >>> metric = evaluate.load("metrics/hierarchical_recall")
    >>> result = metric.compute(
    ...     predictions=[[1, 0, 1]], references=[["macro_pattern", "modality", "cross_image_integration"]]
    ... )
    >>> result["t2_required_recall"], result["t2_hierarchical_required_recall"]
    (0.6666666666666666, 0.2857142857142857)
"""

_CITATION = """
@misc{mrarebench_hf, title = {mrarebench_hf: evaluate vision-language models on MRareBench and MedVision}}
"""


class HierarchicalRecall(CaseMetric, evaluate.Metric):
    """The module that ``evaluate.load`` gives."""

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features(
                {
                    # A mapping, because evaluate cannot hold a case without any verdict as a plain list.
                    "predictions": {"given": datasets.Value("bool"), "verdicts": [datasets.Value("int64")]},
                    "references": [datasets.Value("large_string")],
                }
            ),
        )

    def _compute(self, predictions, references, raw_categories=False, return_items=False):
        items = []
        for verdicts, categories in zip(predictions, references, strict=True):
            names = [bucket(name) for name in categories] if raw_categories else categories
            items.append(score.score_one(verdicts["verdicts"] if verdicts["given"] else None, names))
        values = {name: value for name, (value, _) in score.aggregate(items).items()}
        counts = score.counts(items)
        n_asked = counts["n_scored"] + counts["n_missing"]
        result = {
            **values,
            **{peer: values[name] for peer, name in score.PEER_NAMES.items()},
            "judge_fail_rate": counts["n_missing"] / n_asked if n_asked else None,
            **counts,
            "n_unknown_categories": sum(name not in BUCKETS for item in items for name in item.buckets),
        }
        return {**result, "items": [item.score for item in items]} if return_items else result

    def _prediction(self, entry, row):
        if entry is None:
            return {"given": False, "verdicts": []}
        verdicts = _listed(entry)
        if verdicts is None or not all(_is_verdict(verdict) for verdict in verdicts):
            raise ValueError(f"prediction {row} must be a list of 1, 0 or None, or None, got {entry!r:.80}")
        return {"given": True, "verdicts": [None if verdict is None else int(verdict) for verdict in verdicts]}

    def _reference(self, entry, row):
        categories = _listed(entry)
        if categories is None or not all(isinstance(name, str) for name in categories):
            raise ValueError(f"reference {row} must be a list of categories, got {entry!r:.80}")
        return categories


def _listed(entry):
    is_list = isinstance(entry, Iterable) and not isinstance(entry, str | bytes | Mapping)
    return list(entry) if is_list else None


def _is_verdict(value):
    return value is None or (isinstance(value, Integral) and value in (0, 1))
