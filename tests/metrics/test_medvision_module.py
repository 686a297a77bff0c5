"""The evaluate module medvision, loaded as users load it."""

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

from mrarebench_hf.errors import UnknownNameError, UsageError
from mrarebench_hf.families import FAMILIES
from mrarebench_hf.score.measurement_summary import metrics
from mrarebench_hf.shipped import metric_path

BOX = {"target": [0.1, 0.2, 0.5, 0.6]}
AXES = {"target": [10.0, 8.0], "diagonal_mm": 100.0}


def _load(config: str) -> Any:
    return evaluate.load(metric_path("medvision"), config)


@pytest.fixture(scope="module")
def detection() -> Any:
    return _load("detection")


@pytest.fixture(scope="module")
def tumor_lesion() -> Any:
    return _load("tumor_lesion")


@pytest.fixture(scope="module")
def angle_distance() -> Any:
    return _load("angle_distance")


def _card() -> str:
    return (Path(metric_path("medvision")) / "README.md").read_text(encoding="utf-8")


def test_it_loads_by_path_from_an_empty_folder_and_counts_failures(tmp_path: Path) -> None:
    code = (
        "import evaluate\n"
        f"metric = evaluate.load({metric_path('medvision')!r}, 'angle_distance')\n"
        "result = metric.compute(predictions=[None], references=[{'target': [45.0]}])\n"
        "print(result['n_missing'], result['MAE'], result['SuccessRate'], result['reasons'])\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.stdout.split(maxsplit=3) == ["1", "None", "0.0", "{'no_answer': 1}\n"], run.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_a_config_name_it_says_which_there_are() -> None:
    with pytest.raises(UsageError, match="'detection', 'tumor_lesion', 'angle_distance'"):
        evaluate.load(metric_path("medvision"))
    with pytest.raises(UnknownNameError, match="detections"):
        _load("detections")


def test_the_example_of_the_card_comes_out_as_it_says(detection: Any) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", _card(), re.DOTALL)
    call = ast.parse(code).body[-1]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    result = detection.compute(**{str(word.arg): ast.literal_eval(word.value) for word in call.value.keywords})
    assert (result["IoU"], result["MAE"]) == pytest.approx((0.8 / 3, 0.025))
    assert result["SuccessRate"] == pytest.approx(1 / 3)
    assert result["reasons"] == {"no_answer": 1, "too_few": 1}


def test_the_example_of_the_module_runs(tumor_lesion: Any) -> None:
    example = doctest.DocTestParser().get_doctest(
        tumor_lesion.inputs_description.replace('evaluate.load("metrics/medvision", "tumor_lesion")', "loaded"),
        {"loaded": tumor_lesion},
        "inputs",
        None,
        None,
    )
    assert doctest.DocTestRunner().run(example) == doctest.TestResults(failed=0, attempted=3)


def test_br30_failures_count_zero_in_overlaps_and_not_in_errors(detection: Any, tumor_lesion: Any) -> None:
    half = {"target": [0.1, 0.2, 0.5, 1.0]}  # twice as high as the answer
    answers = ["<answer>0.1, 0.2, 0.5, 0.6</answer>"] * 3 + ["I cannot tell"]
    result = detection.compute(predictions=answers, references=[BOX, BOX, half, BOX])
    assert result["IoU"] == pytest.approx(0.625)
    assert result["SuccessRate"] == 0.75
    answers = ["<answer>11, 9</answer>", "<answer>12, 10</answer>", "<answer>13, 11</answer>", "no idea"]
    result = tumor_lesion.compute(predictions=answers, references=[AXES] * 4)
    assert result["MAE"] == pytest.approx(2.0)
    assert result["MRE<0.2"] == 0.25  # (0.1 + 0.125) / 2 is the one below, of four


def test_br30_near_zero_targets_of_angles_are_left_out_and_counted(angle_distance: Any) -> None:
    references = [{"target": 0.05, "metric_type": "angle"}, {"target": [40.0], "metric_type": "angle"}]
    result = angle_distance.compute(predictions=["<answer>9</answer>", "<answer>44</answer>"], references=references)
    assert (result["MAE"], result["MRE"], result["n_total"], result["n_near_zero"]) == (4.0, 0.1, 1, 1)
    assert result["nMAE"] is None


def test_only_distances_have_an_nmae(angle_distance: Any) -> None:
    references = [{"target": [40.0], "diagonal_mm": 100.0, "metric_type": kind} for kind in ("distance", "angle", None)]
    result = angle_distance.compute(predictions=["<answer>44</answer>"] * 3, references=references, return_items=True)
    assert [item["nmae"] for item in result["items"]] == [0.04, None, None]
    assert result["n_no_diagonal"] == 0


@pytest.mark.parametrize(
    ("answer", "options", "size"),
    [
        ("<answer>[100, 200, 500, 600]</answer>", {"box_format": "xyxy1000"}, None),
        ("<answer>[64, 96, 320, 288]</answer>", {"box_format": "xyxy_px"}, [480, 640]),
        ("<answer>[0.1, 0.2, 0.4, 0.4]</answer>", {"box_format": "xywh01"}, None),
        ("<answer>[0.1, 0.4, 0.5, 0.8]</answer>", {"box_origin": "upper-left"}, None),
    ],
)
def test_br27_a_declared_convention_is_followed_and_never_guessed(
    detection: Any, answer: str, options: dict[str, str], size: list[int] | None
) -> None:
    reference = {**BOX, "image_size": size}
    result = detection.compute(predictions=[answer], references=[reference], **options)
    assert result["IoU"] == pytest.approx(1.0)
    assert result["MAE"] == pytest.approx(0.0, abs=1e-12)
    undeclared = detection.compute(predictions=[answer], references=[reference])
    assert undeclared["IoU"] < 0.4


def test_br27_boxes_outside_the_picture_are_flagged(detection: Any) -> None:
    result = detection.compute(predictions=["<answer>[100, 200, 500, 600]</answer>"], references=[BOX])
    assert (result["IoU"], result["n_out_of_range"], result["n_scored"]) == (0.0, 1, 1)


def test_a_box_in_pixels_of_a_picture_of_unknown_size_is_unparsed(detection: Any) -> None:
    result = detection.compute(
        predictions=["<answer>[64, 96, 320, 288]</answer>"], references=[BOX], box_format="xyxy_px"
    )
    assert (result["n_unparsed"], result["reasons"]) == (1, {"no_size": 1})


def test_the_other_profile_reads_as_that_package_does(tumor_lesion: Any) -> None:
    answer = "<answer>1, 10, 8</answer>"
    by_spec = tumor_lesion.compute(predictions=[answer], references=[AXES])
    by_package = tumor_lesion.compute(predictions=[answer], references=[AXES], profile="medvision_bm")
    assert (by_spec["SuccessRate"], by_spec["reasons"], by_spec["MAE"]) == (0.0, {"too_many": 1}, None)
    assert (by_package["SuccessRate"], by_package["MAE"]) == (1.0, 0.0)
    assert by_spec["n_profiles_differ"] == by_package["n_profiles_differ"] == 1


def test_an_overflow_is_no_number_of_a_result(tumor_lesion: Any) -> None:
    result = tumor_lesion.compute(
        predictions=["<answer>1e39, 8</answer>"], references=[AXES], profile="medvision_bm", return_items=True
    )
    assert (result["SuccessRate"], result["MAE"], result["items"][0]["mae"]) == (1.0, None, None)
    json.dumps(result, allow_nan=False)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.config)
