"""The cache: found by the verbatim call, named by content, whole or not there."""

from __future__ import annotations

import glob
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import datasets
import pytest
from tsv_files import T1, b64, png, t1, write

import mrarebench_hf
from mrarebench_hf import conditions
from mrarebench_hf.cli import main
from mrarebench_hf.dataset import cache as cache_module
from mrarebench_hf.dataset import prepare
from mrarebench_hf.errors import DataFormatError

NAMES = [name for c in conditions.CONDITIONS for name in (c.name, c.long_name)]


def verbatim(cache: Path, cwd: Path, name: str, *options: str) -> Any:
    """What a user's own process gets."""
    call = ", ".join(['"mrarebench"', f'"{name}"', 'split="test"', *options])
    program = f"import json, datasets\nds = datasets.load_dataset({call})\nprint(json.dumps([r['index'] for r in ds]))"
    environment = {**os.environ, "HF_DATASETS_CACHE": str(cache), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_verbatim_call_works_from_anywhere(data: Path, cache: Path, tmp_path: Path) -> None:
    prepare(data_dir=data)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert verbatim(cache, elsewhere, "Diagnosis_TO") == ["007", "7"]
    assert verbatim(cache, elsewhere, "MRareBench_EvidenceVerif", "streaming=True") == ["a", "b"]


@pytest.mark.filterwarnings("ignore")
def test_all_names_in_this_process(data: Path, cache: Path) -> None:
    prepared = prepare(data_dir=data)
    assert list(prepared) == [c.name for c in conditions.CONDITIONS]
    for name in NAMES:
        dataset = datasets.load_dataset("mrarebench", name, split="test", cache_dir=str(cache))
        assert dataset.info.config_name == name
        assert len(dataset) == 2
    with pytest.raises(ValueError, match="Diagnosis_XX"):
        datasets.load_dataset("mrarebench", "Diagnosis_XX", split="test", cache_dir=str(cache))


def test_the_long_name_costs_no_second_copy(data: Path, cache: Path) -> None:
    prepare(["MRareBench_Diagnosis"], data_dir=data)
    one, two = cache.glob("mrarebench/*/*/*/*.arrow")
    assert one.stat().st_ino == two.stat().st_ino


def test_a_file_system_without_hard_links_gets_a_copy(data: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    prepare(["Diagnosis"], data_dir=data)
    prepare(["Diagnosis"], data_dir=data)
    one, two = cache.glob("mrarebench/*/*/*/*.arrow")
    assert one.read_bytes() == two.read_bytes()


def test_br13_an_edited_file_is_noticed(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "d" / T1

    def rows(answer: str) -> list[str]:
        write(path, [t1("0", answer=answer)])
        dataset: Any = mrarebench_hf.load("Diagnosis", data_dir=tmp_path / "d")
        return list(dataset["answer"])

    def by_the_verbatim_call() -> list[str]:
        dataset = datasets.load_dataset("mrarebench", "MRareBench_Diagnosis", split="test", cache_dir=str(cache))
        return list(dataset["answer"])

    for answer in ("one", "two", "one"):
        assert rows(answer) == [answer]
        assert by_the_verbatim_call() == [answer]
        time.sleep(0.02)  # folders are told apart by their times


def test_nothing_is_written_twice(data: Path) -> None:
    first = prepare(["Diagnosis"], data_dir=data)["Diagnosis"]
    before = first.path.stat()
    second = prepare(["Diagnosis"], data_dir=data)["Diagnosis"]
    assert second == first
    assert (second.path.stat().st_ino, second.path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert first.n_bytes() == before.st_size


def test_a_changed_wording_is_another_dataset(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = prepare(["Diagnosis"], data_dir=data)["Diagnosis"].path
    monkeypatch.setattr(cache_module, "template_sha256", lambda _: "other words")
    assert prepare(["Diagnosis"], data_dir=data)["Diagnosis"].path != first


def test_a_changed_picture_file_is_noticed(tmp_path: Path) -> None:
    write(tmp_path / "d" / T1, [t1("0", "", image_path='["a.png", "b.png"]')])
    (tmp_path / "d" / "a.png").write_bytes(png((1, 1, 1)))

    def pictures() -> list[bytes | None]:
        dataset: Any = prepare(["Diagnosis"], data_dir=tmp_path / "d")["Diagnosis"].dataset(decode=False)
        return [picture and picture["bytes"] for picture in dataset[0]["images"]]

    assert pictures() == [png((1, 1, 1)), None]
    (tmp_path / "d" / "b.png").write_bytes(png((2, 2, 2)))
    assert pictures() == [png((1, 1, 1)), png((2, 2, 2))]
    (tmp_path / "d" / "a.png").write_bytes(png((3, 3, 3), size=(5, 5)))
    assert pictures() == [png((3, 3, 3), size=(5, 5)), png((2, 2, 2))]


def test_a_file_that_changes_while_it_is_read(data: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = data / "MRareBench" / "diagnosis" / T1
    genuine = cache_module.read_cases

    def meddle(*args: Any, **options: Any) -> Any:
        yield from genuine(*args, **options)
        path.write_bytes(path.read_bytes() + b"\n")

    monkeypatch.setattr(cache_module, "read_cases", meddle)
    with pytest.raises(DataFormatError, match=r"changed while it was read: run this again"):
        prepare(["Diagnosis"], data_dir=data)
    assert not list(cache.rglob("*.arrow"))


SLOW = """
import sys, time
from mrarebench_hf.dataset import cache, prepare
genuine = cache.read_cases
def slow(*args, **options):
    for batch in genuine(*args, **options):
        yield batch
        print("writing", flush=True)
        time.sleep(30)
cache.read_cases = slow
prepare(["Diagnosis"], data_dir=sys.argv[1])
"""


def test_a_killed_prepare_leaves_nothing_that_disturbs(data: Path, cache: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "HF_DATASETS_CACHE": str(cache)}
    command = [sys.executable, "-c", SLOW, str(data)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    # What was half-written lies where datasets does not look, and the next one clears it away.
    assert not glob.glob(f"{cache}/mrarebench/*/*/*")
    prepare(["Diagnosis", "Diagnosis_TO"], data_dir=data)
    assert verbatim(cache, tmp_path, "Diagnosis") == ["007", "7"]
    assert not list(cache.glob("mrarebench/*/*/.*.new"))


def test_two_at_once(data: Path) -> None:
    found: list[Path] = []
    threads = [
        threading.Thread(target=lambda: found.append(prepare(["Diagnosis"], data_dir=data)["Diagnosis"].path))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert len(datasets.Dataset.from_file(str(found[0]))) == 2


def test_br14_a_script_beside_the_data_disturbs_nobody(
    data: Path, cache: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (data / "MRareBench.py").write_text("raise SystemExit('a loading script of old')\n")
    with caplog.at_level("WARNING"):
        prepared = prepare(data_dir=data)
    assert [one.provenance.n_rows for one in prepared.values()] == [2] * 6
    assert "MRareBench.py is not used: datasets runs no scripts since version 4, and none is needed" in caplog.text
    for name in NAMES:
        dataset: Any = mrarebench_hf.load(name, data_dir=data)
        assert len(dataset) == 2
    assert verbatim(cache, data, "MRareBench_Diagnosis_TO") == ["007", "7"]


def test_the_verb(data: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prepare", "--data-dir", str(data), "--data", "Diagnosis_TO", "EvidenceVerif"]) == 0
    out = capsys.readouterr().out
    size = (cache / "mrarebench" / "Diagnosis_TO").rglob("*.arrow").__next__().stat().st_size
    assert f"{size:,} bytes in the cache" in out
    assert 'ds = load_dataset("mrarebench", "Diagnosis_TO", split="test")' in out
    assert main(["prepare", "--data-dir", str(data), "--data", "Diagnose"]) == 2
    assert "Did you mean 'Diagnosis'" in capsys.readouterr().err


def test_pictures_of_many_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mrarebench_hf.dataset import rows

    monkeypatch.setattr(rows, "_BATCH_BYTES", 200)
    monkeypatch.setattr(rows, "_BATCH_ROWS", 7)
    table = [t1(str(i), [b64(png((i, 0, 0)))] * (i % 4)) for i in range(50)]
    write(tmp_path / "d" / T1, table)
    dataset: Any = prepare(["Diagnosis"], data_dir=tmp_path / "d")["Diagnosis"].dataset(decode=False)
    assert [[p["bytes"] for p in row["images"]] for row in dataset] == [[png((i, 0, 0))] * (i % 4) for i in range(50)]
