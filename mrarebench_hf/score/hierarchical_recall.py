"""Stage score, T2: verdicts on required evidence points in, hierarchical required recall out; pure.

Points lie on three levels: what is seen in one picture, what joins pictures, what it means for the diagnosis. Credit
for a level is given only where every point of the level below was found (the gates).
A case without a verdict on each of its points is missing: an absent verdict is never a NO.
Source: specification of the published benchmark, sections 8.4 and 8.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from mrarebench_hf.errors import UsageError
from mrarebench_hf.score._metric import Metric, Values, mean

__all__ = ["METRICS", "PEER_NAMES", "ItemRecall", "aggregate", "case_values", "counts", "hierarchical", "score_one"]

Score: TypeAlias = "dict[str, float | None]"

_WEIGHTS = {
    "modality": 0.5,
    "macro_pattern": 1.0,
    "micro_pattern": 1.2,
    "other": 1.0,
    "cross_image_integration": 2.0,
    "diagnostic_attribution": 0.75,
}
_LEVELS = {"cross_image_integration": 2, "diagnostic_attribution": 3}
_MAX_SHOWN = 60


def hierarchical(verdicts: Sequence[int], buckets: Sequence[str]) -> Score | None:
    """The score of one case.

    Args:
        verdicts: per required point 1 (found) or 0; no other values.
        buckets: per point one of ``evidence_points.BUCKETS``. Any other name counts on the first level with weight 1,
            but does not hold the gate.

    Returns:
        By the specification's names: the score, the two gates (0 or 1; 1 where the level has no point), the share
        found on each level (raw), and the share credited (gated), None for a level without points. None when there is
        no point, or when there are not as many verdicts as points.

    >>> hierarchical([1, 0, 1], ["macro_pattern", "modality", "cross_image_integration"])["hier_visual_gate"]
    0.0
    """
    if not buckets or len(verdicts) != len(buckets):
        return None
    hits = [float(verdict) for verdict in verdicts]
    levels = [_LEVELS.get(name, 1) for name in buckets]
    gated_by = [level == 1 and name in _WEIGHTS for level, name in zip(levels, buckets, strict=True)]
    visual = float(all(hit for hit, holds in zip(hits, gated_by, strict=True) if holds))
    cross = float(all(hit for hit, level in zip(hits, levels, strict=True) if level == 2))
    gates = {1: 1.0, 2: visual, 3: visual * cross}
    earned = [hit * gates[level] for hit, level in zip(hits, levels, strict=True)]
    return {
        "hierarchical_required_recall": _weighted(earned, buckets),
        "hier_visual_gate": visual,
        "hier_cross_gate": cross,
        "hier_level1_visual_recall": _on_level(1, hits, levels),
        "hier_level2_cross_recall_raw": _on_level(2, hits, levels),
        "hier_level2_cross_recall_gated": _on_level(2, earned, levels),
        "hier_level3_diag_recall_raw": _on_level(3, hits, levels),
        "hier_level3_diag_recall_gated": _on_level(3, earned, levels),
    }


def _weighted(values: Sequence[float], buckets: Sequence[str]) -> float:
    weights = [_WEIGHTS.get(name, 1.0) for name in buckets]
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)


def _on_level(level: int, values: Sequence[float], levels: Sequence[int]) -> float | None:
    return mean(value for value, own in zip(values, levels, strict=True) if own == level)[0]


@dataclass(frozen=True, slots=True)
class ItemRecall:
    """The recall of one case's required points.

    Attributes:
        status: "scored"; "missing" where a verdict is absent or their number is wrong; "empty" without points.
        verdicts: per point 1 or 0; empty unless scored.
        buckets: per point its bucket.
        score: what ``hierarchical`` gives, None unless scored.
        weighted: the weighted recall without gates, None unless scored.
    """

    status: Literal["scored", "missing", "empty"]
    verdicts: tuple[int, ...]
    buckets: tuple[str, ...]
    score: Score | None
    weighted: float | None

    @property
    def recall(self) -> float | None:
        """Share of the points that were found, without weights or gates."""
        return mean(self.verdicts)[0]


def score_one(verdicts: Sequence[int | bool | None] | None, buckets: Sequence[str]) -> ItemRecall:
    """Score one case.

    Args:
        verdicts: per required point 1, 0 or None; None for a case without any verdict.
        buckets: per point its bucket.

    Raises:
        UsageError: for a verdict of another kind.

    >>> score_one([1, None], ["modality", "other"]).status
    'missing'
    """
    names = tuple(buckets)
    given = list(verdicts) if verdicts is not None else []
    if any(verdict not in (0, 1, None) or isinstance(verdict, float) for verdict in given):
        raise UsageError(f"a verdict must be 1, 0 or None, got {str(given)[:_MAX_SHOWN]}")
    known = tuple(int(verdict) for verdict in given if verdict is not None)
    if not names and not given:
        return ItemRecall("empty", (), names, None, None)
    if len(known) != len(given) or len(given) != len(names):
        return ItemRecall("missing", (), names, None, None)
    return ItemRecall("scored", known, names, hierarchical(known, names), _weighted(known, names))


def case_values(item: ItemRecall) -> dict[str, float | None]:
    """One case's own value of every metric; None where it does not enter the mean."""
    return {name: read(item) for name, read in _READERS.items()}


