"""Whole-file writes, folder names, fingerprints and manifests."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import filelock
import pytest

from mrarebench_hf.errors import StoreError
from mrarebench_hf.records import ImagePart, Prompt, Response, TextPart
from mrarebench_hf.store import atomic, manifest
from mrarebench_hf.store.fingerprint import cache_key, fingerprint
from mrarebench_hf.store.layout import RunFolder, run_folders, started_folders
from mrarebench_hf.store.record import results_document, sample

TAG = "MRareBench_Diagnosis"
MODEL = {"backend": "transformers", "name": "m", "revision": "1"}
SETTINGS = {"temperature": 0.0, "max_new_tokens": 8, "system_prompt": None}


def prompt(text: str = "Question", picture: bytes | None = b"\x89PNG") -> Prompt:
    return Prompt("007", (TextPart("Figure 1:"), ImagePart(picture), TextPart(text)))


def test_br54_undefined_numbers_are_null_and_never_nan(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.json"
    atomic.write_json(path, {"value": None, "text": "NaN"})

    def refuse(word: str) -> None:
        raise AssertionError(word)

    assert json.loads(path.read_text(), parse_constant=refuse) == {"value": None, "text": "NaN"}
    with pytest.raises(ValueError, match="Out of range float"):
        atomic.dumps({"value": float("nan")})


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    atomic.write_json(path, {"old": 1})

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(StoreError, match="No space left"):
        atomic.write_json(path, {"new": 1})
    assert atomic.read_json(path) == {"old": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_documents_that_are_none_are_named(tmp_path: Path) -> None:
    (tmp_path / "torn.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(StoreError, match=r"torn\.json is not a readable JSON document"):
        atomic.read_json(tmp_path / "torn.json")
    with pytest.raises(StoreError, match=r"list\.json holds list"):
        atomic.read_json(tmp_path / "list.json")
    with pytest.raises(StoreError, match=r"none\.json is not a readable"):
        atomic.read_json(tmp_path / "none.json")


def test_br45_everything_that_can_change_a_reply_changes_the_fingerprint() -> None:
    base = fingerprint(TAG, "test", prompt(), MODEL, SETTINGS)
    assert base == fingerprint(TAG, "test", prompt(), dict(reversed(MODEL.items())), SETTINGS)
    others = [
        fingerprint(TAG + "_FD", "test", prompt(), MODEL, SETTINGS),
        fingerprint(TAG, "train", prompt(), MODEL, SETTINGS),
        fingerprint(TAG, "test", prompt("Question?"), MODEL, SETTINGS),
        fingerprint(TAG, "test", prompt(picture=b"\x89PNH"), MODEL, SETTINGS),
        fingerprint(TAG, "test", prompt(picture=None), MODEL, SETTINGS),
        fingerprint(TAG, "test", Prompt("7", prompt().parts), MODEL, SETTINGS),
        fingerprint(TAG, "test", Prompt("007", tuple(reversed(prompt().parts))), MODEL, SETTINGS),
        fingerprint(TAG, "test", prompt(), MODEL | {"revision": "2"}, SETTINGS),
        *(
            fingerprint(TAG, "test", prompt(), MODEL, SETTINGS | change)
            for change in ({"temperature": 0.5}, {"max_new_tokens": 9}, {"system_prompt": "Be brief."})
        ),
    ]
    assert len({base, *others}) == len(others) + 1


def test_the_readable_key_is_the_one_that_medvision_users_know() -> None:
    key = cache_key(TAG, "test", "007", "Question")
    assert key.startswith(f"{TAG}::test::007::")
    assert key.rsplit("::", 1)[1] == hashlib.sha256(b"Question").hexdigest()[:16]


def test_a_resumed_run_keeps_its_stamp_and_the_end_is_written_last(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    stamp = manifest.start(path, {"model": "m"})
    assert atomic.read_json(path)["status"] == "started"
    assert manifest.start(path, {"model": "m"}) == stamp
    manifest.finish(path, "interrupted")
    manifest.finish(path, "complete", {"n_total": 3})
    document = atomic.read_json(path)
    assert (document["status"], document["n_total"], document["n_starts"]) == ("complete", 3, 2)


def test_a_fresh_run_takes_a_new_stamp_and_a_strange_one_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    atomic.write_json(path, {"stamp": "20200101_000000", "n_starts": None})
    assert manifest.start(path, {}) == "20200101_000000"
    assert manifest.start(path, {}, fresh=True) != "20200101_000000"
    atomic.write_json(path, {"stamp": "../../elsewhere"})
    assert "/" not in manifest.start(path, {})


@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_damaged_manifest_is_set_aside(tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "run.json"
    path.write_text(content)
    manifest.start(path, {"model": "m"})
    assert atomic.read_json(path)["status"] == "started"
    assert (tmp_path / "run.json.damaged").read_text() == content
    assert "kept as run.json.damaged" in caplog.text


def test_two_runs_cannot_hold_one_folder(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / TAG / "m", TAG)
    with folder.locked(), pytest.raises(StoreError, match="another run is writing"), folder.locked():
        pass
    with folder.locked():
        pass


def test_a_file_system_without_locks_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise NotImplementedError("no flock here")

    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    with RunFolder(tmp_path / TAG / "m", TAG).locked():
        pass


def test_a_results_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"cannot make .*file"), RunFolder(tmp_path / "file" / "m", TAG).locked():
        pass


def test_starting_afresh_keeps_the_old_answers(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, TAG)
    folder.set_aside_cache()  # nothing there yet
    for text in ("one", "two", "three"):
        folder.cache.mkdir()
        (folder.cache / "a.jsonl").write_text(text)
        folder.set_aside_cache()
    kept = {(p / "a.jsonl").read_text() for p in tmp_path.glob("response_cache.*")}
    assert kept == {"one", "two", "three"}
    assert not folder.cache.exists()


def test_a_run_without_a_cache_leaves_none(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, TAG, keeps_responses=False)
    folder.cache.mkdir()
    folder.set_aside_cache()
    assert list(tmp_path.iterdir()) == []


def test_run_folders_are_those_with_a_summary(tmp_path: Path) -> None:
    for tag, name in ((TAG, "b"), (TAG, "a"), ("MRareBench_Diagnosis_TO", "a")):
        atomic.write_json(tmp_path / tag / name / "summary.json", {})
    (tmp_path / TAG / "unfinished").mkdir()
    found = run_folders(tmp_path)
    assert [(f.tag, f.root.name) for f in found] == [(TAG, "a"), (TAG, "b"), ("MRareBench_Diagnosis_TO", "a")]
    with pytest.raises(StoreError, match="no results folder"):
        run_folders(tmp_path / "none")


def test_started_folders_leave_out_measured_runs_and_keep_unreadable_ones(tmp_path: Path) -> None:
    atomic.write_json(tmp_path / TAG / "a" / "run.json", {"stamp": "20200101_000000"})
    atomic.write_json(tmp_path / "MedVision-TL" / "a" / "run.json", {"tasks": []})
    (tmp_path / TAG / "b").mkdir()
    (tmp_path / TAG / "b" / "run.json").write_text("{")
    assert [(f.tag, f.root.name) for f in started_folders(tmp_path)] == [(TAG, "a"), (TAG, "b")]
    with pytest.raises(StoreError, match="no run over conditions"):
        started_folders(tmp_path / "MedVision-TL")
    with pytest.raises(StoreError, match="no results folder"):
        started_folders(tmp_path / "none")


def test_samples_hold_sizes_and_hashes_in_place_of_pictures() -> None:
    row = sample(0, prompt(picture=b"x" * 10_000), {"answer": "Fabry disease"}, "mark", Response("007", "ok", "1. A"))
    assert len(atomic.dumps(row)) < 2_000
    assert row["arguments"][1]["bytes"] == 10_000
    assert (row["target"], row["filtered_resps"], row["doc"]["index"]) == ("Fabry disease", ["1. A"], "007")


def test_the_results_file_is_flat() -> None:
    summary = {
        "metrics": {"MRR": {"value": 0.5}, "MR": {"value": None}},
        "counts": {"n_total": 4},
        "model": MODEL,
        "generation": SETTINGS,
        "data": {},
    }
    document = results_document(TAG, summary, 3)
    assert document["results"] == {TAG: {"alias": TAG, "MRR": 0.5, "MR": None}}
    assert document["n-samples"] == {TAG: {"original": 4, "effective": 3}}
