"""The evaluate module ranked_diagnosis, loaded as users load it."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import evaluate
import pytest

from mrarebench_hf.score.ranked_diagnosis import METRICS
from mrarebench_hf.shipped import metric_path

FABRY = {"answer": "Fabry disease", "aliases": ["FD"]}


@pytest.fixture(scope="module")
def metric() -> Any:
    return evaluate.load(metric_path("ranked_diagnosis"))


@pytest.fixture(scope="module")
def list_metric() -> Any:
    return evaluate.load(metric_path("ranked_diagnosis"), config_name="list")


def test_br31_it_loads_by_path_from_an_empty_folder_and_counts_failures(tmp_path: Path) -> None:
    code = (
        "import time, evaluate\n"
        "start = time.monotonic()\n"
        f"metric = evaluate.load({metric_path('ranked_diagnosis')!r})\n"
        "result = metric.compute(predictions=[None], references=[{'answer': 'Gout', 'aliases': []}])\n"
        "assert time.monotonic() - start < 10\n"
        "print(result['n_missing'], result['infer_fail_rate'], result['recall@1'])\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.stdout.split() == ["1", "1.0", "0.0"], run.stderr
    assert list(tmp_path.iterdir()) == []


def test_br31_a_plain_text_is_never_taken_apart(metric: Any, list_metric: Any) -> None:
    with pytest.raises(ValueError, match=r"predictions must be a list with one entry per case, got '1\. F'"):
        metric.compute(predictions="1. F", references=[FABRY] * 4)
    with pytest.raises(ValueError, match=r"prediction 0 must be a ranked list of names, got '1\. Gaucher"):
        list_metric.compute(predictions=["1. Gaucher\n2. Fabry"], references=[FABRY])
    with pytest.raises(ValueError, match="predictions must be a list with one entry per case, got None"):
        metric.compute(references=[FABRY])


def test_br31_unequal_lengths_tell_both(metric: Any) -> None:
    with pytest.raises(ValueError, match="3 predictions for 2 references"):
        metric.compute(predictions=["a", "b", "c"], references=[FABRY, FABRY])


def test_br31_nothing_gives_n_zero_and_none(metric: Any) -> None:
    result = metric.compute(predictions=[], references=[])
    assert result["n_total"] == 0
    assert {result[name] for name in METRICS} == {None}


def test_texts_and_items(metric: Any) -> None:
    result = metric.compute(
        predictions=["1. Pompe disease\n2. Fabry disease", None, ""],
        references=[FABRY, {"answer": "Gout"}, {"answer": "Gout", "aliases": None}],
        return_items=True,
    )
    assert (result["recall@1"], result["recall@3"], result["strict_MRR"]) == pytest.approx((0, 1 / 3, 1 / 6))
    assert [item["status"] for item in result["items"]] == ["scored", "missing", "unparsed"]
    assert result["items"][0]["ranked"] == ["Pompe disease", "Fabry disease"]
    assert result["items"][0]["strict_ranked"] == ["Pompe disease", "Fabry disease"]
    assert [item["first_hit_rank"] for item in result["items"]] == [2, None, None]
    assert [item["strict_first_hit_rank"] for item in result["items"]] == [2, None, None]
    assert {type(value) for name, value in result.items() if name != "items"} <= {float, int, type(None)}


def test_lists(list_metric: Any) -> None:
    result = list_metric.compute(
        predictions=[["Pompe disease", "FD"], None, [], ("Fabry disease",)], references=[FABRY] * 4
    )
    assert (result["MRR"], result["n_missing"], result["n_unparsed"]) == (0.375, 1, 1)


def test_cases_can_be_added_one_by_one(metric: Any) -> None:
    metric.add(prediction=None, reference=FABRY)
    metric.add_batch(predictions=["1. Fabry disease"], references=[FABRY])
    assert metric.compute()["recall@1"] == 0.5
    with pytest.raises(ValueError, match="prediction 0 must be a text or None"):
        metric.add(prediction=["a"], reference=FABRY)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("Fabry disease", "reference 0 must be .*, got 'Fabry disease'"),
        ({"aliases": []}, "reference 0 must be .*, got {'aliases': \\[\\]}"),
        ({"answer": "Gout", "aliases": "FD"}, "the aliases of reference 0 must be a list of texts, got the text 'FD'"),
    ],
)
def test_a_wrong_reference_is_named(metric: Any, reference: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric.compute(predictions=["1. Gout"], references=[reference])


def test_an_unknown_config_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown config_name 'lists' of ranked_diagnosis; known: default, list"):
        evaluate.load(metric_path("ranked_diagnosis"), config_name="lists")


def test_after_an_error_the_next_computation_does_not_wait(metric: Any) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'"):
        metric.compute(predictions=["1. FD"], references=[FABRY], nonsense=True)
    start = time.monotonic()
    fresh = evaluate.load(metric_path("ranked_diagnosis"))
    assert fresh.compute(predictions=["1. FD"], references=[FABRY])["recall@1"] == 1.0
    assert metric.compute(predictions=["1. FD"], references=[FABRY])["recall@1"] == 1.0
    assert time.monotonic() - start < 5


def test_without_the_package_it_says_what_to_install() -> None:
    code = (
        "import sys, evaluate\n"
        "sys.modules['mrarebench_hf'] = None\n"
        f"try:\n    evaluate.load({metric_path('ranked_diagnosis')!r})\n"
        "except ImportError as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert "pip install mrarebench_hf" in run.stdout, run.stderr


def test_the_card_holds_the_table_of_metrics() -> None:
    card = (Path(metric_path("ranked_diagnosis")) / "README.md").read_text(encoding="utf-8")
    table = card.partition("<!-- table of metrics")[2].partition("<!-- end of table -->")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    expected = [f"| `{n}` | {m.direction} | {m.unit} | {m.description} | {m.formula} |" for n, m in METRICS.items()]
    assert rows == expected


def test_imports_are_one_per_line_as_evaluate_reads_them() -> None:
    for name in ("ranked_diagnosis.py", "app.py"):
        source = (Path(metric_path("ranked_diagnosis")) / name).read_text(encoding="utf-8")
        imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import)]
        assert all(len(node.names) == 1 for node in imports)
