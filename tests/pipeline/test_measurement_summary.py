"""Stage 3: groups, models, a leaderboard; from our record and from lines that others wrote."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from measured_tree import FILES, PLANS, line, strict, volume, write

from mrarebench_hf.errors import StoreError, UsageError
from mrarebench_hf.families import get
from mrarebench_hf.pipeline.measured_file import Reading
from mrarebench_hf.pipeline.measurement_summary import Summarizing, summarize_measurements
from mrarebench_hf.pipeline.measurements import parse_measurements

GROUP = "kidney tumor @ CT (A)"


def _answer(text: str) -> str:
    return f"<answer>{text}</answer>"


def _plans(root: Path) -> Path:
    (root / "plans.json").write_text(json.dumps(PLANS))
    return root / "plans.json"


def _tree(root: Path, family: str, models: dict[str, list[str | None]], profile: Any = "spec", **doc: Any) -> Path:
    """A task's folder whose models gave these answers; it is parsed."""
    for model, replies in models.items():
        write(root / "task" / model, family, [line(family, n, reply, **doc) for n, reply in enumerate(replies)])
    parse_measurements(Reading(get(family), profile=profile, data_root=root), task_dir=root / "task")
    return root / "task"


def _summarize(family: str, task: Path, **options: Any) -> dict[str, Any]:
    document, _ = summarize_measurements(Summarizing(get(family), **options), task_dir=task)
    return document


def test_every_model_has_groups_and_a_place_on_the_board(tmp_path: Path) -> None:
    models: dict[str, list[str | None]] = {
        "worse": [_answer("20, 8"), "unsure", None],
        "better": [_answer("11, 8"), _answer("10, 8"), _answer("10, 8")],
    }
    task = _tree(tmp_path, "TL", models)
    document = _summarize("TL", task, plans=_plans(tmp_path))
    worse = document["models"]["worse"]
    assert set(worse["groups"]) == {GROUP}
    row = worse["overall"]["all"]
    assert (row["MAE"], row["SuccessRate"], row["n_groups"]) == (5.0, pytest.approx(1 / 3), 1)
    assert (row["n_total"], row["n_scored"], row["n_unparsed"], row["n_missing"]) == (3, 1, 1, 1)
    written = strict((task / "summary_TL_Task.json").read_text())
    assert written == document
    board = (task / "summary_TL_Task.md").read_text()
    assert board.index("better") < board.index("worse")
    assert "worse: 1 of 3 samples (all) have no answer" in board
    assert strict((task / "worse" / "parsed" / "summary_metrics_TL_Task.json").read_text()) == worse["groups"]
    rows = list(csv.DictReader((task / "summary_TL_Task.csv").read_text().splitlines()))
    assert {(entry["model"], entry["row"]) for entry in rows} >= {("better", "all"), ("worse", GROUP)}
    assert float(next(entry for entry in rows if entry["model"] == "worse")["MAE"]) == 5.0
    latex = (task / "summary_TL_Task.tex").read_text()
    assert "MRE$<$0.1" in latex
    assert latex.count("\\\\") == 3


def test_lines_that_others_parsed_are_read_too_and_give_the_same(tmp_path: Path) -> None:
    volume(tmp_path)
    task = _tree(tmp_path, "TL", {"m": [_answer("12, 8"), "unsure"]}, profile="medvision_bm")
    how: dict[str, Any] = {"plans": _plans(tmp_path), "profile": "medvision_bm", "data_root": tmp_path}
    ours = _summarize("TL", task, **how)
    parsed = task / "m" / "parsed"
    values = (parsed / "summary_values_TL_Task.json").read_bytes()
    for path in parsed.glob("*.parquet"):
        path.unlink()
    theirs = _summarize("TL", task, **how)["models"]
    assert (theirs["m"].pop("reasons"), ours["models"]["m"].pop("reasons")) == ({"unparsed": 1}, {"no_tag": 1})
    assert theirs == ours["models"]
    assert json.loads((parsed / "summary_values_TL_Task.json").read_bytes()) == json.loads(values)


def test_parsed_lines_that_changed_are_read_again(tmp_path: Path) -> None:
    task = _tree(tmp_path, "TL", {"m": [_answer("12, 8")]})
    path = task / "m" / "parsed" / FILES["TL"]
    path.write_text(path.read_text().replace("12.0,8.0", "14.0,8.0") + "{\n")
    model = _summarize("TL", task)["models"]["m"]
    assert model["overall"]["all"]["MAE"] == 2.0
    assert any(f"{path}:2" in text for text in model["warnings"])


