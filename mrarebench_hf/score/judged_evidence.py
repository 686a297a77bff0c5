"""Stage score, T2: a judge's verdicts on evidence points in, the judged metrics out; pure.

A case that the judge failed on is left out of every mean and counted in ``judge_fail_rate``. A case without an answer
counts as one that reports nothing, in every metric where higher is better, but not in the ``_answered`` ones; nobody
has to judge it.
Source: specification of the published benchmark, sections 8.4, 8.5 and 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from mrarebench_hf.parse.evidence_points import BUCKETS, Points
from mrarebench_hf.score import hierarchical_recall as hierarchy
from mrarebench_hf.score._metric import Metric, Values, mean

__all__ = [
    "METRICS",
    "PEER_NAMES",
    "ItemJudged",
    "aggregate",
    "by_category",
    "by_task_type",
    "case_values",
    "score_one",
]

_BLANK = "(blank)"
_ANSWERED = "_answered"


@dataclass(frozen=True, slots=True)
class ItemJudged:
    """One judged case.

    Attributes:
        status: "judged"; "unanswered" (no answer, or a blank one: nothing is reported); "failed" (the judge gave no
            usable verdict); "empty" (no point to find).
        required: recall of the required points.
        optional: recall of the optional points: verdicts as 0 and 1; None when the judge failed.
        contradicted: per required point 1 where the answer says the opposite; None when not judged.
    """

    status: Literal["judged", "unanswered", "failed", "empty"]
    required: hierarchy.ItemRecall
    optional: tuple[int, ...] | None
    contradicted: tuple[int, ...] | None

    def as_dict(self) -> dict[str, Any]:
        """The verdicts, for the case's row."""
        known = self.required.status != "missing"
        return {
            "judge_status": self.status,
            "required_verdicts": list(self.required.verdicts) if known else None,
            "optional_verdicts": None if self.optional is None else list(self.optional),
            "contradiction_verdicts": None if self.contradicted is None else list(self.contradicted),
            "hierarchy": self.required.score,
        }


def score_one(answer: str | None, points: Points, verdict: Mapping[str, Sequence[int]] | None) -> ItemJudged:
    """Score one case.

    Args:
        answer: the model's text, None when there is none.
        points: of the case.
        verdict: ``required``, ``optional`` and ``contradicted``, lists of 0 and 1; None when the judge failed.

    >>> score_one(None, Points(("A ring.",), (), ("other",), ()), None).status
    'unanswered'
    """
    buckets = points.required_buckets
    if not (points.required or points.optional):
        return ItemJudged("empty", hierarchy.score_one([], []), (), None)
    if answer is None or not answer.strip():
        nothing = hierarchy.score_one([0] * len(buckets), buckets)
        return ItemJudged("unanswered", nothing, (0,) * len(points.optional), None)
    if verdict is None:
        return ItemJudged("failed", hierarchy.score_one(None, buckets) if buckets else _NO_POINTS, None, None)
    required = hierarchy.score_one(list(verdict["required"]), buckets)
    return ItemJudged("judged", required, tuple(verdict["optional"]), tuple(verdict["contradicted"]))


_NO_POINTS = hierarchy.score_one([], [])


def case_values(item: ItemJudged) -> dict[str, float | None]:
    """One case's own value of every metric that is a mean over cases; None where it does not enter it."""
    values: dict[str, float | None] = {
        **hierarchy.case_values(item.required),
        "t2_optional_recall": mean(item.optional or ())[0],
        "t2_contradiction_rate": mean(item.contradicted or ())[0],
    }
    answered = item.status != "unanswered"
    return values | {f"{name}{_ANSWERED}": values[name] if answered else None for name in _WITH_ANSWERED}


