"""Stage score, the whole of task T2: answers and the dataset's references in, rows, counts and metrics out.

Three families stand side by side: what a judge says (``t2_``), what similarity of texts says (``det_``, each with the
backend's name beside it), and which pictures an answer speaks of (``det_image_``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mrarebench_hf.parse._no_answer import refuses
from mrarebench_hf.parse.evidence_points import Points, points_of
from mrarebench_hf.parse.evidence_text import sentences
from mrarebench_hf.score import evidence_overlap as overlap
from mrarebench_hf.score import image_attribution as attribution
from mrarebench_hf.score import judged_evidence as judged
from mrarebench_hf.score._metric import Metric, as_metrics, mean
from mrarebench_hf.score._scored import Aids, Matrix, Scored

__all__ = ["score", "texts"]

_RUBRIC = "evidence"
_BACKEND = "det_backend"
_INFER_FAIL_RATE = Metric(
    "lower",
    "fraction",
    "Share of all items without an answer (the request failed); they count as reporting nothing.",
    "n_missing / (n_total)",
)


def texts(predictions: Sequence[str | None], references: Sequence[Mapping[str, Any]]) -> list[str]:
    """All texts that will be compared, so that they can be embedded at once."""
    found: list[str] = []
    for answer, case in zip(predictions, references, strict=True):
        found += overlap.texts_of(answer, points_of(case["evidence_points"]), case["gold_rationale"])
    return found


def score(
    predictions: Sequence[str | None], references: Sequence[Mapping[str, Any]], ids: Sequence[str], aids: Aids
) -> Scored:
    """Score the answers to T2; no cases give null metrics.

    Args:
        predictions: per case the model's text, None when there is no answer.
        references: per case the dataset's reference columns.
        ids: per case its id.
        aids: similarity, None to leave out what is made of it; verdicts of the rubric "evidence", if it was judged.
    """
    points = [points_of(case["evidence_points"]) for case in references]
    rows = [_outcome(answer) for answer in predictions]
    metrics = {"infer_fail_rate": mean(float(answer is None) for answer in predictions)}
    table = as_metrics({"infer_fail_rate": _INFER_FAIL_RATE}, metrics)
    counts = _counts(predictions, rows)
    table |= _pictures(predictions, references, rows, counts)
    det = None
    if aids.similarity is not None:
        det = _overlap(predictions, references, points, aids.similarity, rows, table)
    groups: dict[str, Any] = {}
    if _RUBRIC in aids.verdicts:
        found = aids.verdicts[_RUBRIC]
        items = [judged.score_one(a, p, found.get(i)) for a, p, i in zip(predictions, points, ids, strict=True)]
        table |= _judged(items, det, rows)
        counts |= {f"n_{status}": sum(i.status == status for i in items) for status in ("judged", "failed", "empty")}
        counts["n_judge_failed"] = counts.pop("n_failed")
        counts["n_without_points"] = counts.pop("n_empty")
        groups["required_recall_by_task_type"] = judged.by_task_type(items, [case["task_type"] for case in references])
        groups["required_recall_by_evidence_category"] = judged.by_category(items)
        groups["judge_failed"] = [i for i, item in zip(ids, items, strict=True) if item.status == "failed"]
    return Scored(rows, counts, table, groups, ())


def _outcome(answer: str | None) -> dict[str, Any]:
    """The case's row, without values as yet."""
    if answer is None:
        return {"status": "missing", "reason": "request_failed", "refusal": False, "values": {}}
    if not sentences(answer):
        return {"status": "unparsed", "reason": "no_sentence", "refusal": False, "values": {}}
    return {"status": "scored", "reason": None, "refusal": refuses(answer), "values": {}}


def _counts(predictions: Sequence[str | None], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    reasons = [row["reason"] for row in rows if row["reason"]]
    return {
        "n_total": len(predictions),
        **{f"n_{status}": sum(row["status"] == status for row in rows) for status in ("scored", "unparsed", "missing")},
        "n_refusals": sum(row["refusal"] for row in rows),
        "reasons": {reason: reasons.count(reason) for reason in sorted(set(reasons))},
    }


def _pictures(
    predictions: Sequence[str | None],
    references: Sequence[Mapping[str, Any]],
    rows: Sequence[dict[str, Any]],
    counts: dict[str, Any],
) -> dict[str, dict[str, Any]]:
    golds = [
        attribution.Reference(
            case["n_images"], frozenset(case["decisive_image_ids"]), frozenset(case["supporting_image_ids"])
        )
        for case in references
    ]
    items = attribution.score_items(predictions, golds)
    for row, item in zip(rows, items, strict=True):
        row["referenced_images"] = sorted(item.referenced)
        row["values"] |= attribution.case_values(item)
    counts |= {name: n for name, n in attribution.counts(items).items() if name.startswith("n_image_")}
    return as_metrics(attribution.METRICS, attribution.aggregate(items))


def _overlap(
    predictions: Sequence[str | None],
    references: Sequence[Mapping[str, Any]],
    points: Sequence[Points],
    similarity: Matrix,
    rows: Sequence[dict[str, Any]],
    table: dict[str, dict[str, Any]],
) -> list[dict[str, float | None]]:
    """Adds the family's rows and metrics, and gives the values per case."""
    items = [
        overlap.score_one(answer, own, case["gold_rationale"], similarity)
        for answer, own, case in zip(predictions, points, references, strict=True)
    ]
    values = [overlap.case_values(item) for item in items]
    for row, found in zip(rows, values, strict=True):
        row["values"] |= found
    metrics = as_metrics(overlap.METRICS, overlap.aggregate(items))
    table |= {name: {**metric, _BACKEND: similarity.name} for name, metric in metrics.items()}
    return values


def _judged(
    items: Sequence[judged.ItemJudged], det: Sequence[Mapping[str, float | None]] | None, rows: Sequence[dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    for row, item in zip(rows, items, strict=True):
        own = judged.case_values(item)
        row["values"] |= {name: value for name, value in own.items() if not name.endswith("_answered")}
        row |= item.as_dict()
    table = as_metrics(judged.METRICS, judged.aggregate(items, det))
    # The published harness's names stand beside ours, so that either can be looked up.
    return table | {peer: table[name] for peer, name in judged.PEER_NAMES.items() if name in table}