def test_the_rules_of_both_stages_must_be_the_same(tmp_path: Path) -> None:
    task = _tree(tmp_path, "TL", {"m": [_answer("12, 8")]})
    with pytest.raises(StoreError, match="parsed as TL by profile spec, not as TL by medvision_bm"):
        _summarize("TL", task, profile="medvision_bm", plans=_plans(tmp_path))
    with pytest.raises(UsageError, match="use --task_type TL, not AD"):
        _summarize("AD", task)


def test_a_model_without_parsed_files_is_named_or_passed_over(tmp_path: Path) -> None:
    task = _tree(tmp_path, "TL", {"m": [_answer("12, 8")]})
    (task / "new").mkdir()
    with pytest.raises(StoreError, match=r"new has no parsed files .*--skip_model_wo_parsed_files"):
        _summarize("TL", task)
    assert list(_summarize("TL", task, skip_unparsed=True)["models"]) == ["m"]
    (task / "m" / "parsed" / FILES["TL"]).unlink()
    with pytest.raises(StoreError, match="no model below"):
        _summarize("TL", task, skip_unparsed=True)


def test_unknown_labels_are_groups_of_their_own_with_a_warning(tmp_path: Path) -> None:
    task = _tree(tmp_path, "Detection", {"m": [_answer("0, 0, 1, 1")]}, label="7")
    model = _summarize("Detection", task, plans=_plans(tmp_path))["models"]["m"]
    assert list(model["groups"]) == ["KiTS23 label 7 @ CT (A)"]
    assert model["warnings"] == ["label 7 of KiTS23_BoxCoordinate_Task01_Axial is in no plan: 1 samples"]
    plans = {"KiTS23": {"segmentation": [{"image_modality": "CT", "labels_map": {"7": "third eye"}}]}}
    (tmp_path / "plans.json").write_text(json.dumps(plans))
    model = _summarize("Detection", task, plans=tmp_path / "plans.json")["models"]["m"]
    assert list(model["groups"]) == ["third eye @ CT (A)"]
    assert "in no published group" in model["warnings"][0]


def test_without_plans_every_label_is_a_group(tmp_path: Path) -> None:
    task = _tree(tmp_path, "TL", {"m": [_answer("12, 8")]})
    model = _summarize("TL", task)["models"]["m"]
    assert list(model["groups"]) == ["KiTS23 label 2 @ ? (A)"]
    assert "without --plans" in model["warnings"][-1]


def test_small_groups_are_out_of_the_means_over_groups_but_not_out_of_all(tmp_path: Path) -> None:
    replies: list[str | None] = [_answer("0.1, 0.2, 0.5, 0.6")] * 50
    task = _tree(tmp_path, "Detection", {"m": replies})
    lines = [line("Detection", n, _answer("0, 0, 1, 1"), label="1") for n in range(49)]
    path = write(task / "m", "Detection", [])
    other = path.with_name(path.name.replace("Task01", "Task001").replace("000000_samples", "000001_samples"))
    write(task / "m", "Detection", [line("Detection", n, reply) for n, reply in enumerate(replies)])
    other.write_text("".join(json.dumps(entry) + "\n" for entry in lines))
    parse_measurements(Reading(get("Detection")), task_dir=task)
    overall = _summarize("Detection", task, plans=_plans(tmp_path))["models"]["m"]["overall"]
    assert set(overall) == {"all", "T/L"}
    assert (overall["all"]["n_total"], overall["T/L"]["n_total"]) == (99, 50)
    assert overall["T/L"]["IoU"] == pytest.approx(1.0)


def test_angles_and_distances_have_rows_of_their_own(tmp_path: Path) -> None:
    angle = {"biometric_profile": {"metric_type": "angle", "metric_key": "A1"}}
    lines = [
        line("AD", 0, _answer("44")),
        line("AD", 1, _answer("48"), **angle),
        line("AD", 2, _answer("1"), target="0.05", **angle),
    ]
    write(tmp_path / "task" / "m", "AD", lines)
    parse_measurements(Reading(get("AD")), task_dir=tmp_path / "task")
    overall = _summarize("AD", tmp_path / "task")["models"]["m"]["overall"]
    assert {name: row["MAE"] for name, row in overall.items()} == {
        "all": 6.0,
        "Ceph-Biometrics-400 distance": 4.0,
        "distance": 4.0,
        "Ceph-Biometrics-400 angle": 8.0,
        "angle": 8.0,
    }
    assert (overall["angle"]["n_total"], overall["angle"]["n_near_zero"], overall["all"]["nMAE"]) == (1, 1, 4 / 50)


