"""Ranked diagnoses against references: an evaluate module, a thin face of ``mrarebench_hf.score.ranked_diagnosis``.

In: model texts (or ready ranked lists, config "list") and references. Out: a flat dict of metrics and counts.
All mathematics is in the installed package, so that this file works from any directory and any copy of it.
"""

from collections.abc import Mapping, Sequence

import datasets
import evaluate

from mrarebench_hf.case_metric import CaseMetric
from mrarebench_hf.score import ranked_diagnosis as score

_DESCRIPTION = """
How often, and how high, a ranked list of diagnoses holds the right one. Every headline metric follows the published
protocol of MRareBench T1; its strict_ twin uses a careful list parser and name matcher. See the card for definitions.
"""

_INPUTS = """
Args:
    predictions: one entry per case; config "default": the model's whole reply as text, config "list": its ranked list
        of names, best first. None where the request failed.
    references: one mapping per case with "answer" (the diagnosis) and "aliases" (other accepted names; may be missing
        or None).
    return_items: whether to add "items", one dict per case.
Returns:
    metrics and counts by name: fractions between 0 and 1, ranks, whole numbers, or None over nothing. With
    return_items also "items": ranked, first_hit_rank, strict_ranked, strict_first_hit_rank, status and more.
Example:
    >>> metric = evaluate.load("metrics/ranked_diagnosis")
    >>> result = metric.compute(
    ...     predictions=["1. Pompe disease\\n2. Fabry disease"],
    ...     references=[{"answer": "Fabry disease", "aliases": ["Anderson-Fabry disease"]}],
    ... )
    >>> result["recall@1"], result["recall@3"], result["MRR"]
    (0.0, 1.0, 0.5)
"""

_CITATION = """
@misc{mrarebench_hf, title = {mrarebench_hf: evaluate vision-language models on MRareBench and MedVision}}
"""

_CONFIGS = ("default", "list")


class RankedDiagnosis(CaseMetric, evaluate.Metric):
    """The module that ``evaluate.load`` gives."""

    def _info(self):
        if self.config_name not in _CONFIGS:
            raise ValueError(
                f"unknown config_name {self.config_name!r} of ranked_diagnosis; known: {', '.join(_CONFIGS)}"
            )
        # large_string, because evaluate refuses a null in the first row of a plain string column.
        text = datasets.Value("large_string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features(
                {
                    "predictions": [text] if self.config_name == "list" else text,
                    "references": {"answer": text, "aliases": [text]},
                }
            ),
        )

    def _compute(self, predictions, references, return_items=False):
        golds = [score.Reference(entry["answer"], tuple(entry["aliases"])) for entry in references]
        items = score.score_items(list(predictions), golds)
        sums = score.aggregate(items)
        counts = sums.counts()
        counts.pop("reasons")
        result = {**sums.values(), **counts}
        return {**result, "items": [item.as_dict() for item in items]} if return_items else result

    def _prediction(self, entry, row):
        if entry is None:
            return None
        if self.config_name == "list":
            names = None if isinstance(entry, str) or not isinstance(entry, Sequence) else list(entry)
            if names is None or not all(isinstance(name, str) for name in names):
                raise ValueError(
                    f"prediction {row} must be a ranked list of names, got {entry!r:.80}; for whole replies as text "
                    "load the metric without config_name"
                )
            return names
        if not isinstance(entry, str):
            raise ValueError(
                f"prediction {row} must be a text or None, got {entry!r:.80}; for ready lists load the metric with "
                "config_name='list'"
            )
        return entry

    def _reference(self, entry, row):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("answer"), str):
            raise ValueError(f"reference {row} must be {{'answer': text, 'aliases': list of texts}}, got {entry!r:.80}")
        aliases = entry.get("aliases")
        if isinstance(aliases, str):
            raise ValueError(f"the aliases of reference {row} must be a list of texts, got the text {aliases!r:.80}")
        return {"answer": entry["answer"], "aliases": [alias for alias in aliases or () if alias is not None]}
