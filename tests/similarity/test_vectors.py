"""The file of embeddings: what is added comes back, damage does not, and two writers lose nothing."""

from __future__ import annotations

import logging
import multiprocessing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.similarity import _vectors
from mrarebench_hf.similarity._vectors import Embedding, Vectors, cache_folder, key_of

DIMENSION = 5
HEAD = 28
RECORD = 32 + 4 + 4 * DIMENSION + 4


def embeddings(*texts: str) -> dict[bytes, Embedding]:
    found = {}
    for text in texts:
        rng = np.random.default_rng(int.from_bytes(key_of(text)[:4], "little"))
        found[key_of(text)] = Embedding(rng.normal(size=DIMENSION).astype(np.float32), len(text) > 3)
    return found


def same(a: dict[bytes, Embedding], b: dict[bytes, Embedding]) -> bool:
    return a.keys() == b.keys() and all(
        a[key].vector.tobytes() == b[key].vector.tobytes() and a[key].truncated == b[key].truncated for key in a
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "model.f32"


def test_what_is_added_comes_back_bit_for_bit(file: Path) -> None:
    assert Vectors(file).read() == {}
    Vectors(file).add(embeddings("one", "three"))
    Vectors(file).add(embeddings("one", "\ud800"))
    assert same(Vectors(file).read(), embeddings("one", "three", "\ud800"))
    assert file.stat().st_size == HEAD + 3 * RECORD


@pytest.mark.parametrize("cut", [1, 4, RECORD - 1, RECORD, RECORD + 7])
def test_a_torn_end_costs_its_own_records_only(file: Path, cut: int) -> None:
    Vectors(file).add(embeddings("one", "two", "three"))
    file.write_bytes(file.read_bytes()[:-cut])
    whole = 2 if cut <= RECORD else 1
    assert len(Vectors(file).read()) == whole
    Vectors(file).add(embeddings("four"))
    assert len(Vectors(file).read()) == whole + 1
    Vectors(file).add(embeddings("one", "two", "three"))
    assert same(Vectors(file).read(), embeddings("one", "two", "three", "four"))


@given(st.integers(0, HEAD + 3 * RECORD - 1), st.integers(1, 255))
def test_no_changed_byte_is_ever_read(tmp_path_factory: pytest.TempPathFactory, place: int, change: int) -> None:
    file = tmp_path_factory.mktemp("cache") / "model.f32"
    expected = embeddings("one", "two", "three")
    Vectors(file).add(expected)
    data = bytearray(file.read_bytes())
    data[place] ^= change
    file.write_bytes(data)
    found = Vectors(file).read()
    assert same(found, {key: expected[key] for key in found})
    assert len(found) == (2 if place >= HEAD else 0)
    Vectors(file).add(expected)
    assert same(Vectors(file).read(), expected)
    assert file.stat().st_size == HEAD + 3 * RECORD


@pytest.mark.parametrize("content", [b"", b"x" * 10, b"\x80\x04garbage" * 100, b"mrarebench embeddings 1\n\0\0\0\0"])
def test_a_foreign_file_is_written_anew(file: Path, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    assert Vectors(file).read() == {}
    Vectors(file).add(embeddings("one"))
    assert same(Vectors(file).read(), embeddings("one"))


def test_without_the_right_to_write_it_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING):
        Vectors(tmp_path / "cache" / "model.f32").add(embeddings("one"))
    assert "embeddings are not kept" in caplog.text


def test_a_lock_that_is_held_too_long_is_no_error(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import filelock

    monkeypatch.setattr(_vectors, "_LOCK_SECONDS", 0.05)
    file.parent.mkdir()
    with filelock.FileLock(f"{file}.lock"):
        Vectors(file).add(embeddings("one"))
    assert "embeddings are not kept" in caplog.text
    assert not file.exists()


def _write(file: Path, name: str) -> None:
    for number in range(20):
        Vectors(file).add(embeddings("shared", f"{name}{number}"))


def test_two_processes_at_once_lose_nothing(file: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write, args=(file, name)) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    expected = embeddings("shared", *(f"{name}{number}" for name in "ab" for number in range(20)))
    assert same(Vectors(file).read(), expected)


def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MRAREBENCH_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "mrarebench_hf" / "embeddings"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "mrarebench_hf" / "embeddings"
    monkeypatch.setenv("MRAREBENCH_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own" / "embeddings"
