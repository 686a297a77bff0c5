"""Which foreign columns may pass through: none that carries what a condition withholds."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

from mrarebench_hf import tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.prompt import leaks
from mrarebench_hf.source import cells, tsv

__all__ = ["passed_columns"]

_LOG = logging.getLogger(__name__)
_MIN_FINDING_CHARS = 20  # shorter pieces, as "normal", stand in any text
_PICTURE_CHARS = 64
_TEXTS = ("image", "image_path", "image findings", "final_diagnosis")


def passed_columns(path: Path, condition: Condition) -> tuple[str, ...]:
    """Columns that the task does not know and that hold, in no row, what the condition withholds.

    Args:
        path: the task's file; read once more where it has such columns.
        condition: what is shown and withheld.
    """
    task = tasks.get(condition.task)
    extras = [name for name in tsv.header(path) if name not in task.columns]
    leaking: set[str] = set()
    for batch in tsv.batches(path, task.required) if extras else ():
        names = [name for name in (*extras, *_TEXTS) if name in batch.schema.names]
        for row in batch.select(names).to_pylist():
            withheld = list(_withheld(row, condition))
            for name in extras:
                if name not in leaking and _carries(row[name], withheld):
                    leaking.add(name)
    for name in sorted(leaking):
        _LOG.warning(
            "column %r of %s holds what %s withholds; it is left out there", name, path.name, condition.name
        )
    return tuple(name for name in extras if name not in leaking)


def _carries(cell: str, withheld: list[str]) -> bool:
    return bool(cell) and bool(any(text in cell for text in withheld) or leaks(cell, withheld))


def _withheld(row: Mapping[str, str], condition: Condition) -> Iterator[str]:
    """Texts of a row that a condition does not show."""
    if not condition.images:
        image = row.get("image", "").strip('[]" ')
        if image:
            yield image[:_PICTURE_CHARS]
        yield from (name for name in cells.paths(row.get("image_path", "")) if name)
    if condition.task == "diagnosis" and not condition.findings:
        text = cells.rendered_findings(row.get("image findings", ""))
        yield from (line for line in text.splitlines() if len(line) >= _MIN_FINDING_CHARS)
    if condition.task == "evidence" and not condition.diagnosis and row.get("final_diagnosis"):
        yield row["final_diagnosis"]
