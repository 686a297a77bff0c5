"""How long the package takes to import and the command line to answer, beside a bare interpreter.

Medians over fresh processes. Aims: ``import mrarebench_hf`` 0.3 s, ``mrarebench --help`` 0.5 s, whole processes.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

N_RUNS = 15
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import mrarebench_hf": ["-c", "import mrarebench_hf"],
    "mrarebench --help": ["-m", "mrarebench_hf", "--help"],
}


def seconds(arguments: list[str]) -> float:
    """Wall time of one fresh process."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> None:
    """Print the median of each command, and its ratio to the bare interpreter."""
    for arguments in COMMANDS.values():
        seconds(arguments)  # fills the file system's cache
    medians = {
        name: statistics.median(seconds(arguments) for _ in range(N_RUNS)) for name, arguments in COMMANDS.items()
    }
    bare = medians["python -c pass"]
    for name, median in medians.items():
        print(f"{name:22} {median:.3f} s   {median / bare:4.1f} x a bare interpreter")


if __name__ == "__main__":
    main()
