"""The command line with a baseline that takes its time and writes down every call: a model to kill.

Run as a script, one process per rank; the environment variables CALLS (a folder) and DELAY_S say where and how slow.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from mrarebench_hf.cli import main
from mrarebench_hf.model import Request, baseline
from mrarebench_hf.records import Response


class _Slow(baseline._Baseline):
    def generate(self, requests: Sequence[Request]) -> list[Response]:
        rank = os.environ.get("RANK", "0")
        with (Path(os.environ["CALLS"]) / f"rank{rank}.txt").open("a") as calls:
            for request in requests:
                calls.write(request.prompt.index + "\n")
                calls.flush()
                time.sleep(float(os.environ.get("DELAY_S", "0")))
        if rank == os.environ.get("FAILING_RANK"):
            raise SystemExit(9)
        return super().generate(requests)


if __name__ == "__main__":
    baseline._Baseline = _Slow  # type: ignore[misc]
    sys.exit(main())
