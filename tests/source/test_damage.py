"""Damage that once went unseen: swallowed rows, look-alike columns, odd links, unreadable files, streams left early."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tsv_files import T1, t1, write

from mrarebench_hf.errors import DataFormatError, DataNotFoundError, PictureError
from mrarebench_hf.source import tsv
from mrarebench_hf.source.cases import read_cases
from mrarebench_hf.source.files import read_picture
from mrarebench_hf.source.picture import size_px
from mrarebench_hf.source.resolve import sha256_of


def rows_of(path: Path, columns: list[str] | None = None) -> int:
    return sum(len(rows) for rows in tsv.read(path, columns=columns))


def test_a_quote_that_is_never_closed_is_found(tmp_path: Path) -> None:
    lines = [f"{n}\tctx {n}\tans {n}\n" for n in range(300)]
    lines[20] = '20\tctx 20\t"ans 20\n'
    for end in ("".join(lines), "".join(lines).rstrip("\n")):
        path = tmp_path / "a.tsv"
        path.write_text("index\tcontext\tanswer\n" + end)
        with pytest.raises(DataFormatError, match="row 21: the cell 'answer' holds whole rows"):
            rows_of(path)


@pytest.mark.parametrize("columns", [None, ["context", "answer"]])
def test_a_stray_quote_in_a_picture_cell_is_found_by_those_who_want_no_pictures(
    tmp_path: Path, columns: list[str] | None
) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('index\timage\tcontext\tanswer\n1\t"abc\tctx1\tans1\n2\t"xyz"\tctx2\tans2\n3\t[]\tctx3\tans3\n')
    with pytest.raises(DataFormatError, match="the cell 'image' holds whole rows"):
        rows_of(path, columns)


def test_rows_come_without_the_pictures_nobody_wants(tmp_path: Path) -> None:
    path = write(tmp_path / T1, [t1("0", ["abcd"])])
    [[row]] = tsv.read(path, columns=["context"])
    assert set(row) == {"index", "context"}


def test_a_stray_quote_is_found_whatever_ends_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b'index\tcontext\tanswer\r1\t"ctx1\tans1\r2\t"ctx2"\tans2\r3\tctx3\tans3\r')
    with pytest.raises(DataFormatError, match="holds whole rows"):
        rows_of(path)


@pytest.mark.parametrize("name", ["Index", "index ", "image_findings", "Image Findings", "answer aliases"])
def test_a_column_that_is_ours_but_for_its_spelling_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / T1
    header = ["index", "context", "answer", name] if name.strip().lower() != "index" else [name, "context", "answer"]
    path.write_text("\t".join(header) + "\n" + "\t".join("x" for _ in header) + "\n")
    with pytest.raises(DataFormatError, match=r"is probably meant to be '.*'; rename it"):
        next(read_cases(path, "diagnosis"))


def test_labels_go_with_the_file_that_was_read(tmp_path: Path) -> None:
    for name in ("0--1.jpg", "0--2.jpg"):
        (tmp_path / name).write_bytes(b"not looked at here")
    mapping = '{"Fig 1": "images/0--1.jpg", "Fig 2": "images/0--2.jpg"}'
    row = t1("0", "", image_path='["0--2.jpg", "0--1.jpg"]', figure_mapping=mapping)
    [[case]] = read_cases(write(tmp_path / T1, [row]), "diagnosis")
    assert [picture.label for picture in case.pictures] == ["Fig 2", "Fig 1"]


@pytest.mark.parametrize("cell", ["[]", '[""]', "[null]"])
def test_an_image_cell_without_a_picture_leaves_the_paths(tmp_path: Path, cell: str) -> None:
    [[case]] = read_cases(write(tmp_path / T1, [t1("0", cell, image_path='["a.png"]')]), "diagnosis")
    assert [picture.fault for picture in case.pictures] == ["no file 'a.png' beside the benchmark file"]


def test_a_link_to_itself_fails_its_picture(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(PictureError, match="'loop'"):
        read_picture(tmp_path / T1, "loop", lambda _: None)


def test_a_decoder_that_gives_up_fails_its_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import Image

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("Failed to decode image: Missing or empty image item")

    monkeypatch.setattr(Image, "open", fail)
    with pytest.raises(PictureError, match="Missing or empty"):
        size_px(b"\0\0\0\x1cftypavif")


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match="cannot be read: Is a directory"):
        sha256_of(tmp_path)
    with pytest.raises(DataNotFoundError, match="is no file"):
        tsv.header(tmp_path)


def test_a_case_without_an_answer_is_told() -> None:
    from mrarebench_hf.source.references import warnings_of

    assert warnings_of("diagnosis", {"answer": " "}) == ["no answer: nothing can hit this case, and it counts"]
    assert warnings_of("diagnosis", {"answer": "Gout"}) == []


def test_a_stream_left_early_does_not_abort_the_process(tmp_path: Path) -> None:
    path = write(tmp_path / T1, [t1(str(n), ["QUJD" * 60_000]) for n in range(400)])
    code = (
        "from pathlib import Path\n"
        "from mrarebench_hf.source import tsv\n"
        f"rows = tsv.read(Path({str(path)!r}))\n"
        "print(len(next(rows)) > 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr[-500:]
