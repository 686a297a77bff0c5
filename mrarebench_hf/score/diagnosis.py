"""Stage score, the whole of task T1: answers and the dataset's references in, rows, counts and metrics out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mrarebench_hf.score.ranked_diagnosis import Reference, aggregate, case_values, loose_only_hits, score_items

__all__ = ["Scored", "score"]


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of a run.

    Attributes:
        rows: per case its outcome, and ``values``: metric → that case's own value, for paired contrasts.
        counts: ``n_total``, ``n_scored``, ``n_unparsed``, ``n_missing`` and further ones, with ``reasons``.
        metrics: name → value, n, direction, unit.
        groups: further views of the same cases.
        warnings: what a reader of the numbers must know.
    """

    rows: list[dict[str, Any]]
    counts: dict[str, Any]
    metrics: dict[str, dict[str, Any]]
    groups: dict[str, Any]
    warnings: tuple[str, ...]


def score(predictions: Sequence[str | None], references: Sequence[Mapping[str, Any]], ids: Sequence[str]) -> Scored:
    """Score the answers to T1; no cases give null metrics.

    Args:
        predictions: per case the model's text, None when there is no answer.
        references: per case the dataset's ``answer`` and ``answer_aliases``.
        ids: per case its id.

    >>> score([None], [{"answer": "Fabry disease", "answer_aliases": []}], ["7"]).counts["n_missing"]
    1
    """
    items = score_items(
        predictions, [Reference(case["answer"], case["answer_aliases"]) for case in references], foreign=False
    )
    total = aggregate(items)
    return Scored(
        rows=[{**item.as_dict(), "values": case_values(item)} for item in items],
        counts=total.counts(),
        metrics=total.metrics(),
        groups={"loose_only_hits": [ids[n] for n in loose_only_hits(items)]},
        warnings=total.warnings(),
    )
