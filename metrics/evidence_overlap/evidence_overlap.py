"""Answers against evidence points by similarity of texts: an evaluate module over ``score.evidence_overlap``.

In: answers as text, and per case its evidence points and rationale. Out: a flat dict of metrics and counts.
All mathematics is in the installed package, so that this file works from any directory and any copy of it.
"""

from collections.abc import Iterable, Mapping

import datasets
import evaluate

from mrarebench_hf.case_metric import CaseMetric
from mrarebench_hf.parse.evidence_points import points_of
from mrarebench_hf.score import evidence_overlap as score
from mrarebench_hf.similarity import open_similarity

_DESCRIPTION = """
How much of a case's reference evidence an answer's sentences resemble, without a judge. Every plain name follows the
published protocol of MRareBench T2; its strict_ twin counts answers that the protocol drops, and reads which picture a
sentence is about. Similarity is blind to negation. See the card.
"""

_INPUTS = """
Args:
    predictions: one entry per case: the model's whole answer as text, or None where the request failed.
    references: one mapping per case: "points", a list of mappings with "point", and "image" ("Image 1"), "category" and
        "credit" ("required" or "optional") where known; "rationale", a text or None.
    backend: "minilm" (all-MiniLM-L6-v2), "tfidf", or a sentence-transformers model: a folder, or its name on the Hub.
        It is never another one than was asked for, and values of two backends do not compare.
    return_items: whether to add "items", one dict per case.
Returns:
    metrics and counts by name: cosines, fractions between 0 and 1, whole numbers, or None over nothing; "det_backend",
    the backend's name. With return_items also "items": status, required_maxsims, optional_maxsims,
    image_grounded_maxsims, sent_groundedness and every value of the case.
Example:
    >>> metric = evaluate.load("metrics/evidence_overlap")
    >>> ring = {"image": "Image 1", "point": "A dark ring.", "credit": "required"}
    >>> result = metric.compute(
    ...     predictions=["Image 1: A dark ring."],
    ...     references=[{"points": [ring], "rationale": None}],
    ...     backend="tfidf",
    ... )
    >>> result["strict_det_required_recall@0.5"], result["det_backend"]
    (1.0, 'tfidf')
"""

_CITATION = """
@misc{mrarebench_hf, title = {mrarebench_hf: evaluate vision-language models on MRareBench and MedVision}}
"""

_FIELDS = ("image", "point", "category", "credit")


class EvidenceOverlap(CaseMetric, evaluate.Metric):
    """The module that ``evaluate.load`` gives."""

    def _info(self):
        # large_string, because evaluate refuses a null in the first row of a plain string column.
        text = datasets.Value("large_string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features(
                {
                    "predictions": text,
                    "references": {"points": [dict.fromkeys(_FIELDS, text)], "rationale": text},
                }
            ),
        )

    def _compute(self, predictions, references, backend="minilm", return_items=False):
        similarity = open_similarity(backend)
        cases = [
            (answer, points_of(entry["points"]), entry["rationale"])
            for answer, entry in zip(predictions, references, strict=True)
        ]
        texts = [text for case in cases for text in score.texts_of(*case)]
        similarity.prepare(texts)
        items = [score.score_one(*case, similarity) for case in cases]
        found = score.aggregate(items)
        result = {
            **{name: found.get(name, (None, 0))[0] for name in score.METRICS},
            **score.counts(items),
            "n_texts_truncated": similarity.n_truncated(texts),
            "det_backend": similarity.name,
        }
        return {**result, "items": [item.as_dict() for item in items]} if return_items else result

    def _prediction(self, entry, row):
        if entry is not None and not isinstance(entry, str):
            raise ValueError(f"prediction {row} must be a text or None, got {entry!r:.80}")
        return entry

    def _reference(self, entry, row):
        if not isinstance(entry, Mapping) or not _is_text(entry.get("rationale")):
            raise ValueError(
                f"reference {row} must be {{'points': list of points, 'rationale': text or None}}, got {entry!r:.80}"
            )
        points = entry.get("points")
        if not isinstance(points, Iterable) or isinstance(points, str | bytes | Mapping):
            raise ValueError(f"'points' of reference {row} must be a list, got {points!r:.80}")
        return {"points": [_point(point, row) for point in points], "rationale": entry.get("rationale") or ""}


def _point(entry, row):
    if (
        not isinstance(entry, Mapping)
        or not isinstance(entry.get("point"), str)
        or not all(_is_text(entry.get(name)) for name in _FIELDS)
    ):
        raise ValueError(
            f"a point of reference {row} must be {{'point': text}} with 'image', 'category' and 'credit' as texts or "
            f"None, got {entry!r:.80}"
        )
    return {name: entry.get(name) for name in _FIELDS}


def _is_text(value):
    return value is None or isinstance(value, str)
