"""One input condition's share of a run: its rows are those of the prepared dataset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset.prepared import Prepared
from mrarebench_hf.dataset.rows import prompt_of, references_of
from mrarebench_hf.errors import PictureError
from mrarebench_hf.model import Backend, Request
from mrarebench_hf.records import Prompt, TextPart
from mrarebench_hf.run.plan import Item, cost
from mrarebench_hf.run.work import Work
from mrarebench_hf.source.picture import size_px
from mrarebench_hf.store.layout import RunFolder

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["ConditionWork"]


@dataclass(frozen=True)
class ConditionWork(Work):
    """One condition of a run.

    Attributes:
        prepared: the condition's dataset on disk.
        rows: its rows, pictures as bytes, cut to the run's limit.
        folder: where its files go.
        shows_references: whether requests carry the references, as baselines need.
    """

    prepared: Prepared
    rows: Dataset
    folder: RunFolder
    shows_references: bool
    split = "test"

    @classmethod
    def open(cls, prepared: Prepared, folder: RunFolder, backend: Backend, limit: int | None) -> ConditionWork:
        """Open a prepared condition, and let a baseline take in its references."""
        rows = prepared.dataset(decode=False)
        task = prepared.condition.task
        if backend.needs_references:
            # All cases, whatever the limit: what a baseline draws from must not depend on it.
            backend.fit(task, _references(rows, task))
        if limit is not None:
            rows = rows.select(range(min(limit, len(rows))))
        return cls(prepared, rows, folder, backend.needs_references)

    @property
    def condition(self) -> Condition:
        """The input condition."""
        return self.prepared.condition

    @property
    def name(self) -> str:
        """The condition's short name."""
        return self.condition.name

    def references(self) -> list[dict[str, Any]]:
        """The references of all rows, in order; pictures are not read."""
        return _references(self.rows, self.condition.task)

    def ids(self) -> list[str]:
        """The ids of all rows, in order."""
        return list(self.rows.select_columns(["index"])["index"])

    def request(self, row: int) -> Request:
        """What is asked for one row; references travel only to a backend that says it needs them."""
        record = self.rows[row]
        references = references_of(record, self.condition.task) if self.shows_references else None
        return Request(prompt_of(record), self.condition.task, (), references)

    def shown(self) -> Iterator[Prompt]:
        """The prompts of all rows, in order; every picture is read once."""
        return (prompt_of(record) for record in self.rows)

    def cost(self, row: int) -> float:
        """Rough work of one row, in tokens."""
        return _cost(self.request(row).prompt)

    def key(self, row: int) -> tuple[str, str]:
        """The id of a row, and the text of its prompt."""
        # Without its pictures, which would be read once more for nothing.
        record = self.rows.select_columns(["index", "prompt"])[row]
        return record["index"], record["prompt"]

    def explain(self, item: Item) -> str:
        """Why the source could not give a picture of this row, read from the source again."""
        index = str(self.rows.select_columns(["index"])[item.row]["index"])
        return self.prepared.picture_faults(index) or "the data file holds no readable picture here"


def _references(rows: Dataset, task: str) -> list[dict[str, Any]]:
    table = rows.remove_columns(["images", "image_labels", "prompt"])
    return [references_of(row, task) for row in table]


def _cost(prompt: Prompt) -> float:
    sizes = []
    for data in prompt.images:
        try:
            sizes.append(size_px(data) if data is not None else (0, 0))
        except PictureError:
            sizes.append((0, 0))
    return cost(sizes, sum(len(part.text) for part in prompt.parts if isinstance(part, TextPart)))
