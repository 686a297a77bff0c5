"""The scorer of T2: what stands in rows, counts and metrics with and without similarity and verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from mrarebench_hf.score._scored import Aids
from mrarebench_hf.score.evidence import score, texts
from mrarebench_hf.similarity import open_similarity


def case(**cells: Any) -> dict[str, Any]:
    return {
        "evidence_points": [
            {"image": "Image 1", "point": "A ring.", "category": "macro_pattern", "credit": "required"},
            {"image": "", "point": "It fits.", "category": "other", "credit": "optional"},
        ],
        "gold_rationale": "Image 1 shows a ring.",
        "decisive_image_ids": [1],
        "supporting_image_ids": [],
        "task_type": "a",
        "n_images": 2,
    } | cells


ANSWERS = ["Image 1: A ring.", "ok", None, "I'm sorry, but I cannot view images."]
IDS = ["0", "1", "2", "3"]


def test_every_answer_has_one_outcome_and_they_add_up() -> None:
    scored = score(ANSWERS, [case()] * 4, IDS, Aids())
    assert [row["status"] for row in scored.rows] == ["scored", "unparsed", "missing", "scored"]
    counts = scored.counts
    assert (counts["n_total"], counts["n_scored"], counts["n_unparsed"], counts["n_missing"]) == (4, 2, 1, 1)
    assert counts["reasons"] == {"no_sentence": 1, "request_failed": 1}
    assert counts["n_refusals"] == 1
    assert scored.metrics["infer_fail_rate"]["value"] == 0.25
    assert "det_image_coverage" in scored.metrics
    assert not [name for name in scored.metrics if name.startswith(("t2_", "det_required"))]
    assert scored.groups == {}


def test_all_three_families_stand_side_by_side() -> None:
    verdict = {"required": [1], "optional": [0], "contradicted": [0]}
    aids = Aids(open_similarity("tfidf"), {"evidence": {"0": verdict, "1": None, "3": verdict}})
    scored = score(ANSWERS, [case()] * 4, IDS, aids)
    assert scored.metrics["t2_required_recall"]["value"] == pytest.approx(2 / 3)
    assert scored.metrics["required_recall"] == scored.metrics["t2_required_recall"]
    assert scored.metrics["det_required_recall@0.5"]["det_backend"] == "tfidf"
    assert (scored.counts["n_judged"], scored.counts["n_judge_failed"], scored.counts["n_without_points"]) == (2, 1, 0)
    assert scored.groups["judge_failed"] == ["1"]
    assert scored.rows[0]["values"]["t2_required_recall"] == 1.0
    assert scored.rows[1]["judge_status"] == "failed"
    assert "t2_required_recall_answered" not in scored.rows[0]["values"]


def test_no_cases_give_null_metrics() -> None:
    scored = score([], [], [], Aids(open_similarity("tfidf"), {"evidence": {}}))
    assert {metric["value"] for metric in scored.metrics.values()} == {None}


def test_all_texts_are_named_beforehand() -> None:
    found = set(texts(["Image 1: A ring.", None], [case(), case(gold_rationale="Another.")]))
    assert {"[Image 1] A ring.", "It fits.", "Image 1 shows a ring.", "Another."} <= found