def test_boxes_can_be_grouped_by_size_with_a_floor(tmp_path: Path) -> None:
    lines = [
        line("Detection", 0, _answer("0, 0, 0.2, 0.2"), target="[0, 0, 0.2, 0.2]"),
        line("Detection", 1, _answer("0, 0, 1, 1"), target="[0, 0, 1, 1]"),
        line("Detection", 2, "unsure", target="[0, 0, 0.25, 0.2]"),
    ]
    write(tmp_path / "task" / "m", "Detection", lines)
    parse_measurements(Reading(get("Detection")), task_dir=tmp_path / "task")
    first = _summarize("Detection", tmp_path / "task", by="box-size", seed=1)
    model = first["models"]["m"]
    names = [f"box {low} of the picture" for low in ("0.00 to 0.05", "0.05 to 0.10", "0.95 to 1.00")]
    assert list(model["groups"]) == names
    assert [model["groups"][name]["IoU"] for name in names] == [1.0, 0.0, 1.0]
    floor = model["baselines"]["random boxes (baseline)"]
    assert floor["box 0.95 to 1.00 of the picture"]["IoU"] > floor["box 0.00 to 0.05 of the picture"]["IoU"]
    assert first == _summarize("Detection", tmp_path / "task", by="box-size", seed=1)
    assert first != _summarize("Detection", tmp_path / "task", by="box-size", seed=2)
    assert "random boxes (baseline)" in (tmp_path / "task" / "summary_box_size_detect_Task.md").read_text()
    assert "baselines" not in _summarize("Detection", tmp_path / "task")["models"]["m"]
    assert "baselines" in _summarize("Detection", tmp_path / "task", random_baseline=True)["models"]["m"]


def test_removed_samples_are_left_out(tmp_path: Path) -> None:
    lines = [
        line("TL", 0, _answer("12, 8")),
        line("TL", 1, _answer("10, 8"), slice_idx=6),
        line("TL", 2, None, slice_idx=None),
    ]
    write(tmp_path / "task" / "m", "TL", lines)
    parse_measurements(Reading(get("TL")), task_dir=tmp_path / "task")
    removed = tmp_path / "removed" / "KiTS23" / "list.json"
    removed.parent.mkdir(parents=True)
    removed.write_text(json.dumps([{"image_file": "Images/a.nii.gz", "slice_dim": "z", "slice_idx": 5, "task_ID": 1}]))
    how: dict[str, Any] = {"removed_dir": tmp_path / "removed", "removed_name": "list.json"}
    row = _summarize("TL", tmp_path / "task", **how)["models"]["m"]["overall"]["all"]
    assert (row["n_total"], row["MAE"]) == (2, 0.0)
    warnings = _summarize("TL", tmp_path / "task", **how)["models"]["m"]["warnings"]
    assert any("1 samples of" in text and "removed" in text for text in warnings)
    assert (tmp_path / "task" / "summary_TL_Task_filtered.json").is_file()
    how["removed_name"] = "other.json"
    assert _summarize("TL", tmp_path / "task", **how)["models"]["m"]["overall"]["all"]["n_total"] == 3


def test_a_limit_takes_the_first_samples_of_every_file(tmp_path: Path) -> None:
    task = _tree(tmp_path, "TL", {"m": [_answer("12, 8"), _answer("10, 8")]})
    for limit in (0, 1):
        overall = _summarize("TL", task, limit=limit)["models"]["m"]["overall"]
        assert (overall["all"]["n_total"] if overall else 0) == limit
        assert (task / f"summary_TL_Task_limit{limit}.json").is_file()


def test_one_model_alone_and_models_by_name(tmp_path: Path) -> None:
    task = _tree(tmp_path, "TL", {"a": [_answer("12, 8")], "b": [_answer("12, 8")]})
    how = Summarizing(get("TL"))
    document, _ = summarize_measurements(how, task_dir=task, models=["b"])
    assert list(document["models"]) == ["b"]
    document, _ = summarize_measurements(how, model_dir=task / "a")
    assert list(document["models"]) == ["a"]
    assert (task / "a" / "parsed" / "summary_TL_Task.json").is_file()


@pytest.mark.parametrize("keeps_table", [True, False])
def test_records_that_name_their_structure_need_no_plans(tmp_path: Path, keeps_table: bool) -> None:
    named = line("TL", 0, _answer("12, 8"), label_name="kidney tumor", modality="MRI")
    write(tmp_path / "m", "TL", [named, line("TL", 1, _answer("12, 8"))])
    parse_measurements(Reading(get("TL")), model_dir=tmp_path / "m")
    (table,) = (tmp_path / "m" / "parsed").glob("*.parquet")
    if not keeps_table:
        table.unlink()
    document, _ = summarize_measurements(Summarizing(get("TL")), model_dir=tmp_path / "m")
    assert set(document["models"]["m"]["groups"]) == {"kidney tumor @ MR (A)", "KiTS23 label 2 @ ? (A)"}


