"""Asking a judge: 600 questions of a server that takes 200 ms for each, 32 at a time, against the least time possible.

The server is a process of its own on this machine.
Usage: python benchmarks/judge_calls.py [--calls 600] [--latency 0.2] [--concurrency 32]
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mrarebench_hf import judge
from mrarebench_hf.judge import JudgeSettings, Question

SERVER = Path(__file__).parents[1] / "tests" / "judge_server.py"
POINTS = {"required": ["[Image 1] A ring.", "A whorl."], "optional": ["A dot."]}


def main() -> None:
    """Serve, ask, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=600)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds that the server takes for each")
    parser.add_argument("--concurrency", type=int, default=32)
    args = parser.parse_args()
    questions = [
        Question(str(n), {"diagnosis": "D", "rationale": "R.", "answer": f"Finding {n}. " * 60, **POINTS})
        for n in range(args.calls)
    ]
    least = math.ceil(args.calls / args.concurrency) * args.latency
    command = [sys.executable, str(SERVER), "--latency", str(args.latency)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        assert server.stdout is not None
        settings = JudgeSettings("judge", server.stdout.readline().strip(), concurrency=args.concurrency)
        rubric = judge.get("evidence")
        judge.judge(rubric, questions[:1], settings, Path(folder) / "warm")  # the client is imported on first use
        start = time.perf_counter()
        found = judge.judge(rubric, questions, settings, Path(folder) / "judged")
        seconds = time.perf_counter() - start
        server.terminate()
    assert not found.reasons
    print(
        f"{args.calls} questions at {args.latency:g} s, {args.concurrency} at a time: {seconds:.2f} s, "
        f"least {least:.2f} s, ratio {seconds / least:.3f}"
    )


if __name__ == "__main__":
    main()
