"""Lines in the order of their numbers, complete or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrarebench_hf.errors import StoreError
from mrarebench_hf.store.sorted_lines import SortedLines


@settings(deadline=None, max_examples=50)
@given(numbers=st.lists(st.integers(-3, 3), max_size=12))
def test_lines_are_in_order_and_equal_numbers_as_they_came(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[int]
) -> None:
    path = tmp_path_factory.mktemp("lines") / "new" / "x.jsonl"
    entries = [(number, f"{number} {place} {'x' * place}\n".encode()) for place, number in enumerate(numbers)]
    with SortedLines(path) as file:
        for number, line in entries:
            file.write(number, line)
        file.finish()
    assert path.read_bytes() == b"".join(line for _, line in sorted(entries, key=lambda entry: entry[0]))
    assert list(path.parent.iterdir()) == [path]


def test_without_finish_nothing_appears_and_what_was_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("old")
    with SortedLines(path) as file:
        file.write(1, b"new\n")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot write in"):
        SortedLines(tmp_path / "file" / "x.jsonl")
    (tmp_path / "x.jsonl").mkdir()
    with pytest.raises(StoreError, match=r"cannot write .*x\.jsonl"), SortedLines(tmp_path / "x.jsonl") as file:
        file.finish()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "x.jsonl"]
