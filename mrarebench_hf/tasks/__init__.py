"""Benchmark tasks: one module each, holding facts and words; parsers and scorers are named, not imported.

Adding a task is adding a file here that defines ``TASK``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

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
        scorer: entry of ``mrarebench_hf.score``.
        rubrics: entries of ``mrarebench_hf.judge`` that judge its answers.
        rubrics_on_request: further ones, for those who ask for them.
        compares_texts: whether scoring uses a similarity of texts.
        shown: metrics of the report's table, in its order; a ``strict_`` twin joins by itself.
        legend: what a reader of that table must know.
        contrasted: metrics of the report's table of contrasts.
        reply: an answer in the asked form that gives what these references hold, most important first;
            the baselines are made of it.
    """

    name: str
    title: str
    folder: str
    filename: str
    expected_rows: int
    columns: tuple[str, ...]
    required: tuple[str, ...]
    instructions: Mapping[str, str]
    scorer: str
    rubrics: tuple[str, ...]
    rubrics_on_request: tuple[str, ...]
    compares_texts: bool
    shown: tuple[str, ...]
    legend: str
    contrasted: tuple[str, ...]
    reply: Callable[[Sequence[Mapping[str, Any]]], str]


def names() -> tuple[str, ...]:
    """Names of all tasks."""
    return registry.names(__name__)


def get(name: str) -> Task:
    """One task by name; raises UnknownNameError for any other."""
    return cast(Task, registry.load(__name__, name, kind="task").TASK)
