"""Lines, files and options that no stage 1 of ours writes: each costs itself alone, and is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from measured_tree import FILES, line, read_lines, strict, volume, write

from mrarebench_hf.errors import StoreError, UsageError
from mrarebench_hf.families import get
from mrarebench_hf.pipeline.measured_file import FileReport, Reading
from mrarebench_hf.pipeline.measurement_summary import Summarizing, summarize_measurements
from mrarebench_hf.pipeline.measurements import parse_measurements


def _answer(text: str) -> str:
    return f"<answer>{text}</answer>"


def _parse(model: Path, family: str = "TL", **options: Any) -> FileReport:
    (report,) = parse_measurements(Reading(get(family), **options), model_dir=model)
    return report


def test_a_box_that_is_right_from_the_upper_left_has_no_error(tmp_path: Path) -> None:
    write(tmp_path, "Detection", [line("Detection", 0, _answer("0.1, 0.4, 0.5, 0.8"))])
    report = _parse(tmp_path, "Detection", box_origin="upper-left")
    (entry,) = read_lines(report.path)
    assert (entry["avgIoU"]["IoU"], entry["avgMAE"]["MAE"]) == (pytest.approx(1), pytest.approx(0, abs=1e-12))


@pytest.mark.parametrize(
    "doc",
    [
        {"image_size_2d": [10**400, 40]},
        {"slice_dim": True, "pixel_size": None},
        {"image_file": "a" * 5000, "pixel_size": None},
        {"image_file": "a\0b", "pixel_size": None},
        {"label": ["2"]},
    ],
)
def test_facts_that_nothing_can_have_cost_at_most_an_nmae(tmp_path: Path, doc: dict[str, Any]) -> None:
    volume(tmp_path / "data")
    write(tmp_path, "TL", [line("TL", 0, _answer("12, 8"), **doc), line("TL", 1, _answer("10, 8"))])
    report = _parse(tmp_path, data_root=tmp_path / "data")
    assert report.faults == ()
    first, second = read_lines(report.path)
    assert (first["avgMAE"]["MAE"], second["nMAE"]["NMAE"]) == (1.0, 0.0)


def test_a_line_that_cannot_be_written_is_named_and_left_out_alone(tmp_path: Path) -> None:
    lone = json.dumps(line("TL", 1, _answer("12, 8"), label="LONE")).replace("LONE", "\\ud800")
    whole = [line("TL", number, _answer("12, 8")) for number in (0, 2, 3)]
    write(tmp_path, "TL", [whole[0], lone, *whole[1:]])
    report = _parse(tmp_path)
    assert [entry["doc_id"] for entry in read_lines(report.path)] == [0, 2, 3]
    assert report.counts["n_damaged_lines"] == 1
    assert "surrogate" in report.faults[0]


def test_a_line_nested_without_end_is_a_damaged_line(tmp_path: Path) -> None:
    deep = json.dumps(line("TL", 0, _answer("12, 8"))).replace('"kept"', "[" * 5000 + "]" * 5000)
    write(tmp_path, "TL", [deep, line("TL", 1, _answer("12, 8"))])
    report = _parse(tmp_path)
    assert [entry["doc_id"] for entry in read_lines(report.path)] == [1]
    assert report.counts["n_damaged_lines"] == 1


def test_what_another_package_parsed_is_read_anew_by_the_own_rules(tmp_path: Path) -> None:
    entry = {**line("TL", 0, "<answer>11, 9</answer> no: <answer>10, 8</answer>"), "filtered_resps": ["11,9"]}
    write(tmp_path / "m" / "parsed", "TL", [entry])
    document, _ = summarize_measurements(Summarizing(get("TL")), model_dir=tmp_path / "m")
    assert document["models"]["m"]["overall"]["all"]["MAE"] == 0.0


@pytest.mark.parametrize(
    ("family", "options", "message"),
    [
        ("TL", {"random_baseline": True}, "--random-baseline is for Detection"),
        ("TL", {"removed_dir": Path("gone")}, "no such folder, so nothing would be removed"),
        ("Detection", {"seed": -1}, "--seed -1"),
        ("Detection", {"seed": 2**32}, "--seed 4294967296"),
        ("TL", {"parsed_dirname": "../other"}, "name of a folder"),
    ],
)
def test_options_that_would_do_nothing_or_harm_are_refused(
    tmp_path: Path, family: str, options: dict[str, Any], message: str
) -> None:
    write(tmp_path / "m", family, [line(family, 0, None)])
    _parse(tmp_path / "m", family)
    with pytest.raises(UsageError, match=message):
        summarize_measurements(Summarizing(get(family), **options), model_dir=tmp_path / "m")


def test_degrees_are_no_answer_to_a_distance(tmp_path: Path) -> None:
    replies = ["44 deg", "44 mm", "44"]
    write(tmp_path, "AD", [line("AD", number, _answer(reply)) for number, reply in enumerate(replies)])
    report = _parse(tmp_path, "AD")
    assert report.reasons == {"wrong_unit": 1}
    assert read_lines(report.path)[0]["parse_reason"] == "wrong_unit"


def test_tasks_that_share_a_stamp_keep_their_own_results(tmp_path: Path) -> None:
    first = write(tmp_path, "TL", [line("TL", 0, _answer("12, 8"))])
    second = first.with_name(first.name.replace("Task01", "Task02"))
    second.write_text(first.read_text().replace("12, 8", "10, 8"))
    tasks = [path.stem.partition("_samples_")[2] for path in (first, second)]
    for processes in (1, 2):
        parse_measurements(Reading(get("TL")), model_dir=tmp_path, processes=processes)
        results = strict((tmp_path / "parsed" / "20250101_000000_results.json").read_text())["results"]
        assert {task: results[task]["avgMAE"] for task in tasks} == {tasks[0]: 1.0, tasks[1]: 0.0}


def test_files_parsed_by_other_rules_or_from_other_answers_are_not_taken_for_done(tmp_path: Path) -> None:
    write(tmp_path, "Detection", [line("Detection", 0, _answer("100, 200, 500, 600"))])

    def parsed(**rules: Any) -> int:
        how = Reading(get("Detection"), **rules)
        return len(parse_measurements(how, model_dir=tmp_path, skip_existing=True))

    assert [parsed(), parsed(), parsed(limit=0), parsed()] == [1, 0, 1, 1]
    assert [parsed(box_format="xyxy1000"), parsed(box_format="xyxy1000")] == [1, 0]
    assert [parsed(profile="medvision_bm"), parsed(profile="medvision_bm")] == [1, 0]
    write(tmp_path, "Detection", [line("Detection", 0, _answer("0, 0, 1, 1"))])
    assert parsed(profile="medvision_bm") == 1
    for path in (tmp_path / "parsed").glob("*.parquet"):
        path.write_text("no table")
    assert parsed() == 0  # who parsed it does not say how


def test_a_full_disk_is_an_error_of_one_line_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "TL", [line("TL", 0, _answer("12, 8"))])

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mrarebench_hf.store.sorted_lines.SortedLines.write", fail)
    with pytest.raises(StoreError, match=r"cannot write in .*parsed: .*No space left"):
        _parse(tmp_path)
    assert not list((tmp_path / "parsed").iterdir())


def _summary(model: Path, family: str = "TL", **options: Any) -> dict[str, Any]:
    return summarize_measurements(Summarizing(get(family), **options), model_dir=model)[0]["models"][model.name]


def test_a_summary_says_how_its_files_were_made(tmp_path: Path) -> None:
    model = tmp_path / "m"
    write(model, "Detection", ["{", *(line("Detection", n, _answer("100, 200, 500, 600")) for n in range(3))])
    _parse(model, "Detection", box_format="xyxy1000", limit=2)
    found = _summary(model, "Detection")
    assert found["box_convention"] == "xyxy1000 lower-left"
    text = " ".join(found["warnings"])
    assert "it was parsed with --limit" in text
    _parse(model, "Detection", box_format="xyxy1000")
    assert "1 damaged lines" in " ".join(_summary(model, "Detection")["warnings"])
    write(model, "Detection", [line("Detection", 0, "unsure")])
    assert "have changed since they were parsed" in " ".join(_summary(model, "Detection")["warnings"])
    (model / FILES["Detection"]).unlink()
    assert "changed" not in " ".join(_summary(model, "Detection")["warnings"])


def test_a_summary_counts_why_answers_were_not_scored(tmp_path: Path) -> None:
    replies = [_answer("12, 8"), "unsure", _answer("12"), None]
    write(tmp_path / "m", "TL", [line("TL", number, reply) for number, reply in enumerate(replies)])
    _parse(tmp_path / "m")
    _, text = summarize_measurements(Summarizing(get("TL")), model_dir=tmp_path / "m")
    assert _summary(tmp_path / "m")["reasons"] == {"no_answer": 1, "no_tag": 1, "too_few": 1}
    assert "no_answer 1, no_tag 1, too_few 1" in text.replace("\\", "")


def test_two_conventions_in_one_model_are_a_warning(tmp_path: Path) -> None:
    first = write(tmp_path / "m", "Detection", [line("Detection", 0, _answer("0.1, 0.2, 0.5, 0.6"))])
    _parse(tmp_path / "m", "Detection")
    second = first.with_name(first.name.replace("Task01", "Task02"))
    second.write_text(first.read_text())
    parse_measurements(Reading(get("Detection"), box_format="xyxy1000"), model_dir=tmp_path / "m", skip_existing=True)
    _keep_first_as_it_was(tmp_path / "m", first)
    found = _summary(tmp_path / "m", "Detection")
    assert found["box_convention"] == "xyxy01 lower-left and xyxy1000 lower-left"
    assert any("several conventions" in text for text in found["warnings"])


def _keep_first_as_it_was(model: Path, first: Path) -> None:
    alone = model.parent / "alone"
    alone.mkdir()
    (alone / first.name).write_text(first.read_text())
    _parse(alone, "Detection")
    for path in (alone / "parsed").glob("*Task01*"):
        path.replace(model / "parsed" / path.name)


@pytest.mark.parametrize(("profile", "n_total"), [("spec", 1), ("medvision_bm", 2)])
def test_of_two_files_of_a_task_the_newer_one_counts(tmp_path: Path, profile: Any, n_total: int) -> None:
    model = tmp_path / "m"
    older = write(model, "AD", [line("AD", 0, _answer("44"))])
    newer = older.with_name(older.name.replace("20250101", "20250102"))
    newer.write_text(older.read_text().replace("44", "40"))
    parse_measurements(Reading(get("AD"), profile), model_dir=model)
    found = _summary(model, "AD", profile=profile)
    assert found["overall"]["all"]["n_total"] == n_total
    assert found["overall"]["all"]["MAE"] == (0.0 if profile == "spec" else 2.0)
    assert older.name in " ".join(found["warnings"])


def test_a_model_without_samples_says_so(tmp_path: Path) -> None:
    write(tmp_path / "m", "TL", [])
    _parse(tmp_path / "m")
    assert "no samples" in _summary(tmp_path / "m")["warnings"]


def test_a_summary_is_strict_json_whatever_the_answers_say(tmp_path: Path) -> None:
    replies = [_answer("1e308, 1e308"), _answer("1e99, 1e99"), _answer("nan, 8"), _answer("10, 8")]
    write(tmp_path / "m", "TL", [line("TL", number, reply) for number, reply in enumerate(replies)])
    _parse(tmp_path / "m")
    summarize_measurements(Summarizing(get("TL")), model_dir=tmp_path / "m")
    for path in (tmp_path / "m").rglob("*.json"):
        strict(path.read_text())
