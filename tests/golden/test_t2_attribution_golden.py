"""Every recorded image attribution of the existing harness, equal by the protocol's reading."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from mrarebench_hf.parse.image_mentions import labelled, mentioned
from mrarebench_hf.score.image_attribution import METRICS, Reference, aggregate, counts, score_items, score_one

_FOLDER = Path(__file__).parent


def _text(name: str) -> str:
    return gzip.decompress((_FOLDER / name).read_bytes()).decode("utf-8")


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in _text("t2_cases.jsonl.gz").split("\n") if line]
    return [row for row in rows if row["kind"] == "attribution"]


@pytest.fixture(scope="module")
def summary() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_text("t2_summary.json.gz"))["tfidf"]
    return found


def _digit_runs(cell: str) -> frozenset[int]:
    """How the existing harness reads a cell of picture numbers; "2.0" gives 2 and 0."""
    return frozenset(map(int, re.findall(r"\d+", cell)))


def test_every_text_is_read_as_recorded(cases: list[dict[str, Any]]) -> None:
    assert len(cases) == 189
    for case in cases:
        assert sorted(mentioned(case["prediction"])) == case["referenced"], case
        assert sorted(labelled(case["prediction"])) == case["labeled"], case


def test_every_value_is_as_recorded(cases: list[dict[str, Any]]) -> None:
    for case in cases:
        reference = Reference(case["n_images"], frozenset(case["decisive"]), frozenset(case["supporting"]))
        item = score_one(case["prediction"], reference)
        assert item.values == pytest.approx(case["metrics"], abs=1e-9), case
        assert item.values.keys() == case["metrics"].keys(), case


def test_a_whole_file_is_as_recorded(summary: dict[str, Any]) -> None:
    recorded = summary["no_judge"]
    # Not the list "n_images", which counts a blank entry of row 46's picture cell; the harness does not.
    references = [
        Reference(
            row["det_n_images"], _digit_runs(item["decisive_image_ids"]), _digit_runs(item["supporting_image_ids"])
        )
        for row, item in zip(recorded["per_row"], summary["items"], strict=True)
    ]
    items = score_items(summary["predictions"], references)
    for item, row in zip(items, recorded["per_row"], strict=True):
        known = {name: value for name, value in row.items() if name in item.values and value is not None}
        # Recorded to seven decimals.
        assert item.values == pytest.approx(known, abs=6e-8)
        assert item.has_distractors == bool(row["det_has_distractors"])
    values, numbers = aggregate(items), counts(items)
    headline = [name for name in METRICS if not name.startswith("strict_")]
    assert len(headline) == 7
    assert {name: values[name][0] for name in headline} == pytest.approx(
        {name: recorded["results"][name] for name in headline}, abs=1e-9
    )
    for name in ("n_total", "n_image_attribution_scored", "n_image_select_scored_distractor_subset"):
        assert numbers[name] == recorded["results"][name]
    assert (numbers["n_unparsed"], numbers["n_missing"]) == (2, 0)
