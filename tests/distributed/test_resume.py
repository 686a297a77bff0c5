"""Several processes, killed and resumed: every item once, nothing generated again, equal bytes in the end.

MRAREBENCH_KILLS sets how often the long test kills; its default keeps the suite short.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path

import pytest
from distributed.processes import kill, start, wait

from mrarebench_hf import demo

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.distributed]

N_KILLS = int(os.environ.get("MRAREBENCH_KILLS", "4"))
CONDITIONS = ("Diagnosis", "Diagnosis_TO")
DELAY_S = 0.03
BATCH = 2


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo.write_benchmark(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def long_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many small cases, so that a run is long enough to be killed often."""
    path = tmp_path_factory.mktemp("long") / "diagnosis_opened.tsv"
    rows = "".join(f"{n:04d}\t[]\tcontext {n}\tDisease {n}\n" for n in range(60 * N_KILLS))
    path.write_text("index\timage\tcontext\tanswer\n" + rows)
    return path.parent


def arguments(data: Path, results: Path) -> list[str]:
    where = ["--data-dir", str(data), "--results-dir", str(results)]
    return ["run", "--data", *CONDITIONS, "--model", "baseline:random", "--batch-size", str(BATCH), *where]


def summaries(results: Path) -> dict[str, bytes]:
    return {str(p.relative_to(results)): p.read_bytes() for p in sorted(results.rglob("summary.json"))}


def finished(results: Path) -> list[tuple[str, str]]:
    """(task, id) of every complete journal line."""
    found = []
    for path in results.rglob("response_cache/*.jsonl"):
        for line in path.read_bytes().split(b"\n")[:-1]:
            found.append((path.name.rsplit("_rank", 1)[0], json.loads(line)["index"]))
    return found


def calls(folder: Path) -> list[str]:
    return [line for path in sorted(folder.glob("*.txt")) for line in path.read_text().splitlines()]


def session(data: Path, results: Path, folder: Path, n_processes: int, delay_s: float) -> list:  # type: ignore[type-arg]
    folder.mkdir()
    environment = {"CALLS": str(folder), "DELAY_S": str(delay_s)}
    return start(n_processes, arguments(data, results), environment, folder / "log")


def test_killed_at_random_moments_and_resumed_by_one_process(long_data: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    assert wait(session(long_data, whole, tmp_path / "calls", 1, 0)) == [0]

    results, generator = tmp_path / "killed", random.Random(20)
    n_items = len(finished(whole))
    for number in range(N_KILLS):
        before, folder = finished(results), tmp_path / f"calls{number}"
        processes = session(long_data, results, folder, 2, DELAY_S)
        _wait_for_calls_of_both(folder)
        time.sleep(generator.uniform(0, 8 * BATCH * DELAY_S))
        kill(processes)
        after, asked = finished(results), calls(folder)
        assert len(set(after)) == len(after)
        # Nothing finished was asked again, and at most the two batches in flight were lost.
        assert len(before) + len(asked) - 2 * BATCH <= len(after) <= len(before) + len(asked)

    before = finished(results)
    assert 0 < len(before) < n_items, "the kills came too early or too late to test anything"
    assert wait(session(long_data, results, tmp_path / "last", 1, 0)) == [0]
    after = finished(results)
    assert len(after) == len(set(after)) == n_items
    assert len(calls(tmp_path / "last")) == n_items - len(before)
    assert summaries(results) == summaries(whole)


def _wait_for_calls_of_both(folder: Path) -> None:
    deadline = time.monotonic() + 60
    while len(list(folder.glob("*.txt"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.005)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_is_told_and_written_down(data: Path, tmp_path: Path, number: signal.Signals) -> None:
    folder = tmp_path / "calls"
    processes = session(data, tmp_path / "r", folder, 1, 0.3)
    deadline = time.monotonic() + 60
    while not calls(folder) and time.monotonic() < deadline:
        time.sleep(0.01)
    processes[0].send_signal(number)
    assert wait(processes) == [130]
    log = (folder / "log").read_text()
    assert "interrupted; the same command again takes up where it stopped" in log
    assert "Traceback" not in log
    manifests = [json.loads(path.read_bytes()) for path in (tmp_path / "r").glob("*/*/run.json")]
    assert [document["status"] for document in manifests] == ["interrupted"] * len(CONDITIONS)


@pytest.mark.parametrize("n_processes", [2, 3])
def test_several_processes_give_the_bytes_of_one(data: Path, tmp_path: Path, n_processes: int) -> None:
    assert wait(session(data, tmp_path / "one", tmp_path / "a", 1, 0)) == [0]
    assert wait(session(data, tmp_path / "many", tmp_path / "b", n_processes, 0.2)) == [0] * n_processes
    assert summaries(tmp_path / "many") == summaries(tmp_path / "one")
    assert sorted(calls(tmp_path / "a")) == sorted(calls(tmp_path / "b"))
    assert len(list((tmp_path / "b").glob("*.txt"))) > 1


def test_more_processes_than_items(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "calls"
    folder.mkdir()
    limited = [*arguments(data, tmp_path / "r"), "--limit", "1"]
    assert wait(start(3, limited, {"CALLS": str(folder)}, folder / "log")) == [0, 0, 0]
    assert len(calls(folder)) == len(CONDITIONS)


def test_a_mistake_ends_all_processes_with_the_message(data: Path, tmp_path: Path) -> None:
    wrong = arguments(tmp_path / "nowhere", tmp_path / "r")
    log = tmp_path / "log"
    codes = wait(start(2, wrong, {"CALLS": str(tmp_path)}, log), timeout_s=60)
    assert all(codes)
    assert "nowhere" in log.read_text()
    assert "Traceback" not in log.read_text()


def test_a_launcher_that_forms_no_group_is_refused(data: Path, tmp_path: Path) -> None:
    script = tmp_path / "lone.py"
    script.write_text(
        "import accelerate, sys\n"
        "class Lone:\n"
        "    num_processes, process_index = 1, 0\n"
        "    def __init__(self, **_): pass\n"
        "accelerate.PartialState = Lone\n"
        "from mrarebench_hf.cli import main\n"
        "sys.exit(main())\n"
    )
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, str(script), *arguments(data, tmp_path / "r")],
        env={**os.environ, "WORLD_SIZE": "2", "RANK": "0"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "form a group of 1" in done.stderr
    assert "torchrun --nproc_per_node 2" in done.stderr
    assert not (tmp_path / "r").exists()


def test_one_group_can_run_several_models_one_after_the_other(data: Path, tmp_path: Path) -> None:
    script = tmp_path / "two.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from mrarebench_hf.pipeline import Options, run\n"
        "for model in ('baseline:oracle', 'baseline:prior'):\n"
        f"    options = Options(data=('Diagnosis',), model=model, data_dir=Path({str(data)!r}),\n"
        f"                      results_dir=Path({str(tmp_path / 'r')!r}))\n"
        "    code = run(options).exit_code\n"
        "    assert code == 0, code\n"
    )
    log = tmp_path / "log"
    assert wait(start(2, [], {}, log, script=script)) == [0, 0], log.read_text()
    counts = [json.loads(p.read_bytes())["counts"] for p in (tmp_path / "r").glob("*/*/summary.json")]
    assert [c["n_missing"] for c in counts] == [0, 0]
