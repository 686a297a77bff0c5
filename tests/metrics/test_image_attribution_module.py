"""The evaluate module image_attribution, loaded as users load it."""

from __future__ import annotations

import ast
import doctest
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest

from mrarebench_hf.score.image_attribution import METRICS
from mrarebench_hf.shipped import metric_path

CASE = {"n_images": 4, "decisive": [1, 2], "supporting": [3]}


@pytest.fixture(scope="module")
def metric() -> Any:
    return evaluate.load(metric_path("image_attribution"))


def test_br31_it_loads_by_path_from_an_empty_folder_and_counts_failures(tmp_path: Path) -> None:
    code = (
        "import evaluate\n"
        f"metric = evaluate.load({metric_path('image_attribution')!r})\n"
        "result = metric.compute(predictions=[None], references=[{'n_images': 1, 'decisive': None}])\n"
        "print(result['n_missing'], result['det_image_coverage'], result['det_image_ref_out_of_range_rate'])\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.stdout.split() == ["1", "0.0", "None"], run.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_example_of_the_card_comes_out_as_it_says(metric: Any) -> None:
    card = (Path(metric_path("image_attribution")) / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", card, re.DOTALL)
    call = ast.parse(code).body[-1]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    result = metric.compute(**{str(word.arg): ast.literal_eval(word.value) for word in call.value.keywords})
    assert (result["det_image_coverage"], result["strict_det_image_coverage"]) == (0.125, 0.375)
    assert (result["det_image_select_recall"], result["strict_det_image_select_recall"]) == (0.25, 0.5)
    precision = (result["det_image_select_precision"], result["strict_det_image_select_precision"])
    assert precision == pytest.approx((1, 2 / 3))


def test_the_example_of_the_module_runs(metric: Any) -> None:
    example = doctest.DocTestParser().get_doctest(
        metric.inputs_description.replace('evaluate.load("metrics/image_attribution")', "loaded"),
        {"loaded": metric},
        "inputs",
        None,
        None,
    )
    assert doctest.DocTestRunner().run(example) == doctest.TestResults(failed=0, attempted=3)


def test_items_tell_what_was_read(metric: Any) -> None:
    result = metric.compute(
        predictions=[None, "", "Images 1-2 (MRI): rings. Image 3, image 9."],
        references=[CASE, {"n_images": 2}, CASE],
        return_items=True,
    )
    missing, blank, scored = result.pop("items")
    assert [item["status"] for item in (missing, blank, scored)] == ["missing", "unparsed", "scored"]
    assert (scored["referenced"], scored["labelled"]) == ([3, 9], [])
    assert (scored["strict_referenced"], scored["strict_labelled"]) == ([1, 2, 3, 9], [1, 2])
    assert (scored["det_n_ref_images"], scored["strict_det_n_ref_images"]) == (2, 4)
    assert scored["strict_det_image_attribution_hallucination_rate"] == 0.25
    assert missing["det_image_coverage"] == 0
    assert "det_image_ref_out_of_range_rate" not in missing
    assert blank["det_image_ref_out_of_range_rate"] == 0
    assert (result["n_total"], result["n_scored"], result["n_unparsed"], result["n_missing"]) == (3, 1, 1, 1)
    assert result["n_image_select_scored_distractor_subset"] == 2
    assert set(METRICS) < set(result)
    assert {type(value) for value in result.values()} <= {float, int, type(None)}
    json.dumps(scored, allow_nan=False)


@pytest.mark.parametrize("empty", [None, [], ()])
def test_empty_lists_may_come_first(metric: Any, empty: object) -> None:
    references = [{"n_images": 2, "decisive": empty, "supporting": empty}, CASE]
    result = metric.compute(predictions=[None, "Image 1"], references=references)
    assert result["det_image_select_recall"] == 0.5


def test_br31_nothing_gives_n_zero_and_none(metric: Any) -> None:
    result = metric.compute(predictions=[], references=[])
    assert result["n_total"] == 0
    assert {result[name] for name in METRICS} == {None}


def test_whole_numbers_of_numpy_and_other_collections_are_taken(metric: Any) -> None:
    reference = {"n_images": np.int64(4), "decisive": np.array([1, 2]), "supporting": {3}}
    assert metric.compute(predictions=["Image 1"], references=[reference])["det_image_select_recall"] == 0.5


def test_cases_can_be_added_one_by_one(metric: Any) -> None:
    metric.add(prediction=None, reference=CASE)
    metric.add_batch(predictions=["Image 1"], references=[CASE])
    assert metric.compute()["det_image_coverage"] == 0.125


@pytest.mark.parametrize("prediction", [3, ["Image 1"], b"Image 1"])
def test_a_wrong_prediction_is_named(metric: Any, prediction: object) -> None:
    with pytest.raises(ValueError, match=r"prediction 1 must be a text or None, got \S"):
        metric.compute(predictions=["Image 1", prediction], references=[CASE, CASE])


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ([1, 2], r"reference 0 must be .*, got \[1, 2\]"),
        ({"decisive": [1]}, "reference 0 must be .*, got {'decisive'"),
        ({"n_images": -1}, "reference 0 must be {'n_images': whole number of 0 or more.*, got {'n_images': -1}"),
        ({"n_images": 2.0}, "reference 0 must be .*, got {'n_images': 2.0}"),
        ({"n_images": True}, "reference 0 must be .*, got {'n_images': True}"),
        ({"n_images": 2**63}, "reference 0 must be .*, got {'n_images': 9"),
        ({"n_images": 2, "decisive": [2.0]}, r"'decisive' of reference 0 must be a list of whole .*, got \[2\.0\]"),
        ({"n_images": 2, "decisive": [1, None]}, r"'decisive' of reference 0 must be .*, got \[1, None\]"),
        ({"n_images": 2, "decisive": 1}, "'decisive' of reference 0 must be .*, got 1"),
        ({"n_images": 2, "supporting": "1, 2"}, "'supporting' of reference 0 must be .*, got '1, 2'"),
        ({"n_images": 2, "supporting": [-1]}, r"'supporting' of reference 0 must be .*, got \[-1\]"),
    ],
)
def test_a_wrong_reference_is_named(metric: Any, reference: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric.compute(predictions=["Image 1"], references=[reference])


def test_br31_a_plain_text_and_unequal_lengths_are_refused(metric: Any) -> None:
    with pytest.raises(ValueError, match="predictions must be a list with one entry per case, got 'Image 1'"):
        metric.compute(predictions="Image 1", references=[CASE] * 7)
    with pytest.raises(ValueError, match="2 predictions for 1 references"):
        metric.compute(predictions=["Image 1", None], references=[CASE])


def test_the_card_holds_the_table_of_metrics() -> None:
    card = (Path(metric_path("image_attribution")) / "README.md").read_text(encoding="utf-8")
    table = card.partition("<!-- table of metrics")[2].partition("<!-- end of table -->")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    expected = [f"| `{n}` | {m.direction} | {m.unit} | {m.description} | {m.formula} |" for n, m in METRICS.items()]
    assert rows == expected


def test_imports_are_one_per_line_as_evaluate_reads_them() -> None:
    for name in ("image_attribution.py", "app.py"):
        source = (Path(metric_path("image_attribution")) / name).read_text(encoding="utf-8")
        imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import)]
        assert all(len(node.names) == 1 for node in imports)
