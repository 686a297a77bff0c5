"""A synthetic mini-benchmark in the benchmark's own file formats and a tiny model to run on it.

For the first command of a new user and for the tests; offline, seconds, no real patient.
"""

from __future__ import annotations

from mrarebench_hf.demo.benchmark import write_benchmark
from mrarebench_hf.demo.tiny_model import write_tiny_vlm

__all__ = ["write_benchmark", "write_tiny_vlm"]
