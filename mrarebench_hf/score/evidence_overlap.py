"""Stage score, T2: how much of the reference evidence an answer's sentences resemble, without a judge; pure.

In: answers, points, rationale and a similarity of texts. Out: one score per case, and means over cases. The plain names
follow the published protocol, the ``strict_`` ones count what its definition loses: answers without a sentence score 0,
a picture's label holds for the lines below it, and a label in brackets is no part of what must be found.
A missing answer counts as one that reports nothing. Source: specification of the published benchmark, section 8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mrarebench_hf.errors import UsageError
from mrarebench_hf.parse.evidence_points import BUCKETS, Points
from mrarebench_hf.parse.evidence_text import image_of_point, sentences, strict_point, strict_sentences
from mrarebench_hf.score._metric import Values, mean
from mrarebench_hf.score._overlap_metrics import METRICS, STRICT, THRESHOLDS
from mrarebench_hf.score._scored import Matrix
from mrarebench_hf.score.hierarchical_recall import hierarchical

__all__ = ["METRICS", "ItemOverlap", "aggregate", "case_values", "counts", "score_one", "texts_of"]

_HIT = 0.5


@dataclass(frozen=True, slots=True)
class ItemOverlap:
    """The scores of one case.

    Attributes:
        status: "scored"; "unparsed" for an answer without a sentence; "missing" for none.
        values: by the protocol's names, only those that are defined for the case.
        strict_values: the strict twins, under names that begin with ``strict_``.
        maxsims: "required", "optional", "image_grounded" and "groundedness" → the similarities that the values are
            made of, each to the nearest text; an empty list where the protocol has none.
        strict_maxsims: the same of the strict twins.
        buckets: per required point its bucket.
    """

    status: Literal["scored", "unparsed", "missing"]
    values: Mapping[str, float]
    strict_values: Mapping[str, float]
    maxsims: Mapping[str, Sequence[float]]
    strict_maxsims: Mapping[str, Sequence[float]]
    buckets: Sequence[str]

    def as_dict(self) -> dict[str, Any]:
        """Status, values and similarities by name, ready for JSON."""
        lists = {f"{kind}_maxsims": list(self.maxsims[kind]) for kind in ("required", "optional", "image_grounded")}
        grounded = {"sent_groundedness": list(self.maxsims["groundedness"])}
        return {"status": self.status, **lists, **grounded, **self.values, **self.strict_values}


def texts_of(text: str | None, points: Points, rationale: str) -> list[str]:
    """All texts that scoring a case compares, so that they can be embedded at once.

    >>> texts_of("A ring. Dark.", Points(("[Image 1] A ring.",), (), ("other",), ()), "It fits.")
    ['A ring.', 'Dark.', '[Image 1] A ring.', 'It fits.']
    """
    gold = [*points.required, *points.optional]
    strict = [one.text for side in (text or "", rationale) for one in strict_sentences(side)]
    plain = [*sentences(text or ""), *gold, *sentences(rationale)]
    return list(dict.fromkeys([*plain, *strict, *(strict_point(point).text for point in gold)]))


def score_one(text: str | None, points: Points, rationale: str, similarity: Matrix) -> ItemOverlap:
    """Score one case.

    Args:
        text: the answer, None when there is none.
        points: of the case.
        rationale: the reference's, "" for none.
        similarity: of texts.

    Raises:
        UsageError: for an answer that is neither text nor None.
    """
    if text is not None and not isinstance(text, str):
        raise UsageError(f"an answer must be a text or None, got {text!r:.60}")
    found = sentences(text or "")
    gold = [*points.required, *points.optional, *sentences(rationale)]
    if text is None:
        labelled = sum(image_of_point(point) is not None for point in points.required)
        maxsims = _zeros(points, labelled, gold)
    else:
        maxsims = {
            "required": _nearest(similarity, points.required, found),
            "optional": _nearest(similarity, points.optional, found),
            "groundedness": _nearest(similarity, found, gold),
            "image_grounded": _image_grounded(similarity, points.required, found),
        }
    strict_maxsims = _strict_maxsims(text, points, rationale, similarity)
    status: Literal["scored", "unparsed", "missing"] = "missing" if text is None else "scored" if found else "unparsed"
    strict = _values(strict_maxsims, points.required_buckets, len(strict_sentences(text or "")))
    return ItemOverlap(
        status=status,
        values=_values(maxsims, points.required_buckets, len(found)),
        strict_values={f"{STRICT}{name}": value for name, value in strict.items()},
        maxsims=maxsims,
        strict_maxsims=strict_maxsims,
        buckets=points.required_buckets,
    )


def case_values(item: ItemOverlap) -> dict[str, float | None]:
    """One case's own value of every metric that is a mean over cases; None where it does not enter it."""
    found = {**item.values, **item.strict_values}
    for prefix in ("", STRICT):
        recall = found.get(f"{prefix}det_required_recall@{_HIT}")
        gated = found.get(f"{prefix}det_hierarchical_required_recall")
        if recall is not None and gated is not None:
            found[f"{prefix}det_hierarchical_required_recall_drop"] = recall - gated
    return {name: found.get(name) for name in METRICS if not _is_pooled(name)}


