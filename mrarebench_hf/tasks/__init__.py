"""Benchmark tasks: one module each, holding facts and words; parsers and scorers are named, not imported.

Adding a task is adding a file here that defines ``TASK``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from mrarebench_hf import registry

__all__ = ["Task", "get", "names"]


@dataclass(frozen=True, slots=True)
class Task:
    """What is particular to one benchmark task.

    Attributes:
        name: the module's name.
        title: the task's name in the benchmark ("T1 Diagnosis").
        folder: folder of the task's file below the benchmark's root.
        filename: the task's file.
        expected_rows: rows of the published file.
        columns: columns that the task reads itself; every other one is passed through.
        required: those of ``columns`` without which no prompt or score is possible.
        instructions: closing text of a prompt, by the condition's ``instruction``.
        parser: entry of ``mrarebench_hf.parse``; None while answers can be collected but not yet scored.
        scorer: entry of ``mrarebench_hf.score``; None likewise.
    """

    name: str
    title: str
    folder: str
    filename: str
    expected_rows: int
    columns: tuple[str, ...]
    required: tuple[str, ...]
    instructions: Mapping[str, str]
    parser: str | None
    scorer: str | None


def names() -> tuple[str, ...]:
    """Names of all tasks."""
    return registry.names(__name__)


def get(name: str) -> Task:
    """One task by name; raises UnknownNameError for any other."""
    return cast(Task, registry.load(__name__, name, kind="task").TASK)
