"""Reading a tab-separated file: every cell as text, every damage named."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tsv_files import write

from mrarebench_hf.errors import DataFormatError, DataNotFoundError
from mrarebench_hf.source import tsv


def read(path: Path, **options: Any) -> list[dict[str, Any]]:
    return [row for rows in tsv.read(path, **options) for row in rows]


def text(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "s.tsv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_br01_words_for_missing_stay_words_and_ids_keep_zeros(tmp_path: Path) -> None:
    path = text(tmp_path, "index\tdiagnosis\taliases\n007\tNA\tNone\n7\tnull\tN/A\n010\tnan\tPompe disease\n")
    rows = read(path)
    assert [row["index"] for row in rows] == ["007", "7", "010"]
    assert [row["diagnosis"] for row in rows] == ["NA", "null", "nan"]
    assert [row["aliases"] for row in rows] == ["None", "N/A", "Pompe disease"]


def test_br02_a_cell_beyond_the_csv_limit(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    path = write(tmp_path / "s.tsv", [{"index": "0", "image": '["' + "A" * 200_000 + '"]'}])
    [row] = read(path)
    assert bytes(row["image"]) == b'["' + b"A" * 200_000 + b'"]'
    assert csv.field_size_limit() == before


def test_rows_larger_than_a_block_and_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Blocks of 1 kB: small rows fill many, one row of 300 kB makes the reader begin again with larger ones.
    monkeypatch.setattr(tsv, "_FIRST_BLOCK", 1024)
    rows = [{"index": str(i), "image": "x", "a": "y" * (300_000 if i == 150 else 100)} for i in range(200)]
    found = read(write(tmp_path / "s.tsv", rows))
    assert [row["index"] for row in found] == [row["index"] for row in rows]
    assert [row["a"] for row in found] == [row["a"] for row in rows]


def test_a_cell_of_many_megabytes(tmp_path: Path) -> None:
    rows = [{"index": str(i), "image": "A" * 20_000_000, "a": "\n\t"} for i in range(2)]
    found = read(write(tmp_path / "s.tsv", rows))
    assert [(len(row["image"]), row["a"]) for row in found] == [(20_000_000, "\n\t")] * 2


@pytest.mark.parametrize("second", ["dup", '"dup"'])
def test_br05_duplicate_ids_are_refused(tmp_path: Path, second: str) -> None:
    path = text(tmp_path, f"index\tanswer\ndup\tone\nother\tx\n{second}\ttwo\n")
    with pytest.raises(DataFormatError, match=r"the id 'dup' stands in row 1 and again in row 3"):
        read(path)


def test_br05_ids_are_compared_as_text(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match=r"the id '1' stands in row 1 and again in row 2"):
        read(
            write(tmp_path / "s.tsv", [{"index": 1, "a": "x"}, {"index": "1", "a": "y"}], quoting=csv.QUOTE_NONNUMERIC)
        )  # type: ignore[list-item]
    assert len(read(text(tmp_path, "index\ta\n1\tx\n01\ty\n1.0\tz\n"))) == 3


def test_ids_are_made_when_there_is_no_column_for_them(tmp_path: Path) -> None:
    assert read(text(tmp_path, "a\tb\nx\ty\n\nz\t\n")) == [
        {"index": "0", "a": "x", "b": "y"},
        {"index": "1", "a": "z", "b": ""},
    ]


def test_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    path = text(tmp_path, '\ufeffindex\t"a ""b"""\r\n1\t"x\r\ny"\r\n2\t5" nail\r\n')
    assert read(path) == [{"index": "1", 'a "b"': "x\r\ny"}, {"index": "2", 'a "b"': '5" nail'}]