def test_a_table_of_another_version_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "m", "TL", [line("TL", 0, _answer("12, 8"))])
    parse_measurements(Reading(get("TL")), model_dir=tmp_path / "m")
    (path,) = (tmp_path / "m" / "parsed").glob("*.parquet")
    with pq.ParquetFile(path) as file:
        table = file.read().replace_schema_metadata(file.metadata.metadata)
    pq.write_table(table.drop_columns(["modality"]), path)
    document, _ = summarize_measurements(Summarizing(get("TL")), model_dir=tmp_path / "m")
    assert document["models"]["m"]["overall"]["all"]["n_scored"] == 1


def test_another_folder_of_parsed_files_has_its_name_in_the_summary(tmp_path: Path) -> None:
    write(tmp_path / "task" / "m", "TL", [line("TL", 0, _answer("12, 8"))])
    parse_measurements(Reading(get("TL"), parsed_dirname="parsed2"), task_dir=tmp_path / "task")
    _summarize("TL", tmp_path / "task", parsed_dirname="parsed2")
    assert (tmp_path / "task" / "summary_TL_Task__parsed2.json").is_file()


def test_another_key_holds_the_numbers(tmp_path: Path) -> None:
    task = _tree(tmp_path, "TL", {"m": [_answer("12, 8")]})
    path = task / "m" / "parsed" / FILES["TL"]
    entry = json.loads(path.read_text())
    path.write_text(json.dumps({**entry, "judge": ["16.0,8.0"]}) + "\n")
    assert _summarize("TL", task, resps_key="judge")["models"]["m"]["overall"]["all"]["MAE"] == 3.0
    with pytest.raises(StoreError, match="has no 'judges': give the right one as --resps_key"):
        _summarize("TL", task, resps_key="judges")


@pytest.mark.parametrize("held", [[], "12, 8, 9", "12,x", "nan,8", 7, None])
def test_what_is_no_answer_in_a_parsed_line_is_unparsed(tmp_path: Path, held: Any) -> None:
    entry = {**line("TL", 0, "text"), "filtered_resps": held, "parse_reason": 3}
    write(tmp_path / "m" / "parsed", "TL", [entry])
    document, _ = summarize_measurements(Summarizing(get("TL")), model_dir=tmp_path / "m")
    assert document["models"]["m"]["overall"]["all"]["n_unparsed"] == 1


@pytest.mark.parametrize(
    ("family", "options", "message"),
    [
        ("TL", {"limit": -2}, "--limit -2"),
        ("TL", {"by": "box-size"}, "for Detection"),
        ("TL", {"profile": "medvision_bm"}, "give --plans FILE"),
        ("AD", {"removed_dir": Path()}, "for TL"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    tmp_path: Path, family: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        _summarize(family, tmp_path, **options)
    with pytest.raises(UsageError, match="--task_dir"):
        summarize_measurements(Summarizing(get(family)))


def test_files_of_other_ratings_and_other_angles_are_left_out_as_the_other_package_does(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    path = write(folder, "AD", [line("AD", 0, _answer("44"))])
    for name in (path.name.replace("Ceph-Biometrics-400", "Other"), path.name.replace(".jsonl", "_proc_acc.jsonl")):
        path.with_name(name).write_text(path.read_text())
    parse_measurements(Reading(get("AD"), profile="medvision_bm"), model_dir=folder)
    document, _ = summarize_measurements(Summarizing(get("AD"), profile="medvision_bm"), model_dir=folder)
    model = document["models"]["m"]
    assert list(model["groups"]) == ["Ceph-Biometrics-400_distance_L1"]
    assert model["groups"]["Ceph-Biometrics-400_distance_L1"]["n_total"] == 1
    assert any("is left out, as medvision_bm does" in text for text in model["warnings"])


def test_a_name_that_is_a_formula_or_markup_stays_a_text(tmp_path: Path) -> None:
    task = _tree(tmp_path, "TL", {"=1+1|<b>_x&%": [_answer("12, 8")]})
    _summarize("TL", task)
    assert "'=1+1" in (task / "summary_TL_Task.csv").read_text()
    markdown = (task / "summary_TL_Task.md").read_text()
    assert "<b>" not in markdown
    assert r"=1+1\|" in markdown
    assert r"$<$b$>$\_x\&\%" in (task / "summary_TL_Task.tex").read_text()
