"""The mini-benchmark has the published files' form, holds what it promises, and is the same every time."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from mrarebench_hf.demo import write_benchmark
from mrarebench_hf.demo.content import CASES, DemoCase
from mrarebench_hf.demo.pictures import ENCODINGS, SCENES, draw, encode

# Written out here, not taken from mrarebench_hf.tasks: the published headers are a fact, not our choice.
T1_COLUMNS = [
    "index",
    "image",
    "image_path",
    "question",
    "context",
    "image findings",
    "answer",
    "answer_aliases",
    "figure_mapping",
]
T2_COLUMNS = [
    "index",
    "image",
    "image_path",
    "image_slot_map",
    "context",
    "question_open",
    "question",
    "final_diagnosis",
    "acceptable_evidence_points",
    "gold_rationale",
    "gold_answer_open",
    "decisive_image_ids",
    "supporting_image_ids",
    "task_type",
]
T1_FILE = "diagnosis/diagnosis_opened.tsv"
T2_FILE = "evidence_verification/evidence_verification_opened_FULL609.tsv"
# Encoding → (container, mode) as a decoder sees it.
SEEN_AS = {
    "jpeg_rgb": ("JPEG", "RGB"),
    "jpeg_l": ("JPEG", "L"),
    "jpeg_cmyk": ("JPEG", "CMYK"),
    "jpeg_exif": ("JPEG", "RGB"),
    "png_rgb": ("PNG", "RGB"),
    "png_rgba": ("PNG", "RGBA"),
    "png_l": ("PNG", "L"),
    "png_la": ("PNG", "LA"),
    "png_p": ("PNG", "P"),
    "png_1": ("PNG", "1"),
    "png_i16": ("PNG", "I;16"),
}


def read(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    csv.field_size_limit(1 << 27)
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, delimiter="\t")
        rows = list(reader)
    return list(reader.fieldnames or []), rows


def pictures(rows: list[dict[str, str]]) -> Iterator[Image.Image]:
    for row in rows:
        for cell in json.loads(row["image"]):
            image = Image.open(io.BytesIO(base64.b64decode(cell, validate=True)))
            image.load()
            yield image


@pytest.fixture(scope="module")
def root(demo_data: Path) -> Path:
    return demo_data / "MRareBench"


@pytest.mark.parametrize(("file", "columns"), [(T1_FILE, T1_COLUMNS), (T2_FILE, T2_COLUMNS)])
def test_columns_and_rows(root: Path, file: str, columns: list[str]) -> None:
    header, rows = read(root / file)
    assert header == columns
    assert len(rows) >= 12
    assert [row["index"] for row in rows] == [str(n) for n in range(len(rows))]
    assert all(None not in row and None not in row.values() for row in rows)


@pytest.mark.parametrize("file", [T1_FILE, T2_FILE])
def test_each_row_has_one_to_four_pictures_with_paths(root: Path, file: str) -> None:
    _, rows = read(root / file)
    counts = [len(json.loads(row["image"])) for row in rows]
    assert set(counts) == {1, 2, 3, 4}
    assert counts == [len(json.loads(row["image_path"])) for row in rows]


@pytest.mark.parametrize("file", [T1_FILE, T2_FILE])
def test_every_encoding_occurs_and_decodes(root: Path, file: str) -> None:
    _, rows = read(root / file)
    seen = Counter((image.format, image.mode) for image in pictures(rows))
    assert set(seen) == set(SEEN_AS.values())
    assert any(image.getexif().get(0x0112) == 6 for image in pictures(rows))


def test_cells_hold_newlines_tabs_and_quotes(root: Path) -> None:
    _, rows = read(root / T1_FILE)
    assert all("\n" in row["context"] and "\t" in row["context"] and '"' in row["context"] for row in rows)


def test_figure_labels_match_the_pictures(root: Path) -> None:
    _, rows = read(root / T1_FILE)
    for row in rows:
        assert list(json.loads(row["figure_mapping"]).values()) == json.loads(row["image_path"])


def test_findings_say_what_the_views_show(root: Path) -> None:
    _, rows = read(root / T1_FILE)
    for row, case in zip(rows, CASES, strict=True):
        findings = json.loads(row["image findings"])
        assert [entry["title"] for entry in findings] == [view.study for view in case.views]
        assert all(entry["markdown"] == f"### {entry['title']}\n{entry['body']}" for entry in findings)


def test_names_have_aliases_accents_and_apostrophes(root: Path) -> None:
    _, rows = read(root / T1_FILE)
    answers = " ".join(row["answer"] for row in rows)
    assert "é" in answers
    assert "ö" in answers
    assert "'" in answers
    assert all(len(json.loads(row["answer_aliases"])) >= 2 for row in rows)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_vignette_names_its_diagnosis(case: DemoCase) -> None:
    told = " ".join([case.patient, case.history, case.tests, case.synthesis, *(repr(view) for view in case.views)])
    names = (case.name, *case.aliases)
    assert not [name for name in names if re.search(rf"\b{re.escape(name)}\b", told, re.IGNORECASE)]


def test_every_vignette_says_that_it_is_synthetic(root: Path) -> None:
    for file in (T1_FILE, T2_FILE):
        assert all("Synthetic demonstration case" in row["context"] for row in read(root / file)[1])


def test_evidence_rows_are_complete(root: Path) -> None:
    _, rows = read(root / T2_FILE)
    for row in rows:
        n = len(json.loads(row["image"]))
        points = json.loads(row["acceptable_evidence_points"])
        assert [slot["public_slot"] for slot in json.loads(row["image_slot_map"])] == [
            f"Image {k + 1}" for k in range(n)
        ]
        assert row["context"].startswith(f"Established diagnosis: {row['final_diagnosis']}. ")
        assert row["context"].count(row["final_diagnosis"]) == 1
        assert {point["credit"] for point in points} <= {"required", "optional"}
        assert any(point["credit"] == "required" for point in points)
        decisive, supporting = json.loads(row["decisive_image_ids"]), json.loads(row["supporting_image_ids"])
        assert decisive + supporting == list(range(1, n + 1))
    assert {row["task_type"] for row in rows} > {"", "cross_modality"}


def test_same_bytes_every_time(root: Path, tmp_path: Path) -> None:
    again = write_benchmark(str(tmp_path / "new" / "folder"))
    assert again == tmp_path / "new" / "folder" / "MRareBench"
    for file in (T1_FILE, T2_FILE):
        assert (
            hashlib.sha256((again / file).read_bytes()).digest() == hashlib.sha256((root / file).read_bytes()).digest()
        )


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encoding_has_the_stated_form(encoding: str) -> None:
    image = Image.open(io.BytesIO(encode(draw("ct", random.Random(1)), encoding)))
    assert (image.format, image.mode) == SEEN_AS[encoding]
    assert image.size == (160, 128)


def test_sixteen_bits_are_used() -> None:
    image = Image.open(io.BytesIO(encode(draw("ct", random.Random(1)), "png_i16")))
    # 1000 + 12 * grey: the darkest scene colour is 14 or more, bone is 225, the yellow mark 226.
    low, high = image.getextrema()
    assert 1000 <= low < high <= 1000 + 12 * 255
    assert high > 255


def test_unknown_encoding_is_refused() -> None:
    with pytest.raises(KeyError, match="gif"):
        encode(Image.new("RGB", (4, 4)), "gif")


def test_scenes_differ() -> None:
    drawn = {draw(scene, random.Random(1)).tobytes() for scene in SCENES}
    assert len(drawn) == len(SCENES)
