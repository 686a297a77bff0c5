"""Stage source: the cells of a row in, what scoring compares with out, under the dataset's column names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mrarebench_hf.source import cells as read

__all__ = ["FIELDS", "of", "warnings_of"]

FIELDS: dict[str, tuple[str, ...]] = {
    "diagnosis": ("answer", "answer_aliases"),
    "evidence": (
        "final_diagnosis",
        "evidence_points",
        "gold_rationale",
        "decisive_image_ids",
        "supporting_image_ids",
        "task_type",
        "n_images",
    ),
}
_ID_COLUMNS = ("decisive_image_ids", "supporting_image_ids")


def of(task: str, cells: Mapping[str, str], n_images: int) -> dict[str, Any]:
    """The reference columns of one row; a text that the row lacks is empty, a list is empty.

    Args:
        task: entry of ``mrarebench_hf.tasks``.
        cells: the row's text cells.
        n_images: pictures that the case has, shown or not.
    """
    return dict(zip(FIELDS[task], _READERS[task](cells, n_images), strict=True))


def warnings_of(task: str, cells: Mapping[str, str]) -> list[str]:
    """What had to be guessed in reading the references of a row, or could not be read, one sentence each."""
    if task != "evidence":
        return [] if cells.get("answer", "").strip() else ["no answer: nothing can hit this case, and it counts"]
    notes = [(name, read.id_list(cells.get(name, "")).note) for name in _ID_COLUMNS]
    found = [f"{name}: {note}" for name, note in notes if note]
    points = cells.get("acceptable_evidence_points", "").strip()
    if points and points != "[]" and not read.evidence_points(points):
        found.append(f"acceptable_evidence_points: {points[:40]!r} gives no points; a JSON list of objects is needed")
    return found


def _diagnosis(cells: Mapping[str, str], _n_images: int) -> tuple[Any, ...]:
    return cells.get("answer", ""), read.list_cell(cells.get("answer_aliases", ""))


def _evidence(cells: Mapping[str, str], n_images: int) -> tuple[Any, ...]:
    return (
        cells.get("final_diagnosis", ""),
        read.evidence_points(cells.get("acceptable_evidence_points", "")),
        cells.get("gold_rationale") or cells.get("gold_answer_open", ""),
        *(read.id_list(cells.get(name, "")).ids for name in _ID_COLUMNS),
        cells.get("task_type", ""),
        n_images,
    )


_READERS: dict[str, Callable[[Mapping[str, str], int], tuple[Any, ...]]] = {
    "diagnosis": _diagnosis,
    "evidence": _evidence,
}
