"""Stage source: MedVision's task lists, and the tasks that a user names.

In: names of tasks, or a JSON file ``{task: number of samples}`` as medvision_bm has them. Out: ``TaskList``, whose
tasks are all of one family, as a table over several would compare what cannot be compared.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mrarebench_hf.errors import DataFormatError, DataNotFoundError, UsageError
from mrarebench_hf.families import Family
from mrarebench_hf.measured_names import TaskName, looks_like_task, parse_task

__all__ = ["TaskList", "is_measured", "read_tasks"]

_FOLDERS = {"Detection": "MedVision-detect", "TL": "MedVision-TL", "AD": "MedVision-AD"}


@dataclass(frozen=True, slots=True)
class TaskList:
    """Tasks of one family.

    Attributes:
        tag: name of their folder in a results tree.
        tasks: the tasks, each with the number of samples that the list says, or None.
    """

    tag: str
    tasks: tuple[tuple[TaskName, int | None], ...]

    @property
    def family(self) -> Family:
        """What is measured."""
        return self.tasks[0][0].family


def is_measured(words: Sequence[str]) -> bool:
    """Whether a user's words name MedVision's tasks or a task list; conditions have no such names."""
    return any(word.endswith(".json") or looks_like_task(word) for word in words)


def read_tasks(words: Sequence[str]) -> TaskList:
    """The tasks that a user names: one task list, or names of tasks.

    Raises:
        DataNotFoundError: when there is no such list.
        DataFormatError: when the list is no JSON object of task names.
        UsageError: when there are no tasks, tasks of several families, or a list beside something else.
        UnknownNameError: for a name whose parts are none of the known ones.
    """
    lists = [word for word in words if word.endswith(".json")]
    if len(lists) > 1 or (lists and len(words) > 1):
        raise UsageError(f"--data {' '.join(words)}: give one task list, or names of tasks instead")
    if lists:
        path = Path(lists[0])
        sizes = _read(path)
        tag = path.stem.removeprefix("tasks_")
    else:
        sizes, tag = dict.fromkeys(words), ""
    tasks = tuple((parse_task(text), size) for text, size in sizes.items())
    families = {name.family.name: name.text for name, _ in tasks}
    if len(families) > 1:
        named = ", ".join(f"{text} is {family}" for family, text in families.items())
        raise UsageError(f"tasks of several families: {named}; run each family by itself")
    return TaskList(tag or _FOLDERS[tasks[0][0].family.name], tasks)


def _read(path: Path) -> dict[str, int | None]:
    try:
        document: Any = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise DataNotFoundError(f"no task list {path}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise DataFormatError(f"{path} is no readable JSON file: {error}") from error
    if not isinstance(document, dict) or not document:
        raise DataFormatError(f"{path} is no task list: one is a JSON object, name of a task → number of its samples")
    return {name: size if type(size) is int and size >= 0 else None for name, size in document.items()}
