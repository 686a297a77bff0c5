"""From a row to a case: slots, labels, faults, and files that may not be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from tsv_files import T2, b64, encoded, png, t1, t2, write

from mrarebench_hf.errors import DataFormatError
from mrarebench_hf.records import Case
from mrarebench_hf.source.cases import extra_columns, read_cases

PICTURE = b64(png())


def cases(path: Path, task: str = "diagnosis", *, pictures: bool = True) -> list[Case]:
    return [case for batch in read_cases(path, task, pictures=pictures) for case in batch]


def one(tmp_path: Path, row: dict[str, str], task: str = "diagnosis") -> Case:
    [case] = cases(write(tmp_path / "s.tsv", [row]), task)
    return case


def test_a_t1_row(tmp_path: Path) -> None:
    case = one(tmp_path, t1("07", [PICTURE], pmcid="PMC1", empty=""))
    assert (case.task, case.index) == ("diagnosis", "07")
    assert case.references == {"answer": "Fabry disease", "answer_aliases": ["FD"]}
    assert case.extras == {"pmcid": "PMC1", "empty": ""}
    assert case.cells["context"] == "Case 07.\nA man."
    assert "image" not in case.cells
    assert [(p.slot, p.data, p.label, p.fault) for p in case.pictures] == [(1, png(), None, None)]


def test_a_t2_row(tmp_path: Path) -> None:
    case = one(tmp_path, t2(images=[PICTURE], gold_rationale="", gold_answer_open="The open answer."), "evidence")
    assert case.references == {
        "final_diagnosis": "Fabry disease",
        "evidence_points": [{"image": "Image 1", "point": "A whorl.", "category": "", "credit": "required"}],
        "gold_rationale": "The open answer.",
        "decisive_image_ids": [1],
        "supporting_image_ids": [],
        "task_type": "cross_modality",
        "n_images": 1,
    }
    assert case.pictures[0].label == "Image 1"


@pytest.mark.parametrize(
    ("cells", "n_images"),
    [
        ({"image": json.dumps([PICTURE, "", None, PICTURE])}, 2),
        ({"image": "[]", "image_path": '["a.png", "", "b.png"]'}, 2),
        ({"image": ""}, 0),
        ({"image": "[broken"}, 1),
        ({"image": "[1]"}, 1),
    ],
)
def test_pictures_are_counted_alike_whether_they_are_read_or_not(
    tmp_path: Path, cells: dict[str, str], n_images: int
) -> None:
    write(tmp_path / T2, [t2("0", **cells)])
    for pictures in (True, False):
        [[case]] = read_cases(tmp_path / T2, "evidence", pictures=pictures)
        assert case.references["n_images"] == n_images


def test_t1_labels_go_by_file_name(tmp_path: Path) -> None:
    mapping = {"Figure 1": "x/a--1.jpg", "Figure 2": "y/scan.png", "Figure 2b": "z/scan.png"}
    row = t1("a", [PICTURE] * 3, image_path='["a--1.jpg", "scan.png", "other.png"]', figure_mapping=json.dumps(mapping))
    assert [p.label for p in one(tmp_path, row).pictures] == ["Figure 1", "Figure 2b", None]


def test_t2_labels_go_by_slot_not_by_what_is_left(tmp_path: Path) -> None:
    slots = [{"public_slot": "Panel A"}, {"public_slot": "Panel B"}, "odd", {"public_slot": ""}]
    row = t2(images=["", PICTURE, PICTURE, PICTURE, PICTURE], image_slot_map=json.dumps(slots))
    found = one(tmp_path, row, "evidence").pictures
    assert [(p.slot, p.label) for p in found] == [(2, "Panel B"), (3, "Image 3"), (4, "Image 4"), (5, "Image 5")]


def test_br06_one_bad_picture_fails_alone(tmp_path: Path) -> None:
    # A truncated file has a good header: its damage shows when it is decoded (tests of to_rgb).
    cut = b64(encoded(Image.effect_noise((64, 64), 50), "JPEG")[:-60])
    half = len(PICTURE) // 2
    prefixed = f"data:image/png;base64,{PICTURE[:half]}\n{PICTURE[half:]}"
    rows = [t1("good", [PICTURE]), t1("prefix", [prefixed]), t1("bad", ["iVBORw0KGgo"]), t1("cut", [cut])]
    found = {case.index: case.pictures[0] for case in cases(write(tmp_path / "s.tsv", rows))}
    assert found["good"].data == found["prefix"].data == png()
    assert found["bad"].data is None
    assert found["bad"].fault == "no base64: Incorrect padding"
    assert found["cut"].data is not None


@pytest.mark.parametrize(
    ("cell", "faults"),
    [
        (PICTURE, [None]),
        (f"data:image/png;base64,{PICTURE}", [None]),
        (json.dumps(PICTURE), [None]),
        ("", []),
        ("[]", []),
        ('["", null]', []),
        (f"['{PICTURE}']", ["the image cell is no JSON list"]),
        (f'["{PICTURE}', ["the image cell is no JSON list"]),
        ('{"a": 1}', ["the image cell is no JSON list of base64 texts"]),
        ("12345", ["the image cell is no JSON list of base64 texts"]),
        (f'[7, "{PICTURE}"]', ["a int where base64 text is expected", None]),
        (json.dumps([b64(b"hello there")]), ["11 bytes that are no picture in a known format"]),
    ],
)
def test_picture_cells(tmp_path: Path, cell: str, faults: list[str | None]) -> None:
    found = [picture.fault for picture in one(tmp_path, t1(images=cell)).pictures]
    assert len(found) == len(faults)
    for fault, expected in zip(found, faults, strict=True):
        assert fault is None if expected is None else (fault or "").startswith(expected)


def test_br11_a_gigantic_picture_is_a_fault_of_its_own(tmp_path: Path) -> None:
    huge = b64(png(0, (12_000, 12_000), "1"))
    found = cases(write(tmp_path / "s.tsv", [t1("huge", [huge, PICTURE]), t1("other", [PICTURE])]))
    assert [[p.data is None for p in case.pictures] for case in found] == [[True, False], [False]]
    assert found[0].pictures[0].fault == (
        "too large: 12000 x 12000 px are 144,000,000 pixels; at most 80,000,000 are decoded"
    )


def test_files_beside_the_table(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.png").write_bytes(png())
    row = t1(images="", image_path='["images/a.png", "", "images\\\\a.png", "images/none.png"]')
    found = one(tmp_path, row).pictures
    assert [(p.slot, p.data) for p in found] == [(1, png()), (3, png()), (4, None)]
    assert found[2].fault == "no file 'images/none.png' beside the benchmark file"


def test_a_bare_path(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    assert one(tmp_path, t1(images="", image_path="a.png")).pictures[0].data == png()


@pytest.mark.parametrize("stated", ["../secret.png", "/etc/passwd", "a/../../secret.png", "C:\\x.png", "link.png"])
def test_no_file_outside_the_folder_is_read(tmp_path: Path, stated: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(png())
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    path = write(folder / "s.tsv", [t1("9", "", image_path=json.dumps([stated]))])
    with pytest.raises(
        DataFormatError, match=r"s\.tsv, id '9': image_path .* (leaves|is a link out of) the data folder"
    ):
        cases(path)
    assert cases(path, pictures=False)[0].pictures == ()


def test_paths_are_only_names_where_there_are_pictures(tmp_path: Path) -> None:
    assert one(tmp_path, t1(images=[PICTURE], image_path='["/data/author/a.png"]')).pictures[0].data == png()


def test_links_of_the_hub_cache_are_followed(tmp_path: Path) -> None:
    snapshot = tmp_path / "datasets--x" / "snapshots" / "abc" / "diagnosis"
    blobs = tmp_path / "datasets--x" / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    (blobs / "1").write_bytes(png())
    (snapshot / "a.png").symlink_to(blobs / "1")
    path = write(snapshot / "s.tsv", [t1(images="", image_path="a.png")])
    assert cases(path)[0].pictures[0].data == png()


def test_missing_columns_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "s.tsv", [{"index": "0", "context": "x", "Answer": "y"}])
    with pytest.raises(DataFormatError, match="the column 'Answer' is probably meant to be 'answer'"):
        cases(path)


def test_few_columns_are_enough(tmp_path: Path) -> None:
    [case] = cases(write(tmp_path / "s.tsv", [{"context": "x", "answer": "y"}]))
    assert (case.index, case.references) == ("0", {"answer": "y", "answer_aliases": []})


def test_extra_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "s.tsv", [t1(pmcid="1", orpha_code="2")])
    assert extra_columns(path, "diagnosis") == ("pmcid", "orpha_code")
