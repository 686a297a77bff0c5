"""One MedVision task's share of a run: its rows are the samples that the run's limit leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tqdm import tqdm

from mrarebench_hf.dataset.measured_rows import MeasuredRows
from mrarebench_hf.errors import DataError
from mrarebench_hf.measured import MeasuredSample
from mrarebench_hf.model import Backend, Request
from mrarebench_hf.records import ImagePart, Prompt, TextPart
from mrarebench_hf.run.plan import Item, cost
from mrarebench_hf.run.work import Work
from mrarebench_hf.store.layout import RunFolder
from mrarebench_hf.store.measured_record import Shown

__all__ = ["MeasuredWork"]


@dataclass(frozen=True)
class MeasuredWork(Work):
    """One task of a run.

    Attributes:
        rows: the task's samples as they are shown.
        chosen: numbers of those that this run asks, in rising order.
        folder: where its files go.
        shows_references: whether requests carry the targets, as baselines need.
    """

    rows: MeasuredRows
    chosen: tuple[int, ...]
    folder: RunFolder
    shows_references: bool

    @classmethod
    def open(cls, rows: MeasuredRows, chosen: tuple[int, ...], folder: RunFolder, backend: Backend) -> MeasuredWork:
        """See that all volumes are there, and let a baseline take in the targets.

        Raises:
            DataError: when volumes are missing or are not those of the plan.
        """
        work = cls(rows, chosen, folder, backend.needs_references)
        rows.require_volumes([rows.found.samples[number] for number in chosen])
        if backend.needs_references:
            # All samples, whatever the limit: what a baseline draws from must not depend on it.
            backend.fit(work.name, [{"target": list(rows.target(sample))} for sample in rows.found.samples])
        return work

    @property
    def name(self) -> str:
        """The task's name as it was asked for."""
        return self.rows.found.name.text

    @property
    def split(self) -> str:  # type: ignore[override]
        """The split that the samples are of."""
        return self.rows.found.name.split.lower()

    def sample(self, row: int) -> MeasuredSample:
        """The sample of a row."""
        return self.rows.found.samples[self.chosen[row]]

    def ids(self) -> list[str]:
        """The ids of all rows, in order."""
        return [self.rows.found.samples[number].sample_id for number in self.chosen]

    def request(self, row: int) -> Request:
        """What is asked for one row: the rendered slice, then the text."""
        sample = self.sample(row)
        try:
            picture = self.rows.picture(sample).pgm()
        except DataError:  # the loop asks ``explain``
            picture = None
        references = {"target": list(self.rows.target(sample))} if self.shows_references else None
        return Request(self._prompt(sample, picture), self.name, (), references)

    def shown(self) -> Iterator[Prompt]:
        """The prompts of all rows, in order, with what a picture is made of in place of it: nothing is rendered."""
        with tqdm(self.chosen, desc=self.name, unit=" samples", delay=2, disable=None) as bar:
            for number in bar:
                sample = self.rows.found.samples[number]
                yield self._prompt(sample, self.rows.picture_key(sample))

    def cost(self, row: int) -> float:
        """Rough work of one row: by the picture alone, so that samples of one volume stay together."""
        rows, columns = self.rows.geometry(self.sample(row)).size_px
        return cost([(columns, rows)], 0)

    def key(self, row: int) -> tuple[str, str]:
        """The sample's number in the task, and its text."""
        return str(self.chosen[row]), self.rows.prompt(self.sample(row))

    def explain(self, item: Item) -> str:
        """Why the slice of a row could not be rendered."""
        try:
            self.rows.picture(self.sample(item.row))
        except DataError as error:
            return str(error)
        return "the volume could not be read a moment ago: run it again"

    def record(self, row: int) -> Shown:
        """What goes into the samples file of a row."""
        sample = self.sample(row)
        return Shown(
            self.chosen[row],
            sample,
            self.rows.geometry(sample),
            self.rows.prompt(sample),
            self.rows.target(sample),
            self.rows.scale(sample),
        )

    def _prompt(self, sample: MeasuredSample, picture: bytes | None) -> Prompt:
        return Prompt(sample.sample_id, (ImagePart(picture), TextPart(self.rows.prompt(sample))))
