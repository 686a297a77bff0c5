"""A real checkpoint under real launchers: the bytes of one process, each sample asked once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

RUN = ["-m", "mrarebench_hf", "run"]
LAUNCHERS = {
    "torchrun": ["torch.distributed.run", "--standalone", "--nproc_per_node", "2"],
    "accelerate": ["accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--main_process_port", "0"],
}


def launch(launcher: list[str], tiny_vlm: Path, data: Path, results: Path) -> None:
    where = ["--data-dir", str(data), "--results-dir", str(results), "--model", str(tiny_vlm)]
    command = [sys.executable, *launcher, *RUN, "--data", "Diagnosis", "--limit", "6", "--max-new-tokens", "8", *where]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "| Diagnosis " in done.stdout


@pytest.mark.slow
@pytest.mark.distributed
@pytest.mark.parametrize("name", LAUNCHERS)
def test_two_processes_give_the_bytes_of_one(name: str, tiny_vlm: Path, demo_data: Path, tmp_path: Path) -> None:
    launch([], tiny_vlm, demo_data, tmp_path / "one")
    launch(["-m", *LAUNCHERS[name]], tiny_vlm, demo_data, tmp_path / "two")
    (one,), (two,) = ((tmp_path / n).glob("*/*/summary.json") for n in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    journals = [path.read_text().splitlines() for path in (tmp_path / "two").glob("*/*/response_cache/*.jsonl")]
    assert len(journals) == 2
    assert sum(map(len, journals)) == 6