def aggregate(items: Iterable[ItemRecall]) -> Values:
    """Every metric of ``METRICS``: its mean over the cases that have a value, and their number.

    >>> aggregate([score_one([1, 0], ["macro_pattern", "other"])])["t2_required_recall"]
    (0.5, 1)
    """
    values = [case_values(item) for item in items]
    return {name: mean(case[name] for case in values) for name in METRICS}


def counts(items: Iterable[ItemRecall]) -> dict[str, int]:
    """``n_total``, ``n_scored``, ``n_missing`` and ``n_empty`` (cases without a required point)."""
    found = [item.status for item in items]
    return {"n_total": len(found), **{f"n_{name}": found.count(name) for name in ("scored", "missing", "empty")}}


def _part(name: str) -> Callable[[ItemRecall], float | None]:
    return lambda item: None if item.score is None else item.score[name]


def _drop(item: ItemRecall) -> float | None:
    recall, gated = item.recall, _part("hierarchical_required_recall")(item)
    return None if recall is None or gated is None else recall - gated


def _full(read: Callable[[ItemRecall], float | None]) -> Callable[[ItemRecall], float | None]:
    def whole(item: ItemRecall) -> float | None:
        value = read(item)
        return None if value is None else float(value >= 1)

    return whole


def _recall(item: ItemRecall) -> float | None:
    return item.recall


_TABLE: tuple[tuple[str, str, Callable[[ItemRecall], float | None], Metric], ...] = (
    (
        "t2_hierarchical_required_recall",
        "hierarchical_required_recall",
        _part("hierarchical_required_recall"),
        Metric("higher", "fraction", "Weighted share of the required points that earn credit.", "Σ w·h·gates / Σ w"),
    ),
    (
        "t2_required_recall",
        "required_recall",
        _recall,
        Metric("higher", "fraction", "Share of the required points that were found, without weights.", "Σ h / R"),
    ),
    (
        "t2_weighted_required_recall",
        "",
        lambda item: item.weighted,
        Metric("higher", "fraction", "Weighted share of the required points found, without gates.", "Σ w·h / Σ w"),
    ),
    (
        "t2_hierarchical_required_recall_drop",
        "hierarchical_required_recall_drop",
        _drop,
        Metric(
            "lower",
            "difference",
            "What weights and gates take away together; below 0 where weights give more than gates take.",
            "Σ h / R − Σ w·h·gates / Σ w",
        ),
    ),
    (
        "t2_full_required_coverage",
        "full_required_coverage",
        _full(_recall),
        Metric("higher", "fraction", "Share of the cases of which every required point was found.", "[Σ h = R]"),
    ),
    (
        "t2_full_hierarchical_required_coverage",
        "full_hierarchical_required_coverage",
        _full(_part("hierarchical_required_recall")),
        Metric("higher", "fraction", "Share of the cases with a full hierarchical score.", "[Σ w·h·gates = Σ w]"),
    ),
    (
        "t2_hier_visual_gate_pass_rate",
        "hier_visual_gate_pass_rate",
        _part("hier_visual_gate"),
        Metric(
            "higher", "fraction", "Share of the cases with all level-1 points found, or none asked.", "[level 1 full]"
        ),
    ),
    (
        "t2_hier_cross_gate_pass_rate",
        "hier_cross_gate_pass_rate",
        _part("hier_cross_gate"),
        Metric(
            "higher", "fraction", "Share of the cases with all level-2 points found, or none asked.", "[level 2 full]"
        ),
    ),
    *(
        (
            f"t2_{name}",
            name,
            _part(name),
            Metric(
                "higher", "fraction", f"Share of the {points} points that {what}, over cases that have such.", formula
            ),
        )
        for name, points, what, formula in (
            ("hier_level1_visual_recall", "level-1 (one picture)", "were found", "Σ h / R₁"),
            ("hier_level2_cross_recall_raw", "level-2 (across pictures)", "were found", "Σ h / R₂"),
            ("hier_level2_cross_recall_gated", "level-2 (across pictures)", "earn credit", "Σ h·gate / R₂"),
            ("hier_level3_diag_recall_raw", "level-3 (diagnosis)", "were found", "Σ h / R₃"),
            ("hier_level3_diag_recall_gated", "level-3 (diagnosis)", "earn credit", "Σ h·gates / R₃"),
        )
    ),
)
_READERS = {name: read for name, _, read, _ in _TABLE}
METRICS: Mapping[str, Metric] = MappingProxyType({name: metric for name, _, _, metric in _TABLE})
# The names under which the published harness writes the same numbers.
PEER_NAMES: Mapping[str, str] = MappingProxyType({peer: name for name, peer, _, _ in _TABLE if peer})
