"""What the journal keeps through kills, torn lines and foreign lines."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.errors import StoreError
from mrarebench_hf.records import Response, Usage
from mrarebench_hf.store import journal, merge
from mrarebench_hf.store.journal import Entry, Journal

TAG = "MRareBench_Diagnosis"


def entry(index: str, text: str | None = "answer") -> Entry:
    response = (
        Response(index, "ok", text, finish_reason="stop", latency_s=0.5, usage=Usage(3, 4))
        if text is not None
        else Response(index, "failed", reason="model_error", error="boom")
    )
    return Entry(f"{TAG}::test::{index}::0", f"mark-{index}", response)


def write(folder: Path, rank: int, *entries: Entry) -> Path:
    with Journal(folder, TAG, rank) as opened:
        for one in entries:
            opened.append(one)
    return folder / f"{TAG}_rank{rank}.jsonl"


def test_entries_come_back_as_they_went_in(tmp_path: Path) -> None:
    written = [entry("007"), entry("7", 'Sjögren "\n\r\u2028 NaN'), entry("8", ""), entry("9", None)]
    write(tmp_path, 0, *written)
    assert list(journal.read(tmp_path, TAG)) == written


def test_every_rank_is_read_in_order_whatever_the_number_of_processes_was(tmp_path: Path) -> None:
    for rank in (10, 2, 0):
        write(tmp_path, rank, entry(str(rank)))
    write(tmp_path, 0, entry("again"))
    (tmp_path / f"{TAG}_FD_rank0.jsonl").write_text("{}\n")
    (tmp_path / "notes.jsonl").write_text("{}\n")
    assert [e.response.index for e in journal.read(tmp_path, TAG)] == ["0", "again", "2", "10"]


def test_a_missing_folder_holds_nothing(tmp_path: Path) -> None:
    assert list(journal.read(tmp_path / "none", TAG)) == []
    assert journal.repair(tmp_path / "none", TAG) == 0


def test_a_line_is_on_the_disk_when_append_returns(tmp_path: Path) -> None:
    with Journal(tmp_path, TAG, 0) as opened:
        opened.append(entry("a"))
        assert [e.response.index for e in journal.read(tmp_path, TAG)] == ["a"]


def test_br44_torn_null_and_zeroed_lines_are_set_aside_and_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(tmp_path, 0, entry("a"))
    damage = [b"null\n", b"\0\0\0\0\n"]
    with path.open("ab") as file:
        file.writelines(damage)
    write(tmp_path, 0, entry("b"))
    with path.open("ab") as file:
        file.write(b'{"key": "c", "resp')
    with caplog.at_level(logging.WARNING):
        assert journal.repair(tmp_path, TAG) == 3
    assert "line 2, 3, 5 not readable" in caplog.text
    write(tmp_path, 0, entry("c"))
    lines = path.read_bytes().splitlines()
    assert [json.loads(line)["index"] for line in lines] == ["a", "b", "c"]
    rejected = path.with_suffix(".jsonl.rejected").read_bytes()
    assert rejected == b"".join(damage) + b'{"key": "c", "resp\n'
    assert journal.repair(tmp_path, TAG) == 0


def test_a_good_last_line_without_its_newline_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path, 0, entry("a"), entry("b"))
    path.write_bytes(path.read_bytes()[:-1])
    assert journal.repair(tmp_path, TAG) == 0
    write(tmp_path, 0, entry("c"))
    assert [e.response.index for e in journal.read(tmp_path, TAG)] == ["a", "b", "c"]


@given(cut=st.integers(min_value=0))
def test_any_torn_tail_loses_at_most_its_own_line(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    folder = tmp_path_factory.mktemp("cut")
    path = write(folder, 0, *(entry(str(n)) for n in range(3)))
    data = path.read_bytes()
    kept = data[: cut % (len(data) + 1)]
    path.write_bytes(kept)
    journal.repair(folder, TAG)
    write(folder, 0, entry("new"))
    found = [e.response.index for e in journal.read(folder, TAG)]
    assert found[-1] == "new"
    assert len(found) - 1 in (kept.count(b"\n"), kept.count(b"\n") + 1)


@pytest.mark.parametrize(
    "record",
    [
        {"status": "ok", "response": None},
        {"status": "failed", "response": "text"},
        {"status": "other", "response": None},
        {"status": "ok"},
        [],
        3,
    ],
)
def test_a_line_of_another_shape_is_no_answer(tmp_path: Path, record: object) -> None:
    path = write(tmp_path, 0, entry("a"))
    with path.open("ab") as file:
        file.write(json.dumps(record).encode() + b"\n")
    assert [e.response.index for e in journal.read(tmp_path, TAG)] == ["a"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot write .*file.*--results-dir"):
        Journal(tmp_path / "file" / "below", TAG, 0)


def test_a_full_disk_is_named_and_closing_adds_nothing(tmp_path: Path) -> None:
    (tmp_path / f"{TAG}_rank0.jsonl").symlink_to("/dev/full")
    with Journal(tmp_path, TAG, 0) as opened, pytest.raises(StoreError, match="finished samples are kept"):
        opened.append(entry("a"))


def test_an_answer_beats_a_failure_and_the_first_answer_stays(tmp_path: Path) -> None:
    found = merge.latest([entry("a", None), entry("a", "one"), entry("a", "two"), entry("a", None)])
    assert found["mark-a"].text == "one"
    failures = [entry("b", None), Entry("k", "mark-b", Response("b", "failed", reason="later"))]
    assert merge.latest(failures)["mark-b"].reason == "later"


@pytest.mark.parametrize(
    "change",
    [
        {"fingerprint": ["x"]},
        {"key": None},
        {"index": 7},
        {"usage": {"prompt_tokens": "12", "completion_tokens": None}},
        {"usage": None},
        {"error": 5},
        {"latency_s": "soon"},
        {"response": None},
        {"status": "failed"},
        {"status": "other"},
    ],
)
def test_a_field_of_another_type_makes_a_line_no_record(tmp_path: Path, change: dict[str, object]) -> None:
    path = write(tmp_path, 0, entry("a"))
    path.write_text(json.dumps(json.loads(path.read_text()) | change) + "\n")
    assert list(journal.read(tmp_path, TAG)) == []
    assert journal.repair(tmp_path, TAG) == 1
