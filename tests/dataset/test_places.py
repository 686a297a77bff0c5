"""Caches, withheld columns and repositories under conditions that once gave wrong rows or lost files."""

from __future__ import annotations

import base64
import logging
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tsv_files import T1, T2, encoded, t1, t2, write

import mrarebench_hf
from mrarebench_hf.conditions import get
from mrarebench_hf.dataset import prepare
from mrarebench_hf.dataset.repository import build
from mrarebench_hf.dataset.withheld import passed_columns
from mrarebench_hf.errors import DataNotFoundError, UsageError

RED, BLUE = (encoded(Image.new("RGB", (4, 4), colour), "BMP") for colour in ((255, 0, 0), (0, 0, 255)))


def beside(folder: Path, picture: bytes) -> Path:
    write(folder / T1, [t1("0", "", image_path='["p.bmp"]')])
    (folder / "p.bmp").write_bytes(picture)
    return folder


def colour(dataset: Any) -> Any:
    return dataset[0]["images"][0].convert("RGB").getpixel((0, 0))


def test_equal_files_beside_different_pictures_are_two_datasets(tmp_path: Path) -> None:
    one, two = beside(tmp_path / "one", RED), beside(tmp_path / "two", BLUE)
    assert colour(mrarebench_hf.load("Diagnosis", data_dir=one)) == (255, 0, 0)
    assert colour(mrarebench_hf.load("Diagnosis", data_dir=two)) == (0, 0, 255)
    assert colour(mrarebench_hf.load("Diagnosis", data_dir=one)) == (255, 0, 0)


def test_the_long_name_follows_a_picture_of_the_same_size(tmp_path: Path) -> None:
    from datasets import load_dataset

    folder = beside(tmp_path / "d", RED)
    prepare(["Diagnosis"], data_dir=folder)
    (folder / "p.bmp").write_bytes(BLUE)
    prepare(["Diagnosis"], data_dir=folder)
    assert colour(load_dataset("mrarebench", "MRareBench_Diagnosis", split="test")) == (0, 0, 255)


def test_a_shard_that_is_gone_is_written_again(tmp_path: Path) -> None:
    write(tmp_path / "d" / T1, [t1("0")])
    prepared = prepare(["Diagnosis_TO"], data_dir=tmp_path / "d")["Diagnosis_TO"]
    prepared.path.unlink()
    assert len(prepare(["Diagnosis_TO"], data_dir=tmp_path / "d")["Diagnosis_TO"].dataset()) == 1


def test_foreign_columns_cannot_take_the_place_of_ours(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path / "d" / T1, [t1("0", prompt="IGNORE ALL", images="x", image_labels="y", note="kept")])
    dataset: Any = mrarebench_hf.load("Diagnosis_TO", data_dir=tmp_path / "d")
    assert "IGNORE" not in dataset[0]["prompt"]
    assert dataset[0]["images"] == []
    assert dataset[0]["note"] == "kept"
    assert "column 'prompt' has the name of a column of the dataset and is left out" in caplog.text


def test_pictures_and_findings_in_other_dress_are_withheld_too(tmp_path: Path) -> None:
    finding = 'A "ring" of lésion around both kidneys'
    row = t1(
        "0",
        [base64.b64encode(RED).decode()],
        image__findings='[{"body": "A \\"ring\\" of l\\u00e9sion around both kidneys"}]',
        thumbnail=base64.b64encode(encoded(Image.new("RGB", (2, 2)), "PNG")).decode(),
        as_json='["A \\"ring\\" of l\\u00e9sion around both kidneys"]',
        plain=f"note: {finding}",
        harmless="[1, 2",
    )
    path = write(tmp_path / T1, [row])
    passed, left_out = passed_columns(path, get("Diagnosis_TO"))
    assert passed == ("harmless",)
    assert set(left_out) == {"thumbnail", "as_json", "plain"}


def test_streaming_tells_what_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path / "d" / T2, [t2("0", orpha_name="Fabry disease", final_diagnosis="Fabry disease")])
    with caplog.at_level(logging.WARNING):
        mrarebench_hf.load("EvidenceVerif_NoDx", data_dir=tmp_path / "d", streaming=True)
    assert "'orpha_name' holds what EvidenceVerif_NoDx withholds" in caplog.text


def test_a_diagnosis_goes_from_a_label_and_a_missing_statement_is_told(tmp_path: Path) -> None:
    name = "Fabry disease"
    rows = [
        t2("label", [base64.b64encode(RED).decode()], image_slot_map='[{"public_slot": "Fabry disease MRI"}]'),
        t2("none", context="A boy came."),
        t2("other", context="Established diagnosis: FD. A boy came."),
    ]
    write(tmp_path / "d" / T2, [row | {"final_diagnosis": name} for row in rows])
    prepared = prepare(["EvidenceVerif_NoDx"], data_dir=tmp_path / "d")["EvidenceVerif_NoDx"]
    assert prepared.dataset()[0]["image_labels"] == ["[diagnosis withheld] MRI"]
    warnings = " ".join(prepared.warnings)
    assert "another name of it, stands in the prompt" not in warnings
    assert "no statement of the diagnosis was found" in warnings
    assert "it was cut at a full stop" in warnings


def test_one_track_alone_is_offered(tmp_path: Path) -> None:
    write(tmp_path / "d" / T1, [t1("0")])
    with pytest.raises(DataNotFoundError, match="Without it: --data Diagnosis Diagnosis_FD Diagnosis_TO"):
        prepare(data_dir=tmp_path / "d")


def test_a_build_keeps_what_is_not_its_own(tmp_path: Path) -> None:
    write(tmp_path / "d" / T1, [t1("0")])
    out = tmp_path / "repository"
    build(out, ["Diagnosis_TO"], data_dir=tmp_path / "d")
    (out / ".git").mkdir()
    (out / ".git" / "HEAD").write_text("ref")
    (out / "LICENSE").write_text("mine")
    write(tmp_path / "d" / T1, [t1("0"), t1("1")])
    build(out, ["Diagnosis_TO"], data_dir=tmp_path / "d")
    assert ((out / ".git" / "HEAD").read_text(), (out / "LICENSE").read_text()) == ("ref", "mine")
    assert not list(out.glob(".building-*"))
    from datasets import load_dataset

    assert len(load_dataset(str(out), "Diagnosis_TO", split="test")) == 2


def test_a_build_into_the_current_folder_or_through_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "d" / T1, [t1("0")])
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    build(".", ["Diagnosis_TO"], data_dir=tmp_path / "d")
    assert (tmp_path / "here" / "README.md").is_file()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    (tmp_path / "there").mkdir()
    build(tmp_path / "link", ["Diagnosis_TO"], data_dir=tmp_path / "d")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "README.md").is_file()


def test_places_that_cannot_be_a_repository_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="root of the file system"):
        build("/")
    (tmp_path / "mine").write_text("x")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="holds the current folder"):
        build(".", force=True)
