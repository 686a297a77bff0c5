"""Recorded points, buckets, picture numbers, hierarchical scores and whole judged files; differences by name."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from mrarebench_hf.parse.evidence_points import Points, bucket, points_of
from mrarebench_hf.parse.verdict_lines import protocol_verdicts
from mrarebench_hf.score import judged_diagnosis, judged_evidence
from mrarebench_hf.score.hierarchical_recall import hierarchical
from mrarebench_hf.source.cells import evidence_points, id_list

HERE = Path(__file__).parent

# Cells that we read otherwise than the harness, which takes every run of digits: docs/parity.md, "picture numbers".
OTHER_IDS = {"Images 1-3": [1, 2, 3], "2026-08-01": [1], "2.0": [2]}


def load(name: str) -> Any:
    with gzip.open(HERE / name, "rt", encoding="utf-8") as file:
        return json.load(file)


def cases(kind: str) -> list[dict[str, Any]]:
    with gzip.open(HERE / "t2_cases.jsonl.gz", "rt", encoding="utf-8") as file:
        found = [case for case in map(json.loads, file) if case["kind"] == kind]
    assert found
    return found


@pytest.fixture(scope="module")
def judged_file() -> dict[str, Any]:
    return load("t2_summary.json.gz")["tfidf"]  # type: ignore[no-any-return]


def test_buckets() -> None:
    assert [bucket(case["category"]) for case in cases("bucket")] == [case["bucket"] for case in cases("bucket")]


def test_points() -> None:
    for case in cases("points"):
        found = points_of(evidence_points(case["cell"]))
        for name in ("required", "optional", "required_buckets", "optional_buckets"):
            assert list(getattr(found, name)) == case[name], case


def test_hierarchical_scores() -> None:
    for case in cases("hier"):
        expected = case["score"]
        found = hierarchical(case["vec"], case["cats"])
        assert found == (None if expected is None else pytest.approx(expected, abs=1e-12)), case


def test_picture_numbers_of_cells_with_the_differences_by_name() -> None:
    differ = {}
    for case in cases("id_set"):
        cell = case["cell"]
        text = cell if isinstance(cell, str) else json.dumps(cell)
        found = id_list(text).ids
        if sorted(found) != case["ids"]:
            differ[text] = found
    assert differ == OTHER_IDS


def answered(judged_file: dict[str, Any]) -> list[tuple[Points, list[int]]]:
    """Points and verdicts of every row, as the harness reads the judge's reply."""
    rows = []
    for item, reply in zip(judged_file["items"], judged_file["judge"]["replies_in_row_order"], strict=True):
        points = points_of(evidence_points(item["acceptable_evidence_points"]))
        rows.append((points, protocol_verdicts(reply, 2 * len(points.required) + len(points.optional))))
    return rows


def split(points: Points, verdicts: list[int]) -> dict[str, list[int]]:
    r, n = len(points.required), len(points.required) + len(points.optional)
    return {"required": verdicts[:r], "optional": verdicts[r:n], "contradicted": verdicts[n:]}


def test_a_whole_judged_file_from_the_harness_s_reading_of_the_replies(judged_file: dict[str, Any]) -> None:
    """The same verdicts give the same numbers; which replies are verdicts at all is decided elsewhere."""
    items = [judged_evidence.score_one("x", points, split(points, v)) for points, v in answered(judged_file)]
    det = [
        {name: row.get(name) for name in ("det_required_recall@0.5", "det_hierarchical_required_recall")}
        for row in judged_file["no_judge"]["per_row"]
    ]
    expected = judged_file["judge"]["results"]
    values = judged_evidence.aggregate(items, det)
    for peer, name in judged_evidence.PEER_NAMES.items():
        assert values[name][0] == pytest.approx(expected[peer], abs=1e-6), peer
    assert values["t2_required_recall"][1] == expected["n_judged_required"]
    by_type = judged_evidence.by_task_type(items, [item["task_type"] for item in judged_file["items"]])
    for name, group in expected["required_recall_by_task_type"].items():
        assert (by_type[name]["n"], by_type[name]["required_recall"]) == (
            group["n"],
            pytest.approx(group["required_recall"]),
        )
    by_category = judged_evidence.by_category(items)
    for name, group in expected["required_recall_by_evidence_category"].items():
        assert by_category[name] == {"n": group["n"], "required_recall": pytest.approx(group["required_recall"])}


def test_every_judged_row(judged_file: dict[str, Any]) -> None:
    for (points, verdicts), row in zip(answered(judged_file), judged_file["judge"]["per_row"], strict=True):
        item = judged_evidence.score_one("x", points, split(points, verdicts))
        values = judged_evidence.case_values(item)
        for name in ("required_recall", "optional_recall", "contradiction_rate", "hierarchical_required_recall"):
            expected = row.get(f"t2_{name}") if row.get(f"t2_{name}") != "" else None
            found = values[f"t2_{name}"]
            assert found == (None if expected is None else pytest.approx(expected, abs=1e-6)), (row["index"], name)


def test_the_recorded_dimensions_of_t1_give_the_recorded_means() -> None:
    recorded = load("t1_judged.json.gz")["judged"]
    names = ("presence", "top1", "type_match", "specificity", "coherence")
    verdicts = [dict(zip(names, row, strict=True)) for row in recorded["dims"]]
    values, _ = judged_diagnosis.dimensions([True] * len(verdicts), verdicts)
    for name, value in recorded["results"].items():
        if name.startswith("judge_"):
            assert values[name][0] == pytest.approx(value), name
