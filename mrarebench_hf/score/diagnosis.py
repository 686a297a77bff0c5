"""Stage score, the whole of task T1: answers and the dataset's references in, rows, counts and metrics out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mrarebench_hf.parse.ranked_list import candidate_key
from mrarebench_hf.score import judged_diagnosis as judged
from mrarebench_hf.score._metric import as_metrics
from mrarebench_hf.score._scored import Aids, Scored
from mrarebench_hf.score.ranked_diagnosis import Reference, aggregate, case_values, loose_only_hits, score_items

__all__ = ["score"]

_RUBRIC, _RARE = "diagnosis", "rare_candidates"


def score(
    predictions: Sequence[str | None], references: Sequence[Mapping[str, Any]], ids: Sequence[str], aids: Aids
) -> Scored:
    """Score the answers to T1; no cases give null metrics.

    Args:
        predictions: per case the model's text, None when there is no answer.
        references: per case the dataset's ``answer`` and ``answer_aliases``.
        ids: per case its id.
        aids: verdicts of the rubrics "diagnosis" and "rare_candidates", where they were judged.

    >>> case = {"answer": "Fabry disease", "answer_aliases": []}
    >>> score([None], [case], ["7"], Aids()).counts["n_missing"]
    1
    """
    items = score_items(
        predictions, [Reference(case["answer"], case["answer_aliases"]) for case in references], foreign=False
    )
    total = aggregate(items)
    rows = [{**item.as_dict(), "values": case_values(item)} for item in items]
    metrics = total.metrics()
    if _RUBRIC in aids.verdicts:
        found = aids.verdicts[_RUBRIC]
        values, judged_rows = judged.dimensions([bool(item.ranked) for item in items], [found.get(i) for i in ids])
        metrics |= as_metrics(judged.METRICS, values)
        for row, own in zip(rows, judged_rows, strict=True):
            row["judged"] = own
            row["values"] |= own or {}
    if _RARE in aids.verdicts:
        labels = {
            name: None if verdict is None else str(verdict["label"]) for name, verdict in aids.verdicts[_RARE].items()
        }
        candidates = [[candidate_key(name) for name in item.ranked] for item in items]
        metrics |= as_metrics(judged.RARE_METRICS, judged.rare(candidates, labels))
    return Scored(
        rows=rows,
        counts=total.counts(),
        metrics=metrics,
        groups={"loose_only_hits": [ids[n] for n in loose_only_hits(items)]},
        warnings=total.warnings(),
    )
