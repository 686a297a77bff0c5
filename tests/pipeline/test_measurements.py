"""Stage 2 over a results tree: what is written, what is counted, and what stops nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from measured_tree import FILES, line, read_lines, strict, volume, write

from mrarebench_hf.errors import StoreError, UnknownNameError, UsageError
from mrarebench_hf.families import get
from mrarebench_hf.pipeline.measured_file import FileReport, Reading
from mrarebench_hf.pipeline.measurements import parse_measurements


def _answer(text: str) -> str:
    return f"<answer>{text}</answer>"


def _parse(model: Path, family: str = "TL", **options: Any) -> FileReport:
    (report,) = parse_measurements(Reading(get(family), **options), model_dir=model)
    return report


def test_every_line_is_completed_and_the_raw_files_stay(tmp_path: Path) -> None:
    raw = write(tmp_path, "TL", [line("TL", 1, "unsure"), line("TL", 0, _answer("12, 8"))])
    before = raw.read_bytes(), (tmp_path / "20250101_000000_results.json").read_bytes()
    report = _parse(tmp_path)
    assert (raw.read_bytes(), (tmp_path / "20250101_000000_results.json").read_bytes()) == before
    first, second = read_lines(report.path)
    assert report.path == tmp_path / "parsed" / raw.name
    assert (first["doc_id"], second["doc_id"]) == (0, 1)
    assert first["filtered_resps"] == ["12.0,8.0"]
    assert first["avgMAE"] == {"MAE": 1.0, "success": True}
    assert first["avgMRE"] == {"MRE": pytest.approx(0.1), "success": True}
    assert first["nMAE"] == {"NMAE": pytest.approx(1 / 50), "success": True}
    assert (first["SuccessRate"], first["parse_reason"], first["extra"]) == ({"success": True}, None, "kept")
    assert (second["filtered_resps"], second["parse_reason"]) == ([""], "no_tag")
    assert second["avgMAE"] == {"MAE": None, "success": False}
    assert report.counts["n_total"] == report.counts["n_scored"] + report.counts["n_unparsed"] == 2
    assert report.reasons == {"no_tag": 1}
    assert not [path for path in (tmp_path / "parsed").iterdir() if path.name.startswith(".")]


def test_the_results_keep_what_stage_1_wrote_and_name_the_rules(tmp_path: Path) -> None:
    write(tmp_path, "TL", [line("TL", 0, _answer("12, 8")), line("TL", 1, None)])
    _parse(tmp_path)
    document = strict((tmp_path / "parsed" / "20250101_000000_results.json").read_text())
    (values,) = document["results"].values()
    assert (values["old"], values["avgMAE"], values["avgMAE,none"], values["SuccessRate"]) == (1, 1.0, 1.0, 0.5)
    assert values["avgNMAE"] == pytest.approx(0.02)
    assert document["n-samples"]
    about = document["mrarebench"]
    assert (about["profile"], about["counts"]["n_missing"]) == ("spec", 1)
    assert about["raw"].startswith("crc32:")


def test_br54_nothing_parsed_gives_null_and_zero_in_strict_json(tmp_path: Path) -> None:
    write(tmp_path, "TL", [line("TL", 0, "NaN"), json.dumps(line("TL", 1, _answer("nan"))).replace("30", "NaN")])
    report = _parse(tmp_path)
    (values,) = strict((tmp_path / "parsed" / "20250101_000000_results.json").read_text())["results"].values()
    assert (values["avgMAE"], values["avgMRE,none"], values["SuccessRate,none"]) == (None, None, 0.0)
    first, second = read_lines(report.path)
    assert first["resps"] == [["NaN"]]
    assert second["doc"]["image_size_2d"] == [None, 40]


def test_damaged_lines_are_named_and_stop_nothing(tmp_path: Path) -> None:
    raw = write(
        tmp_path,
        "TL",
        [
            line("TL", 0, _answer("12, 8")),
            '{"doc_id": 1, "doc',
            "",
            line("TL", 2, _answer("12, 8"), target="nan"),
            line("TL", 3, _answer("12, 8"), target="[1]"),
            "null",
            line("TL", 4, _answer("11, 8")),
        ],
    )
    report = _parse(tmp_path)
    assert [entry["doc_id"] for entry in read_lines(report.path)] == [0, 4]
    assert [fault.split(": ")[0] for fault in report.faults] == [f"{raw}:{n}" for n in (2, 4, 5, 6)]
    assert "target 'nan'" in report.faults[1]
    assert (report.counts["n_total"], report.counts["n_damaged_lines"]) == (2, 4)


def test_many_damaged_lines_are_counted_after_the_first(tmp_path: Path) -> None:
    write(tmp_path, "TL", ["{"] * 30)
    report = _parse(tmp_path)
    assert (len(report.faults), report.faults[-1]) == (21, "and 10 more damaged lines")
    assert report.counts["n_damaged_lines"] == 30


@pytest.mark.parametrize("profile", ["spec", "medvision_bm"])
@pytest.mark.parametrize("family", ["AD", "TL", "Detection"])
def test_an_empty_file_has_results_of_nothing(tmp_path: Path, family: str, profile: Any) -> None:
    write(tmp_path, family, [])
    report = _parse(tmp_path, family, profile=profile)
    assert report.counts["n_total"] == 0
    assert report.path.read_bytes() == b""
    (values,) = strict((tmp_path / "parsed" / "20250101_000000_results.json").read_text())["results"].values()
    assert values["SuccessRate,none"] is None


def test_without_results_of_stage_1_there_are_new_ones(tmp_path: Path) -> None:
    write(tmp_path, "TL", [line("TL", 0, _answer("12, 8"))])
    raw = tmp_path / "20250101_000000_results.json"
    for damaged in (False, True):
        raw.write_text("{") if damaged else raw.unlink()
        report = _parse(tmp_path)
        document = strict((tmp_path / "parsed" / raw.name).read_text())
        assert list(document["results"]) == ["KiTS23_TumorLesionSize_Task01_Axial"]
        assert bool(report.notes) == damaged
    assert "20250101_000000_results.json is not a readable JSON document" in report.notes[0]


def test_spacing_comes_from_the_record_or_else_from_the_header(tmp_path: Path) -> None:
    volume(tmp_path / "data", zooms=(3.0, 4.0, 1.0))  # 30 rows and 40 columns: sides of 90 and 160 mm
    write(
        tmp_path,
        "TL",
        [
            line("TL", 0, _answer("12, 8")),
            line("TL", 1, _answer("12, 8"), pixel_size=None),
            line("TL", 2, _answer("12, 8"), pixel_size=None, image_size_2d=None),
            line("TL", 3, _answer("12, 8"), pixel_size=None, image_file="gone.nii.gz"),
            line("TL", 4, _answer("12, 8"), pixel_size=None, slice_dim=None),
        ],
    )
    report = _parse(tmp_path, data_root=tmp_path / "data")
    diagonal = (90**2 + 160**2) ** 0.5
    found = [entry["nMAE"]["NMAE"] for entry in read_lines(report.path)]
    assert found == [pytest.approx(1 / 50), pytest.approx(1 / diagonal), pytest.approx(1 / diagonal), None, None]
    assert report.counts["n_no_diagonal"] == 2
    assert report.reasons == {"no_slice": 1, "no_volume": 1}
    assert report.notes == (
        f"no volume {tmp_path / 'data' / 'gone.nii.gz'}: paths in the samples count from --data-root",
    )


def test_br57_sizes_and_spacing_in_the_log_are_enough(tmp_path: Path) -> None:
    doc = {"image_id": "x", "biometric_profile": {"metric_type": "distance", "metric_key": "L1"}}
    write(tmp_path, "AD", [line("AD", 0, _answer("44"), **doc)])
    report = _parse(tmp_path, "AD")
    (entry,) = read_lines(report.path)
    assert entry["doc"]["image_id"] == "x"
    assert entry["nMAE"] == {"NMAE": pytest.approx(4 / 50), "success": True}


def test_the_other_package_trusts_headers_only(tmp_path: Path) -> None:
    write(tmp_path, "TL", [line("TL", 0, _answer("12, 8")), line("TL", 1, _answer("1, 12, 8"))])
    report = _parse(tmp_path, profile="medvision_bm", data_root=tmp_path)
    first, second = read_lines(report.path)
    assert first["nMAE"] == {"NMAE": None, "success": False}
    assert second["filtered_resps"] == ["12,8"]
    assert "parse_reason" not in first
    assert report.counts["n_profiles_differ"] == 1


def test_a_stored_nmae_is_kept_by_the_other_package_and_computed_by_us(tmp_path: Path) -> None:
    stored = {**line("TL", 0, "cannot tell"), "nMAE": {"NMAE": 0.25, "success": True}}
    write(tmp_path, "TL", [stored])
    (entry,) = read_lines(_parse(tmp_path, profile="medvision_bm").path)
    assert entry["nMAE"] == {"NMAE": 0.25, "success": True}
    (entry,) = read_lines(_parse(tmp_path).path)
    assert entry["nMAE"] == {"NMAE": None, "success": False}


def test_br27_a_declared_box_convention_is_recorded(tmp_path: Path) -> None:
    lines = [line("Detection", 0, _answer("[100, 200, 500, 600]")), line("Detection", 1, _answer("[0, 0, 1, 2000]"))]
    write(tmp_path, "Detection", lines)
    report = _parse(tmp_path, "Detection", box_format="xyxy1000")
    first, _ = read_lines(report.path)
    assert first["avgIoU"]["IoU"] == pytest.approx(1.0)
    assert report.counts["n_out_of_range"] == 1
    about = strict((tmp_path / "parsed" / "20250101_000000_results.json").read_text())["mrarebench"]
    assert (about["box_format"], about["box_origin"]) == ("xyxy1000", "lower-left")
    undeclared = _parse(tmp_path, "Detection")
    assert read_lines(undeclared.path)[0]["avgIoU"]["IoU"] == 0.0
    assert undeclared.counts["n_out_of_range"] == 2


def test_boxes_know_their_share_of_the_picture(tmp_path: Path) -> None:
    volume(tmp_path)
    box = {"bounding_boxes": {"dimensions": [[3, 4]]}}
    lines = [
        line("Detection", 0, _answer("0.1, 0.2, 0.5, 0.6"), **box),
        line("Detection", 1, _answer("0.1, 0.2, 0.5, 0.6"), image_size_2d=None, **box),
        line("Detection", 2, _answer("0.1, 0.2, 0.5, 0.6")),
        line("Detection", 3, _answer("64, 9, 32, 28"), image_size_2d=None, slice_dim=None, **box),
    ]
    write(tmp_path, "Detection", lines)
    found = read_lines(_parse(tmp_path, "Detection", data_root=tmp_path).path)
    shares = [entry["box_img_ratio"] for entry in found]
    assert shares == [pytest.approx(0.01), pytest.approx(0.01), pytest.approx(0.16), None]
    assert found[1]["doc"]["image_size_2d"] == [30, 40]


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_a_limit_takes_the_first_samples_by_number(tmp_path: Path, limit: int) -> None:
    write(tmp_path, "TL", ["{", *(line("TL", n, _answer("12, 8")) for n in (5, 2, 9))])
    report = _parse(tmp_path, limit=limit)
    assert [entry["doc_id"] for entry in read_lines(report.path)] == [2, 5, 9][:limit]


def test_files_that_are_done_can_be_left_alone_and_two_processes_write_the_same(tmp_path: Path) -> None:
    for model in ("a", "b", "c"):
        write(tmp_path / model, "TL", [line("TL", n, _answer(f"{n}, 8")) for n in (2, 1, 0)])
    how = Reading(get("TL"))
    first = parse_measurements(how, task_dir=tmp_path)
    written = {report.path: report.path.read_bytes() for report in first}
    results = [report.path.parent / "20250101_000000_results.json" for report in first]
    contents = [path.read_bytes() for path in results]
    (tmp_path / "b" / "parsed" / FILES["TL"]).unlink()
    (again,) = parse_measurements(how, task_dir=tmp_path, skip_existing=True)
    assert again.path.parts[-3] == "b"
    assert parse_measurements(how, task_dir=tmp_path, skip_existing=True) == []
    together = parse_measurements(how, task_dir=tmp_path, processes=2)
    assert [(report.path, report.counts) for report in together] == [(report.path, report.counts) for report in first]
    assert {report.path: report.path.read_bytes() for report in together} == written
    assert [path.read_bytes() for path in results] == contents


def test_a_run_that_stops_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "TL", [line("TL", 0, _answer("12, 8"))])
    before = _parse(tmp_path).path.read_bytes()
    write(tmp_path, "TL", [line("TL", 0, _answer("99, 8"))])

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mrarebench_hf.pipeline.measured_file.results_document", stop)
    with pytest.raises(KeyboardInterrupt):
        _parse(tmp_path)
    assert (tmp_path / "parsed" / FILES["TL"]).read_bytes() == before
    assert not [path for path in (tmp_path / "parsed").iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("family", "options", "error", "message"),
    [
        ("TL", {"limit": -1}, UsageError, "--limit -1"),
        ("TL", {"box_format": "xywh01"}, UsageError, "for boxes"),
        ("Detection", {"box_format": "xyxy"}, UnknownNameError, "box format"),
        ("TL", {"parsed_dirname": "../x"}, UsageError, "must be the name of a folder"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    tmp_path: Path, family: str, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    write(tmp_path, family, [])
    with pytest.raises(error, match=message):
        _parse(tmp_path, family, **options)


def test_folders_without_samples_are_named(tmp_path: Path) -> None:
    how = Reading(get("TL"))
    with pytest.raises(UsageError, match="--task_dir"):
        parse_measurements(how)
    with pytest.raises(UsageError, match="give one of --task_dir"):
        parse_measurements(how, task_dir=tmp_path, model_dir=tmp_path)
    with pytest.raises(UsageError, match="is one model already"):
        parse_measurements(how, model_dir=tmp_path, models=["m"])
    with pytest.raises(UsageError, match="-p 0"):
        parse_measurements(how, model_dir=tmp_path, processes=0)
    with pytest.raises(StoreError, match=r"no \*_samples_\*\.jsonl below"):
        parse_measurements(how, model_dir=tmp_path)
    with pytest.raises(StoreError, match="no folder"):
        parse_measurements(how, model_dir=tmp_path / "nowhere")


def test_files_of_another_family_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    raw = write(tmp_path / "m", "TL", [line("TL", 0, _answer("12, 8"))])
    with pytest.raises(UsageError, match="use --task_type TL, not Detection"):
        parse_measurements(Reading(get("Detection")), task_dir=tmp_path)
    assert not (raw.parent / "parsed").exists()


def test_a_name_of_somebodys_own_says_nothing_of_the_family(tmp_path: Path) -> None:
    raw = write(tmp_path, "TL", [line("TL", 0, _answer("12, 8"))])
    raw.rename(tmp_path / "s_samples_Mine_Whatever_Task01_Axial.jsonl")
    (report,) = parse_measurements(Reading(get("TL")), model_dir=tmp_path)
    assert not report.faults


def test_a_trailing_slash_writes_where_it_should(tmp_path: Path) -> None:
    raw = write(tmp_path / "m", "TL", [line("TL", 0, _answer("12, 8"))])
    report = _parse(Path(f"{tmp_path}/m/"))
    assert report.path == raw.parent / "parsed" / raw.name
    assert {path.name for path in raw.parent.iterdir()} == {"parsed", raw.name, "20250101_000000_results.json"}
