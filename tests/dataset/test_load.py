"""Rows of a dataset: types, contents, what is withheld, and how prompts come back out of them."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from datasets import Image as ImageFeature
from datasets import List, Value
from PIL import Image
from tsv_files import T1, T2, b64, encoded, png, t1, t2, write

import mrarebench_hf
from mrarebench_hf import conditions, prompt
from mrarebench_hf.dataset import prepare
from mrarebench_hf.dataset.rows import prompt_of, references_of, undecoded
from mrarebench_hf.errors import DataFormatError, DataNotFoundError, UnknownNameError
from mrarebench_hf.source.cases import read_cases
from mrarebench_hf.source.picture import size_px, to_rgb

SHOWN = ["index", "images", "image_labels", "prompt"]
PICTURE = b64(png())


def test_columns_and_types(data: Path) -> None:
    for condition in conditions.CONDITIONS:
        dataset: Any = mrarebench_hf.load(condition.name, data_dir=data)
        assert dataset.column_names[:4] == SHOWN
        assert dataset.features["images"] == List(ImageFeature())
        assert dataset.features["image_labels"] == List(Value("string"))
        assert dataset.split == "test"
        assert len(dataset) == 2
        assert (dataset[0]["images"] == []) == (not condition.images)
    extra = {"diagnosis": "pmcid", "evidence": "row_key"}[condition.task]
    assert dataset.column_names[4:] == [
        "final_diagnosis",
        "evidence_points",
        "gold_rationale",
        "decisive_image_ids",
        "supporting_image_ids",
        "task_type",
        "n_images",
        extra,
    ]
    assert dataset[0]["evidence_points"] == [
        {"image": "Image 1", "point": "A whorl.", "category": "", "credit": "required"}
    ]
    assert dataset[0]["decisive_image_ids"] == [1]
    assert dataset[1]["image_labels"] == ["Image 2"]


def test_br01_words_and_zeros_survive(tmp_path: Path) -> None:
    rows = [
        t1("007", answer="NA", answer_aliases="None", pmcid="null"),
        t1("7", answer="null", answer_aliases="N/A", pmcid=""),
        t1("010", answer="nan", answer_aliases="Pompe disease", pmcid="01"),
    ]
    write(tmp_path / "d" / T1, rows)
    dataset: Any = mrarebench_hf.load("Diagnosis_TO", data_dir=tmp_path / "d")
    assert dataset["index"][:] == ["007", "7", "010"]
    assert dataset["answer"][:] == ["NA", "null", "nan"]
    assert dataset["answer_aliases"][:] == [["None"], ["N/A"], ["Pompe disease"]]
    assert dataset["pmcid"][:] == ["null", "", "01"]


def test_rows_give_the_prompt_back(data: Path) -> None:
    for name, prepared in prepare(data_dir=data).items():
        condition = conditions.get(name)
        cases = [case for batch in read_cases(prepared.source, condition.task) for case in batch]
        for rows in (prepared.dataset(decode=False), undecoded(prepared.dataset())):
            for row, case in zip(rows, cases, strict=True):
                assert prompt_of(row) == prompt.build(case, condition)
                assert references_of(row, condition.task) == dict(case.references)


def test_undecoded_copies_nothing(data: Path, cache: Path) -> None:
    dataset = prepare(["Diagnosis"], data_dir=data)["Diagnosis"].dataset()
    before = sorted(cache.rglob("*"))
    assert undecoded(dataset)[0]["images"][0] == {"bytes": png(), "path": None}
    assert undecoded(dataset.select([1, 0]))[1]["images"][0]["bytes"] == png()
    assert sorted(cache.rglob("*")) == before


def test_streaming_gives_the_same_rows_and_writes_no_cache(data: Path, cache: Path) -> None:
    for name in ("Diagnosis", "EvidenceVerif_TO"):
        stream: Any = mrarebench_hf.load(name, data_dir=data, streaming=True)
        rows = list(stream)
        assert not list(cache.rglob("*.arrow"))
        stored: Any = mrarebench_hf.load(name, data_dir=data)
        assert stream.features == stored.features
        for streamed, kept in zip(rows, stored, strict=True):
            pictures = [row.pop("images") for row in (streamed, kept)]
            assert streamed == kept
            assert [p.tobytes() for p in pictures[0]] == [p.tobytes() for p in pictures[1]]
        for file in cache.rglob("*.arrow"):
            file.unlink()


def test_streaming_refuses_damage_before_the_first_row(tmp_path: Path) -> None:
    write(tmp_path / T1, [t1("a"), t1("b"), t1("a")])
    with pytest.raises(DataFormatError, match=r"the id 'a' stands in row 1 and again in row 3"):
        mrarebench_hf.load("Diagnosis", data_dir=tmp_path, streaming=True)


def test_wrong_names(data: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown condition 'Diagnosis_T0'. Did you mean 'Diagnosis_TO'"):
        mrarebench_hf.load("Diagnosis_T0", data_dir=data)
    with pytest.raises(UnknownNameError, match=r"unknown split 'train'. Known: test."):
        mrarebench_hf.load("Diagnosis", data_dir=data, split="train")
    with pytest.raises(DataNotFoundError, match=r"no diagnosis_opened.tsv"):
        mrarebench_hf.load("Diagnosis", data_dir=data / "none")


def test_br05_duplicates_leave_nothing_behind(tmp_path: Path, cache: Path) -> None:
    write(tmp_path / "d" / T1, [t1("dup", answer="one"), t1("dup", answer="two")])
    with pytest.raises(DataFormatError, match=r"the id 'dup' stands in row 1 and again in row 2"):
        prepare(["Diagnosis"], data_dir=tmp_path / "d")
    assert not list(cache.rglob("*.arrow"))


def test_br06_bad_pictures_stand_as_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path / "d" / T1, [t1("good", [PICTURE]), t1("bad", [PICTURE, "iVBORw0KGgo"])])
    with caplog.at_level(logging.WARNING, "mrarebench_hf"):
        prepared = prepare(["Diagnosis"], data_dir=tmp_path / "d")["Diagnosis"]
    assert [len(row["images"]) for row in prepared.dataset()] == [1, 2]
    assert prepared.dataset()[1]["images"][1] is None
    assert caplog.messages == ["Diagnosis: id bad: picture 2 cannot be used: no base64: Incorrect padding"]
    assert prepared.picture_faults("bad") == "slot 2: no base64: Incorrect padding"
    assert prepared.picture_faults("good") == ""
    caplog.clear()
    assert prepare(["Diagnosis"], data_dir=tmp_path / "d")["Diagnosis"].faults == prepared.faults
    assert "id bad" in caplog.text


def test_br09_one_orientation_everywhere(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = encoded(Image.new("RGB", (8, 4), (255, 0, 0)), "JPEG", exif=exif)
    write(tmp_path / "d" / T1, [t1("0", [b64(data)])])
    dataset: Any = mrarebench_hf.load("Diagnosis", data_dir=tmp_path / "d")
    [row] = undecoded(dataset)
    kept = row["images"][0]["bytes"]
    assert kept == data
    dataset.save_to_disk(tmp_path / "saved")
    from datasets import load_from_disk

    again = load_from_disk(tmp_path / "saved")
    sizes = [dataset[0]["images"][0].size, again[0]["images"][0].size, to_rgb(kept).size, size_px(kept)]
    assert sizes == [(4, 8)] * 4


def test_br12_no_picture_first(tmp_path: Path) -> None:
    write(tmp_path / "d" / T1, [t1("0", ""), t1("1", [PICTURE])])
    dataset: Any = mrarebench_hf.load("Diagnosis", data_dir=tmp_path / "d")
    assert [len(row["images"]) for row in dataset] == [0, 1]


def test_an_unexpected_number_of_rows_is_a_matter_of_published_files(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mrarebench_hf.dataset import loading
    from mrarebench_hf.source.resolve import Located

    assert prepare(["Diagnosis"], data_dir=data)["Diagnosis"].warnings == (
        "no picture in a condition that shows pictures (id 7)",
    )
    path = data / "MRareBench" / "diagnosis" / T1
    monkeypatch.setattr(loading, "locate", lambda *_, **__: Located(path, "hub:junzhin/MRareBench", "c0ffee"))
    found = prepare(["Diagnosis_TO"])["Diagnosis_TO"]
    assert found.warnings == ("hub:junzhin/MRareBench gives 2 rows; the published file of this track has 300",)
    assert (found.provenance.revision, found.provenance.n_rows) == ("c0ffee", 2)


@pytest.mark.parametrize(
    ("name", "cells", "left_out"),
    [
        # Findings, broken differently and in other case, in a condition without findings and in one with them.
        ("Diagnosis", {"note": "we saw A MASS in the\nleft adrenal gland."}, True),
        ("Diagnosis_FD", {"note": "we saw a mass in the left adrenal gland."}, False),
        ("Diagnosis", {"note": "a mass"}, False),
        # Pictures and their names.
        ("Diagnosis_TO", {"note": f"see {PICTURE}"}, True),
        ("Diagnosis_TO", {"note": "file scan--1.jpg"}, True),
        ("Diagnosis", {"note": "file scan--1.jpg"}, False),
    ],
)
def test_columns_that_tell_what_is_withheld_are_left_out_t1(
    tmp_path: Path, name: str, cells: dict[str, str], left_out: bool
) -> None:
    big = b64(encoded(Image.effect_noise((40, 30), 80), "PNG"))
    cells = {k: v.replace(PICTURE, big) for k, v in cells.items()}
    findings = '[{"title": "CT", "body": "A mass in the left adrenal gland."}]'
    row = t1("0", [big], image_path='["images/scan--1.jpg"]', image__findings=findings, **cells)
    write(tmp_path / "d" / T1, [t1("x", [big], image_path="", image__findings="", note=""), row])
    _expect(tmp_path / "d", name, left_out)


@pytest.mark.parametrize(
    ("name", "cells", "left_out"),
    [
        ("EvidenceVerif_NoDx", {"note": "typical FABRY  disease"}, True),
        ("EvidenceVerif", {"note": "typical FABRY  disease"}, False),
        ("EvidenceVerif_NoDx", {"note": "Fabry"}, False),
        ("EvidenceVerif_NoDx", {"note": "an FD case", "t1_aliases": '["FD"]'}, True),
        ("EvidenceVerif_NoDx", {"note": "unFDable", "t1_aliases": '["FD"]'}, False),
    ],
)
def test_columns_that_tell_what_is_withheld_are_left_out_t2(
    tmp_path: Path, name: str, cells: dict[str, str], left_out: bool
) -> None:
    blank = dict.fromkeys(cells, "")
    write(tmp_path / "d" / T2, [t2("x", **blank), t2("0", [PICTURE], **cells)])
    _expect(tmp_path / "d", name, left_out)


def _expect(folder: Path, name: str, left_out: bool) -> None:
    prepared = prepare([name], data_dir=folder)[name]
    assert ("note" in prepared.dataset().column_names) == (not left_out)
    words = f"column 'note' holds what {name} withholds and is left out"
    assert (words in prepared.warnings) == left_out


def test_a_diagnosis_named_elsewhere_is_withheld_there_too_and_another_name_is_a_warning(tmp_path: Path) -> None:
    told = "Established diagnosis: Fabry disease. His "
    rows = [
        t2("0", t1_aliases='["FD"]'),
        t2("1", context=f"{told}father had fabry\ndisease.", question_open="Why Fabry disease?", t1_aliases=""),
        t2("2", context=f"{told}father had FD.", t1_aliases='["FD"]'),
        t2("3", context=f"{told}fd.", t1_aliases='["FD"]'),
    ]
    write(tmp_path / T2, rows)
    prepared = prepare(["EvidenceVerif_NoDx"], data_dir=tmp_path)["EvidenceVerif_NoDx"]
    assert "the withheld diagnosis, or another name of it, stands in the prompt (id 2)" in prepared.warnings
    prompt = prepared.dataset()[1]["prompt"]
    assert prompt.startswith("His father had [diagnosis withheld].\n\nQuestion: Why [diagnosis withheld]?")


def test_findings_that_stand_in_the_prompt_of_a_condition_that_withholds_them_are_a_warning(tmp_path: Path) -> None:
    line = "A whorled  mass in the left lobe."
    findings = json.dumps([{"title": "CT", "body": f"Normal.\n{line}"}])
    shown = t1("1", context="Normal. A whorled mass\nin the left lobe.", **{"image findings": findings})
    write(tmp_path / T1, [t1("0", context="Normal.", **{"image findings": findings}), shown])
    found = prepare(["Diagnosis", "Diagnosis_FD", "Diagnosis_TO"], data_dir=tmp_path)
    words = "the withheld findings stand in the prompt, word for word (id 1)"
    assert [words in found[name].warnings for name in found] == [True, False, True]


def test_pictures_keep_their_bytes(data: Path) -> None:
    dataset = prepare(["Diagnosis"], data_dir=data)["Diagnosis"].dataset(decode=False)
    first = dataset[0]["images"]
    assert first[0]["bytes"] == png()
    assert Image.open(io.BytesIO(first[1]["bytes"])).format == "JPEG"


def test_importing_costs_nothing_heavy() -> None:
    program = (
        "import sys, mrarebench_hf, mrarebench_hf.source, mrarebench_hf.source.cases, mrarebench_hf.dataset;"
        "print([m for m in ('datasets', 'torch', 'pandas', 'PIL', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
