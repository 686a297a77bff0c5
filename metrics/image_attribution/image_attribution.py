"""Picture numbers of answers against references: an evaluate module over ``mrarebench_hf.score.image_attribution``.

In: answers as text, and per case its number of pictures and the decisive and supporting ones. Out: a flat dict of
metrics and counts. All mathematics is in the installed package, so that this file works from any directory.
"""

from collections.abc import Iterable, Mapping
from numbers import Integral

import datasets
import evaluate

from mrarebench_hf.case_metric import CaseMetric
from mrarebench_hf.score import image_attribution as score

_DESCRIPTION = """
Whether an answer speaks of the right pictures of a case, by their numbers. Every plain name follows the published
protocol of MRareBench T2; its strict_ twin reads lists, ranges and other ways to write a number. See the card.
"""

_INPUTS = """
Args:
    predictions: one entry per case: the model's whole answer as text, or None where the request failed.
    references: one mapping per case with "n_images" (how many pictures it has), "decisive" (list of their numbers,
        from 1) and "supporting" (the same; both may be empty, missing or None).
    return_items: whether to add "items", one dict per case.
Returns:
    metrics and counts by name: fractions between 0 and 1, whole numbers, or None over nothing. With return_items also
    "items": status, referenced, labelled and every value of the case.
Example:
    >>> metric = evaluate.load("metrics/image_attribution")
    >>> result = metric.compute(
    ...     predictions=["Image 1: a ring. Image 3: normal."],
    ...     references=[{"n_images": 3, "decisive": [1, 2], "supporting": []}],
    ... )
    >>> result["det_image_select_recall"], result["det_image_select_precision"]
    (0.5, 0.5)
"""

_CITATION = """
@misc{mrarebench_hf, title = {mrarebench_hf: evaluate vision-language models on MRareBench and MedVision}}
"""

# What a column of numbers can hold.
_LARGEST = 2**63 - 1


class ImageAttribution(CaseMetric, evaluate.Metric):
    """The module that ``evaluate.load`` gives."""

    def _info(self):
        number = datasets.Value("int64")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features(
                {
                    # large_string, because evaluate refuses a null in the first row of a plain string column.
                    "predictions": datasets.Value("large_string"),
                    "references": {"n_images": number, "decisive": [number], "supporting": [number]},
                }
            ),
        )

    def _compute(self, predictions, references, return_items=False):
        cases = [
            score.Reference(entry["n_images"], frozenset(entry["decisive"]), frozenset(entry["supporting"]))
            for entry in references
        ]
        items = score.score_items(list(predictions), cases)
        means = {name: value for name, (value, _) in score.aggregate(items).items()}
        result = {**means, **score.counts(items)}
        return {**result, "items": [_as_dict(item) for item in items]} if return_items else result

    def _prediction(self, entry, row):
        if entry is not None and not isinstance(entry, str):
            raise ValueError(f"prediction {row} must be a text or None, got {entry!r:.80}")
        return entry

    def _reference(self, entry, row):
        if not isinstance(entry, Mapping) or not _is_number(entry.get("n_images")):
            raise ValueError(
                f"reference {row} must be {{'n_images': whole number of 0 or more, 'decisive': list of picture "
                f"numbers, 'supporting': list of picture numbers}}, got {entry!r:.80}"
            )
        numbers = {name: _numbers(entry.get(name), name, row) for name in ("decisive", "supporting")}
        return {"n_images": int(entry["n_images"]), **numbers}


def _numbers(entry, name, row):
    if entry is None:
        return []
    listed = isinstance(entry, Iterable) and not isinstance(entry, str | bytes | Mapping)
    numbers = list(entry) if listed else [entry]
    if not listed or not all(_is_number(number) for number in numbers):
        raise ValueError(f"{name!r} of reference {row} must be a list of whole numbers of 0 or more, got {entry!r:.80}")
    return [int(number) for number in numbers]


def _is_number(value):
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 <= value <= _LARGEST


def _as_dict(item):
    read = {
        name: sorted(getattr(item, name)) for name in ("referenced", "labelled", "strict_referenced", "strict_labelled")
    }
    return {"status": item.status, **read, **item.values, **item.strict_values}