def test_br31_nothing_gives_n_zero_and_none(family: Any) -> None:
    result = _load(family.config).compute(predictions=[], references=[], return_items=True)
    assert result["n_total"] == 0
    assert {result[name] for name in metrics(family)} == {None}
    assert result["items"] == []


def test_numbers_of_numpy_and_other_collections_are_taken(tumor_lesion: Any) -> None:
    reference = {"target": np.array([10, 8]), "diagonal_mm": np.float32(100)}
    result = tumor_lesion.compute(predictions=["<answer>11, 8</answer>"], references=[reference])
    assert (result["MAE"], result["nMAE"]) == (0.5, 0.005)


def test_cases_can_be_added_one_by_one(tumor_lesion: Any) -> None:
    tumor_lesion.add(prediction=None, reference={"target": (10, 8)})
    tumor_lesion.add_batch(predictions=["<answer>11, 8</answer>", "cut \ud83d"], references=[AXES, AXES])
    result = tumor_lesion.compute()
    assert (result["n_total"], result["n_missing"], result["MAE"]) == (3, 1, 0.5)


@pytest.mark.parametrize("prediction", [3, ["<answer>1, 2</answer>"], b"1"])
def test_a_wrong_prediction_is_named(tumor_lesion: Any, prediction: object) -> None:
    with pytest.raises(ValueError, match=r"prediction 1 must be a text or None, got \S"):
        tumor_lesion.compute(predictions=["", prediction], references=[AXES, AXES])


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ([10, 8], r"reference 0 must be {'target': list of 2.*, got \[10, 8\]"),
        ({"diagonal_mm": 3}, "reference 0 must be .*, got {'diagonal_mm'"),
        ({"target": [10]}, r"'target' of reference 0 must be 2 finite numbers for tumor_lesion, got \[10\]"),
        ({"target": "[10, 8]"}, "'target' of reference 0 must be 2 finite numbers"),
        ({"target": [10, float("nan")]}, "'target' of reference 0 must be 2 finite numbers"),
        ({"target": [10, True]}, "'target' of reference 0 must be 2 finite numbers"),
        ({"target": None}, "'target' of reference 0 must be 2 finite numbers for tumor_lesion, got None"),
        ({"target": [1, 2], "diagonal_mm": 0}, "'diagonal_mm' of reference 0 must be a number above 0 or None, got 0"),
        ({"target": [1, 2], "diagonal_mm": "9"}, "'diagonal_mm' of reference 0 must be a number above 0"),
        ({"target": [1, 2], "metric_type": "angles"}, "'metric_type' of reference 0 must be .*, got 'angles'"),
        ({"target": [1, 2], "image_size": [0, 9]}, r"'image_size' of reference 0 must be rows .*, got \[0, 9\]"),
    ],
)
def test_a_wrong_reference_is_named(tumor_lesion: Any, reference: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tumor_lesion.compute(predictions=["<answer>1, 2</answer>"], references=[reference])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"profile": "strict"}, "profile"),
        ({"box_format": "xyxy"}, "box format"),
        ({"box_origin": "top"}, "box origin"),
        ({"box_format": "xyxy1000", "profile": "medvision_bm"}, "one box convention"),
    ],
)
def test_a_wrong_option_is_named(detection: Any, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        detection.compute(predictions=[None], references=[BOX], **options)


def test_a_box_convention_for_lengths_is_refused(tumor_lesion: Any) -> None:
    with pytest.raises(UsageError, match="for boxes; TL has none"):
        tumor_lesion.compute(predictions=[None], references=[AXES], box_format="xywh01")


def test_the_card_holds_the_tables_of_metrics() -> None:
    table = _card().partition("<!-- table of metrics")[2].partition("<!-- end of table -->")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    tables = [
        [f"| `{n}` | {m.direction} | {m.unit} | {m.description} | {m.formula} |" for n, m in metrics(family).items()]
        for family in FAMILIES
    ]
    assert tables[1] == tables[2]
    assert rows == tables[0] + tables[1]


def test_imports_are_one_per_line_as_evaluate_reads_them() -> None:
    for name in ("medvision.py", "app.py"):
        source = (Path(metric_path("medvision")) / name).read_text(encoding="utf-8")
        imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import)]
        assert all(len(node.names) == 1 for node in imports)
