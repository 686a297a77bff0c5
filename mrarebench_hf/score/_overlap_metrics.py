"""Stage score, T2: what is reported about the overlap of texts; the only list of these metrics."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mrarebench_hf.parse.evidence_points import BUCKETS
from mrarebench_hf.score._metric import Metric

__all__ = ["METRICS", "STRICT", "THRESHOLDS"]

STRICT = "strict_"
THRESHOLDS = (0.3, 0.35, 0.4, 0.5, 0.6)
_RULES = {"": "by the published protocol", STRICT: "by the strict reading"}


def _similarities(stem: str, share: str, what: str, nearest: str, rule: str) -> dict[str, Metric]:
    """A mean of similarities, and the share of them that reach each threshold."""
    table = {stem: Metric("higher", "cosine", f"Mean similarity of {what} to {nearest}, {rule}.", "mean of s")}
    for limit in THRESHOLDS:
        text = f"Share of {what} whose similarity to {nearest} is at least {limit}, {rule}."
        table[f"{share}@{limit}"] = Metric("higher", "fraction", text, f"#{{s ≥ {limit}}} / #s")
    return table


_SENTENCE = "the nearest sentence of the answer"
# Per family: the mean's name, the shares' name, what is compared, and with what.
_COMPARED = (
    ("det_required_meanmaxsim", "det_required_recall", "a case's required points", _SENTENCE),
    ("det_optional_meanmaxsim", "det_optional_recall", "a case's optional points", _SENTENCE),
    (
        "det_mean_sent_groundedness",
        "det_grounded_ratio",
        "an answer's sentences",
        "the nearest point or sentence of the rationale",
    ),
    (
        "det_image_grounded_meanmaxsim",
        "det_image_grounded_recall",
        "required points of a picture",
        "the nearest sentence on that picture (0 without one)",
    ),
    *(
        (
            f"det_required_{name}_meanmaxsim",
            f"det_required_{name}_recall",
            f"all required points of the kind {name}",
            _SENTENCE,
        )
        for name in BUCKETS
    ),
)


def _family(prefix: str, rule: str) -> dict[str, Metric]:
    table = {
        f"{prefix}det_hierarchical_required_recall": Metric(
            "higher",
            "fraction",
            f"Hierarchical required recall with a point found where its similarity is at least 0.5, {rule}.",
            "Σ w·h·gates / Σ w",
        ),
        f"{prefix}det_hierarchical_required_recall_drop": Metric(
            "lower", "difference", f"What weights and gates take from recall@0.5, {rule}.", "recall − hierarchical"
        ),
    }
    for average, share, what, nearest in _COMPARED:
        table |= _similarities(f"{prefix}{average}", f"{prefix}{share}", what, nearest, rule)
    return table


METRICS: Mapping[str, Metric] = MappingProxyType(
    {name: metric for prefix, rule in _RULES.items() for name, metric in _family(prefix, rule).items()}
)