def aggregate(items: Iterable[ItemOverlap]) -> Values:
    """Every metric of ``METRICS``: means over the cases that have a value; those of a bucket over all its points."""
    items = list(items)
    cases = [case_values(item) for item in items]
    found: Values = {name: mean(case[name] for case in cases) for name in METRICS if not _is_pooled(name)}
    for prefix in ("", STRICT):
        for name, sims in _by_bucket(items, prefix).items():
            found[f"{prefix}det_required_{name}_meanmaxsim"] = mean(sims)
            for limit in THRESHOLDS:
                found[f"{prefix}det_required_{name}_recall@{limit}"] = mean(float(sim >= limit) for sim in sims)
    return {name: found[name] for name in METRICS if name in found}


def counts(items: Iterable[ItemOverlap]) -> dict[str, int]:
    """``n_total``, ``n_scored``, ``n_unparsed``, ``n_missing``, and per bucket ``det_required_<bucket>_n_points``."""
    items = list(items)
    statuses = [item.status for item in items]
    return {
        "n_total": len(items),
        **{f"n_{status}": statuses.count(status) for status in ("scored", "unparsed", "missing")},
        **{f"det_required_{name}_n_points": len(sims) for name, sims in _by_bucket(items, "").items()},
    }


def _by_bucket(items: Sequence[ItemOverlap], prefix: str) -> dict[str, list[float]]:
    """The similarities of all required points, by bucket; a bucket without a point is left out."""
    found: dict[str, list[float]] = {name: [] for name in BUCKETS}
    for item in items:
        sims = (item.strict_maxsims if prefix else item.maxsims)["required"]
        if sims:
            for name, sim in zip(item.buckets, sims, strict=True):
                found[name].append(sim)
    return {name: sims for name, sims in found.items() if sims}


def _is_pooled(name: str) -> bool:
    return any(f"det_required_{bucket}_" in name for bucket in BUCKETS)


def _nearest(similarity: Matrix, texts: Sequence[str], others: Sequence[str]) -> list[float]:
    """Per text its similarity to the nearest of the others; nothing where either list is empty."""
    if not texts or not others:
        return []
    return _rows(similarity.matrix(texts, others).max(axis=1))


def _rows(values: NDArray[np.float64]) -> list[float]:
    return [float(value) for value in values]


def _image_grounded(similarity: Matrix, required: Sequence[str], found: Sequence[str]) -> list[float]:
    """Per required point with a picture's label its nearest sentence among those that name the picture, 0 for none."""
    sims = []
    for point in required:
        number = image_of_point(point)
        if number is not None:
            own = [sentence for sentence in found if re.search(rf"image\s*{number}\b", sentence, re.IGNORECASE)]
            sims.append(max(_nearest(similarity, [point], own), default=0.0))
    return sims


def _zeros(points: Points, n_labelled: int, gold: Sequence[str]) -> dict[str, list[float]]:
    """The similarities of an answer that reports nothing and whose silence counts."""
    return {
        "required": [0.0] * len(points.required),
        "optional": [0.0] * len(points.optional),
        "groundedness": [0.0] if gold else [],
        "image_grounded": [0.0] * n_labelled,
    }


def _strict_maxsims(text: str | None, points: Points, rationale: str, similarity: Matrix) -> dict[str, list[float]]:
    found = strict_sentences(text or "")
    own = [strict_point(point) for point in (*points.required, *points.optional)]
    gold = [*(point.text for point in own), *(one.text for one in strict_sentences(rationale))]
    n_required = len(points.required)
    labelled = [row for row, point in enumerate(own[:n_required]) if point.images]
    if not found:
        return _zeros(points, len(labelled), gold)
    if not gold:
        return {"required": [], "optional": [], "groundedness": [], "image_grounded": []}
    said = [one.text for one in found]
    # Equal texts are alike in any backend, also where it finds no word that counts.
    equal = np.array([[float(a == b) for b in said] for a in gold])
    sims = np.maximum(similarity.matrix(gold, said), equal)
    nearest = _rows(sims.max(axis=1))
    grounded = []
    for row in labelled:
        columns = [column for column, one in enumerate(found) if one.images & own[row].images]
        grounded.append(float(sims[row, columns].max()) if columns else 0.0)
    return {
        "required": nearest[:n_required],
        "optional": nearest[n_required : len(own)],
        "groundedness": _rows(sims.max(axis=0)),
        "image_grounded": grounded,
    }


def _values(maxsims: Mapping[str, Sequence[float]], buckets: Sequence[str], n_sentences: int) -> dict[str, float]:
    found: dict[str, float] = {"det_n_sentences": n_sentences}
    for kind, average, share in (
        ("required", "det_required_meanmaxsim", "det_required_recall"),
        ("optional", "det_optional_meanmaxsim", "det_optional_recall"),
        ("groundedness", "det_mean_sent_groundedness", "det_grounded_ratio"),
        ("image_grounded", "det_image_grounded_meanmaxsim", "det_image_grounded_recall"),
    ):
        sims = maxsims[kind]
        value, _ = mean(sims)
        if value is not None:
            found[average] = value
            found |= {f"{share}@{limit}": sum(sim >= limit for sim in sims) / len(sims) for limit in THRESHOLDS}
    score = hierarchical([int(sim >= _HIT) for sim in maxsims["required"]], buckets)
    if score is not None and score["hierarchical_required_recall"] is not None:
        found["det_hierarchical_required_recall"] = score["hierarchical_required_recall"]
    return found
