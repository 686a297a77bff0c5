"""Start the command line as one process or as a group of them, the way a launcher does."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

SLOW_RUN = Path(__file__).with_name("slow_run.py")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(
    n_processes: int,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    log: Path,
    *,
    script: Path = SLOW_RUN,
) -> list[subprocess.Popen[bytes]]:
    """Start a script once per rank, with the variables that torchrun sets; output goes to ``log``."""
    common = {**os.environ, **environment, "OMP_NUM_THREADS": "1"}
    if n_processes > 1:
        common |= {"WORLD_SIZE": str(n_processes), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    started = []
    for rank in range(n_processes):
        own = {"RANK": str(rank), "LOCAL_RANK": str(rank)} if n_processes > 1 else {}
        with log.open("ab") as out:
            started.append(
                subprocess.Popen([sys.executable, str(script), *arguments], env=common | own, stdout=out, stderr=out)
            )
    return started


def wait(processes: Sequence[subprocess.Popen[bytes]], timeout_s: float = 120) -> list[int]:
    """Exit codes in the order of ranks."""
    end = time.monotonic() + timeout_s
    return [process.wait(timeout=max(0.1, end - time.monotonic())) for process in processes]


def kill(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """``kill -9`` for all, as fast as one can."""
    for process in processes:
        process.send_signal(signal.SIGKILL)
    wait(processes)