def aggregate(items: Iterable[ItemJudged], det: Sequence[Mapping[str, float | None]] | None = None) -> Values:
    """Every metric of ``METRICS``.

    Args:
        items: per case its score.
        det: per case the ``det_*`` values; None leaves out the differences between judge and ``det_*``.
    """
    items = list(items)
    values = [case_values(item) for item in items]
    found: Values = {name: mean(case[name] for case in values) for name in _OVER_CASES}
    asked = [item for item in items if item.status in ("judged", "failed")]
    found["judge_fail_rate"] = mean(float(item.status == "failed") for item in asked)
    if det is not None:
        for name, (judged, twin) in _COMPARED.items():
            pairs = [(own[judged], other.get(twin)) for own, other in zip(values, det, strict=True)]
            gaps = [a - b for a, b in pairs if a is not None and b is not None]
            found[name] = mean(abs(gap) if name.endswith("_mae") else gap for gap in gaps)
    return {name: found[name] for name in METRICS if name in found}


def by_task_type(items: Sequence[ItemJudged], task_types: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Per task type the number of judged cases, and the means over them."""
    names = dict.fromkeys(name.strip() or _BLANK for name in task_types)
    groups = {}
    for name in names:
        own = [item for item, kind in zip(items, task_types, strict=True) if (kind.strip() or _BLANK) == name]
        values = [case_values(item) for item in own]
        recall, n = mean(case["t2_required_recall"] for case in values)
        gated, _ = mean(case["t2_hierarchical_required_recall"] for case in values)
        groups[name] = {"n": n, "required_recall": recall, "hierarchical_required_recall": gated}
    return groups


def by_category(items: Iterable[ItemJudged]) -> dict[str, dict[str, Any]]:
    """Per bucket the number of judged required points, and the share of them that was found."""
    found: dict[str, list[float]] = {name: [] for name in BUCKETS}
    for item in items:
        if item.required.status == "scored":
            for name, verdict in zip(item.required.buckets, item.required.verdicts, strict=True):
                found[name].append(float(verdict))
    rows = {name: mean(verdicts) for name, verdicts in found.items()}
    return {name: {"n": n, "required_recall": recall} for name, (recall, n) in rows.items() if n}


_PLAIN: dict[str, Metric] = {
    **hierarchy.METRICS,
    "t2_optional_recall": Metric("higher", "fraction", "Share of the optional points that were found.", "Σ h / O"),
    "t2_contradiction_rate": Metric(
        "lower", "fraction", "Share of the required points that the answer contradicts, over answered cases.", "Σ c / R"
    ),
}
_WITH_ANSWERED = tuple(name for name, metric in _PLAIN.items() if metric.direction == "higher")
_OVER_CASES = (*_PLAIN, *(f"{name}{_ANSWERED}" for name in _WITH_ANSWERED))
_COMPARED = {
    "t2_judge_minus_det_required_recall": ("t2_required_recall", "det_required_recall@0.5"),
    "t2_judge_vs_det_required_recall_mae": ("t2_required_recall", "det_required_recall@0.5"),
    "t2_judge_minus_det_hierarchical_required_recall": (
        "t2_hierarchical_required_recall",
        "det_hierarchical_required_recall",
    ),
}
METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        **_PLAIN,
        **{
            f"{name}{_ANSWERED}": Metric(
                "higher", "fraction", f"{_PLAIN[name].description[:-1]}; over answered cases.", _PLAIN[name].formula
            )
            for name in _WITH_ANSWERED
        },
        "judge_fail_rate": Metric(
            "lower", "fraction", "Share of the judged answers without a usable verdict.", "failed / asked"
        ),
        "t2_judge_minus_det_required_recall": Metric(
            "neither",
            "difference",
            "How much more the judge credits than det_required_recall@0.5.",
            "mean(judge − det)",
        ),
        "t2_judge_vs_det_required_recall_mae": Metric(
            "lower", "difference", "Mean size of that difference.", "mean |judge − det|"
        ),
        "t2_judge_minus_det_hierarchical_required_recall": Metric(
            "neither", "difference", "The same of the hierarchical recalls.", "mean(judge − det)"
        ),
    }
)
PEER_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **hierarchy.PEER_NAMES,
        "optional_recall": "t2_optional_recall",
        "required_contradiction_rate": "t2_contradiction_rate",
        "judge_vs_det_required_recall_mae": "t2_judge_vs_det_required_recall_mae",
    }
)
