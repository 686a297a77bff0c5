"""Cases worked out by hand from the published definitions and the number grammar; the module gives them under spec.

``medvision/spec_cases.tsv`` holds per row the arithmetic in words, so that a reader can check it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import evaluate
import pytest

from mrarebench_hf.families import FAMILIES
from mrarebench_hf.shipped import metric_path

_TABLE = Path(__file__).parent / "medvision" / "spec_cases.tsv"
_METRICS = ("mae", "mre", "nmae", "iou", "f1", "precision", "recall")


def _rows(config: str) -> Iterator[dict[str, str]]:
    with _TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["family"] == config:
                yield row


def _known(cell: str) -> float | None:
    return None if cell == "-" else float(Fraction(cell))


@pytest.mark.parametrize("config", [family.config for family in FAMILIES])
def test_every_row_of_the_table_holds(config: str) -> None:
    rows = list(_rows(config))
    assert len(rows) > 80
    metric: Any = evaluate.load(metric_path("medvision"), config)
    references = [
        {
            "target": json.loads(row["target"]),
            "diagonal_mm": _known(row["diagonal_mm"]),
            "metric_type": None if row["metric_type"] == "-" else row["metric_type"],
        }
        for row in rows
    ]
    result = metric.compute(
        predictions=[json.loads(row["text"]) for row in rows], references=references, return_items=True
    )
    for row, item in zip(rows, result["items"], strict=True):
        assert item["values"] == (None if row["values"] == "-" else json.loads(row["values"])), row
        assert item["reason"] == (None if row["reason"] == "-" else row["reason"]), row
        assert item["success"] == (row["reason"] == "-"), row
        for name in _METRICS:
            expected = _known(row[name])
            assert item[name] == (None if expected is None else pytest.approx(expected, abs=1e-9)), (name, row)
    assert result["n_unparsed"] == sum(row["reason"] != "-" for row in rows)