def test_columns_can_be_chosen(tmp_path: Path) -> None:
    path = text(tmp_path, "index\ta\tb\n1\tx\ty\n")
    assert read(path, columns=["b"]) == [{"index": "1", "b": "y"}]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", r"s\.tsv is empty"),
        ("\n", r"s\.tsv is empty"),
        ("\nindex\n", r"the header line is empty"),
        ("index\tcontext\tanswer\n", r"has a header and no rows"),
        ("index\tcontext\tanswer", r"has a header and no rows"),
        ("index\ta\ta\n1\tx\ty\n", r"the column 'a' occurs more than once"),
        ("index\t\n1\tx\n", r"column 2 of the header has no name"),
        ("index\tcontexts\n1\tx\n", r"lacks the column 'context' \(nearest: 'contexts'\) and 'answer'; it has 'index'"),
        ("index\tcontext\tanswer\n1\tx\ty\n\tx\ty\n", r"row 2: the cell 'index' is empty"),
        ("index\tcontext\tanswer\n1\tx\ty\n2\tx\n", r"row 2: Expected 3 columns, got 2"),
        (b"index\tcontext\tanswer\n1\tx\t\xff\n", r"row 1.*invalid UTF8"),
        # A quote that is never closed, one that the next quoted cell closes, and one that another stray quote closes.
        ('index\tcontext\tanswer\n1\tx\ty\n2\t"x\ty\n3\tu\tv\n', r"row 2: Expected 3 columns, got 2"),
        ('index\tcontext\tanswer\n1\tx\ty\n2\tx\t"y\n3\t"u"\tv\n', r"row 2: Expected 3 columns, got 4"),
        ('index\tcontext\tanswer\n1\tx\ty\n2\t"x\ty\n3\tu"\tv\n', r"row 2: the cell 'context' holds whole rows"),
        ('index\tcontext\tanswer\n1\t"x\ty\n2\t"u"\tv\n', r"row 1: the cell 'context' holds whole rows"),
    ],
)
def test_damage_is_named(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(DataFormatError, match=words):
        read(text(tmp_path, content), needed=["context", "answer"])


def test_a_stray_quote_in_the_real_form(tmp_path: Path) -> None:
    path = text(
        tmp_path, 'index\timage\tcontext\n1\t"[""aa""]"\tx\n2\t"[""bb""]"\t"y\n3\t"[""cc""]"\tz\n4\t"[""dd""]"\tz\n'
    )
    with pytest.raises(DataFormatError, match=r"row 2: Expected 3 columns, got 4"):
        read(path)


def test_a_table_inside_a_cell_is_no_damage(tmp_path: Path) -> None:
    cell = "Test\tDay 1\tDay 2\nSodium\t140\t141\nPotassium\t4.1\t4.0"
    row = {"index": "1", "image": "", "context": cell, "a": "", "b": "", "c": "", "d": ""}
    assert read(write(tmp_path / "s.tsv", [row]))[0]["context"] == cell


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"none\.tsv is no file"):
        read(tmp_path / "none.tsv")


cell = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30) | st.text('"\t\n\r,a ', max_size=12)


@settings(max_examples=80, deadline=None)
@given(
    rows=st.lists(st.tuples(cell, cell, cell, cell, cell, cell), min_size=1, max_size=6),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_whatever_the_csv_writer_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]], quoting: int
) -> None:
    if quoting == csv.QUOTE_MINIMAL:
        # Before Python 3.13 the writer leaves a bare carriage return unquoted, and no reader gets it back.
        rows = [tuple(text.replace("\r", "") for text in row) for row in rows]
    names = ("a", "b", "c", "d", "e", "f")
    table = [{"index": str(i), **dict(zip(names, row, strict=True))} for i, row in enumerate(rows)]
    columns = ("index", *names)
    for row in table:
        # The one form that is refused though a writer may write it: see _holds_rows.
        if any(tsv._holds_rows(row[name], place, columns) for place, name in enumerate(columns) if "\n" in row[name]):
            return
    path = write(tmp_path_factory.mktemp("t") / "s.tsv", table, quoting=quoting)
    assert read(path) == table
