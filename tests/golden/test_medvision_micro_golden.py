"""Single readings, boxes, numbers and buckets recorded of medvision_bm, equal under its profile."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrarebench_hf.families import get
from mrarebench_hf.parse.literal import numbers
from mrarebench_hf.parse.measurement import read_protocol
from mrarebench_hf.score.measured_answers import fitting_target
from mrarebench_hf.score.measurement import SampleScores, score_samples
from mrarebench_hf.score.measurement_summary import Columns, aggregate

_TENTHS = [f"MRE<{k / 10:.1f}" for k in range(1, 11)]


@pytest.fixture(scope="module")
def micro() -> dict[str, Any]:
    path = Path(__file__).parent / "medvision" / "micro.json.gz"
    found: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return found


def _scores(family_name: str, text: str, target: str) -> SampleScores:
    """Scores of a comma-joined answer, as it stands in a parsed line."""
    family = get(family_name)
    values = _floats(text)
    fitting = fitting_target(numbers(target), family, "medvision_bm")
    success = len(values) == family.n_values and fitting is not None
    nothing = (math.nan,) * family.n_values
    return score_samples(
        family, "medvision_bm", [values if success else nothing], [success], [fitting or nothing], [math.nan]
    )


def _floats(text: str) -> tuple[float, ...]:
    try:
        return tuple(map(float, text.split(",")))
    except ValueError:
        return ()


def test_every_text_is_read_as_recorded(micro: dict[str, Any]) -> None:
    assert len(micro["extract"]) == 972
    for case in micro["extract"]:
        assert read_protocol(case["text"], case["k"]) == case["in_tag"], case


def test_every_box_is_scored_as_recorded_to_the_last_bit(micro: dict[str, Any]) -> None:
    assert len(micro["boxes"]) == 465
    names = {"MAE": "mae", "IoU": "iou", "F1": "f1", "Precision": "precision", "Recall": "recall"}
    for case in micro["boxes"]:
        scores = _scores("Detection", case["pred"], case["target"])
        assert bool(scores.success[0]) == case["success"], case
        for name, column in names.items():
            value = getattr(scores, column)[0]
            assert value == pytest.approx(float(case[name]), rel=0, abs=0, nan_ok=True), (name, case)


def test_every_length_and_angle_is_scored_as_recorded(micro: dict[str, Any]) -> None:
    assert len(micro["scalars"]) == 196
    for case in micro["scalars"]:
        scores = _scores(case["task_type"], case["pred"], case["target"])
        assert bool(scores.success[0]) == case["success"], case
        assert scores.mae[0] == pytest.approx(float(case["MAE"]), rel=1e-12, nan_ok=True), case
        assert scores.mre[0] == pytest.approx(float(case["MRE"]), rel=1e-12, nan_ok=True), case


def test_every_error_falls_into_the_recorded_bucket(micro: dict[str, Any]) -> None:
    for case in micro["buckets"]:
        if case["stage3_bucket"] == "IndexError":
            continue
        mre = np.array([float(case["mre"])])
        nothing, no, yes = np.full(1, np.nan), np.zeros(1, np.bool_), np.ones(1, np.bool_)
        columns = Columns(yes, no, nothing, mre, nothing, nothing, nothing, nothing, nothing, no, no, no)
        found = aggregate(get("TL"), "medvision_bm", columns)
        shares = [found[name][0] for name in _TENTHS]
        bucket = None if case["stage3_bucket"] is None else case["stage3_bucket"] % 10
        assert shares == [float(bucket is not None and k >= bucket) for k in range(10)], case
