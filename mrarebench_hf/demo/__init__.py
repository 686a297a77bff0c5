"""Synthetic mini-benchmarks in the benchmarks' own file formats, a tiny model for them, and a judge that is a rule.

For the first command of a new user and for the tests; offline, seconds, no real patient.
"""

from __future__ import annotations

from mrarebench_hf.demo.benchmark import write_benchmark
from mrarebench_hf.demo.judge_server import NAME as JUDGE_NAME
from mrarebench_hf.demo.judge_server import judge_server
from mrarebench_hf.demo.tiny_model import write_tiny_vlm
from mrarebench_hf.demo.volumes import DEMO_TASKS, write_task_lists, write_volumes

__all__ = [
    "DEMO_TASKS",
    "JUDGE_NAME",
    "judge_server",
    "write_benchmark",
    "write_task_lists",
    "write_tiny_vlm",
    "write_volumes",
]
