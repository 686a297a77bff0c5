"""Our record of a parsed file: written in batches, seen complete or not at all, and known for what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mrarebench_hf.errors import StoreError
from mrarebench_hf.store.score_table import SCHEMA, ScoreTable, as_table, checksum, read_scores


def _rows(doc_ids: list[int], **columns: Any) -> pa.Table:
    found: dict[str, Any] = {field.name: [None] * len(doc_ids) for field in SCHEMA}
    return as_table(found | {"doc_id": doc_ids} | columns)


def test_rows_come_back_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    with ScoreTable(path) as table:
        table.write(
            _rows([3, 4], mae=np.array([1.5, np.nan]), target=[(1.0, 2.0), (3.0,)], status=["scored", "unparsed"])
        )
        table.write(_rows([1]))
        assert not path.exists()
        table.finish({"profile": "spec"})
    found = read_scores(path)
    assert found is not None
    about, rows = found
    assert about == {"profile": "spec"}
    assert rows["doc_id"].to_pylist() == [1, 3, 4]
    assert rows["mae"].to_pylist() == [None, 1.5, None]
    assert rows["target"].to_pylist() == [None, [1.0, 2.0], [3.0]]
    assert list(tmp_path.iterdir()) == [path]


def test_rows_that_are_in_order_stay_as_they_are(tmp_path: Path) -> None:
    with ScoreTable(tmp_path / "x.parquet") as table:
        table.write(_rows([1, 1, 2], response=["a", "b", "c"]))
        table.finish({})
    found = read_scores(tmp_path / "x.parquet")
    assert found is not None
    assert found[1]["response"].to_pylist() == ["a", "b", "c"]


def test_without_finish_there_is_no_record(tmp_path: Path) -> None:
    with ScoreTable(tmp_path / "x.parquet") as table:
        table.write(_rows([1]))
    assert list(tmp_path.iterdir()) == []
    assert read_scores(tmp_path / "x.parquet") is None


def test_what_is_no_record_of_ours_is_named(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("no table")
    pq.write_table(pa.table({"doc_id": [1]}), tmp_path / "foreign.parquet")
    for name in ("text.parquet", "foreign.parquet"):
        with pytest.raises(StoreError, match=rf"{name} is no record of mrarebench parse .*delete it and parse again"):
            read_scores(tmp_path / name)


def test_a_checksum_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"123456789")
    assert checksum(path) == "crc32:cbf43926"  # the check value of this CRC
    path.write_bytes(b"")
    assert checksum(path) == "crc32:00000000"
