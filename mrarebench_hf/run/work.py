"""One condition's share of a run: its rows, what each was or is to be asked, and where the answers are kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset.prepared import Prepared
from mrarebench_hf.dataset.rows import prompt_of, references_of
from mrarebench_hf.errors import PictureError
from mrarebench_hf.model import Backend, Request
from mrarebench_hf.records import Prompt, Response, TextPart
from mrarebench_hf.run.plan import Chunk, Item, cost
from mrarebench_hf.source.picture import size_px
from mrarebench_hf.store import journal, merge
from mrarebench_hf.store.atomic import dumps
from mrarebench_hf.store.fingerprint import cache_key, fingerprint
from mrarebench_hf.store.layout import RunFolder

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["SPLIT", "Work", "pack", "unpack"]

SPLIT = "test"


@dataclass(frozen=True)
class Work:
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

    @classmethod
    def open(cls, prepared: Prepared, folder: RunFolder, backend: Backend, limit: int | None) -> Work:
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

    def marks(self, model: Mapping[str, Any], generation: Mapping[str, Any]) -> list[str]:
        """The fingerprint of every row under a model and its settings, in order; reads every picture once."""
        return [fingerprint(self.folder.tag, SPLIT, prompt_of(record), model, generation) for record in self.rows]

    def stored(self) -> dict[str, Response]:
        """Stored responses by fingerprint."""
        return merge.latest(journal.read(self.folder.cache, self.folder.tag))

    def pending(self, marks: Sequence[str], found: Mapping[str, Response]) -> Iterator[Item]:
        """The rows that still need an answer; a recorded failure counts as pending."""
        for row, mark in enumerate(marks):
            if mark not in found or found[mark].status == "failed":
                yield Item(self.condition.name, row, mark, _cost(self.request(row).prompt))

    def entry(self, item: Item, response: Response) -> journal.Entry:
        """The journal line of an answer."""
        # Without its pictures, which would be read once more for nothing.
        record = self.rows.select_columns(["index", "prompt"])[item.row]
        key = cache_key(self.folder.tag, SPLIT, record["index"], record["prompt"])
        return journal.Entry(key, item.fingerprint, response)

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


def pack(plan: Sequence[Chunk]) -> str:
    """A plan as text, for the other processes."""
    return dumps([[[i.condition, i.row, i.fingerprint, i.cost] for i in chunk.items] for chunk in plan])


def unpack(text: str) -> list[Chunk]:
    """The plan that ``pack`` wrote."""
    return [Chunk(tuple(Item(*fields) for fields in items)) for items in json.loads(text)]
