"""A share of a run: its rows, what each was or is to be asked, and where the answers are kept.

``condition_work`` and ``measured_work`` say what the rows are; all else is the same for both.
"""

from __future__ import annotations

import abc
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mrarebench_hf.model import Request
from mrarebench_hf.records import Prompt, Response
from mrarebench_hf.run.plan import Chunk, Item
from mrarebench_hf.store import journal, merge
from mrarebench_hf.store.atomic import dumps
from mrarebench_hf.store.fingerprint import cache_key, fingerprint
from mrarebench_hf.store.layout import RunFolder

__all__ = ["Work", "pack", "unpack"]


class Work(abc.ABC):
    """A share of a run.

    Attributes:
        folder: where its files go.
        split: the split of its dataset, part of every key.
    """

    folder: RunFolder
    split: str

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """What items are marked with; unique in a run."""

    @abc.abstractmethod
    def ids(self) -> list[str]:
        """The ids of all rows, in order."""

    @abc.abstractmethod
    def request(self, row: int) -> Request:
        """What is asked for one row; references travel only to a backend that says it needs them."""

    @abc.abstractmethod
    def shown(self) -> Iterator[Prompt]:
        """What every row shows, in order, for its fingerprint."""

    @abc.abstractmethod
    def cost(self, row: int) -> float:
        """Rough work of one row, in tokens."""

    @abc.abstractmethod
    def key(self, row: int) -> tuple[str, str]:
        """The name of a row in readable keys, and the text of its prompt."""

    @abc.abstractmethod
    def explain(self, item: Item) -> str:
        """Why the source could not give a picture of this row."""

    def marks(self, model: Mapping[str, Any], generation: Mapping[str, Any]) -> list[str]:
        """The fingerprint of every row under a model and its settings, in order."""
        return [fingerprint(self.folder.tag, self.split, prompt, model, generation) for prompt in self.shown()]

    def stored(self) -> dict[str, Response]:
        """Stored responses by fingerprint."""
        return merge.latest(journal.read(self.folder.cache, self.folder.tag))

    def pending(self, marks: Sequence[str], found: Mapping[str, Response]) -> Iterator[Item]:
        """The rows that still need an answer; a recorded failure counts as pending."""
        for row, mark in enumerate(marks):
            if mark not in found or found[mark].status == "failed":
                yield Item(self.name, row, mark, self.cost(row))

    def entry(self, item: Item, response: Response) -> journal.Entry:
        """The journal line of an answer."""
        return journal.Entry(cache_key(self.folder.tag, self.split, *self.key(item.row)), item.fingerprint, response)


def pack(plan: Sequence[Chunk]) -> str:
    """A plan as text, for the other processes."""
    return dumps([[[i.work, i.row, i.fingerprint, i.cost] for i in chunk.items] for chunk in plan])


def unpack(text: str) -> list[Chunk]:
    """The plan that ``pack`` wrote."""
    return [Chunk(tuple(Item(*fields) for fields in items)) for items in json.loads(text)]
