"""Stage source: what a check of a data folder found, and where.

In: a place in a plan, and what is wrong there. Out: the fault as a record and as one line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from mrarebench_hf.errors import DataError

__all__ = ["Fault", "Place", "guarded", "told"]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a plan, as far down as it is known.

    Attributes:
        file: the plan, or a dataset's folder, below the data folder.
        task: its position in the plan, "01".
        split: "train" or "test".
        case: the plan's name of the case.
        plane: "sagittal", "coronal" or "axial".
        slice: number of the slice.
        label: the structure's value in the mask.
    """

    file: str
    task: str | None = None
    split: str | None = None
    case: str | None = None
    plane: str | None = None
    slice: int | None = None
    label: int | None = None

    def at(self, **further: Any) -> Place:
        """The same place, with more of it known."""
        return replace(self, **further)

    def fault(self, what: str) -> Fault:
        """What is wrong at this place."""
        return Fault(**asdict(self), what=what)

    def unreadable(self, error: DataError) -> Fault:
        """What cannot be read at this place, without the plan's path, which stands in front already."""
        text = str(error)
        before, path, after = text.partition(self.file)
        return self.fault(after.lstrip(": ") if path and (not before or before.endswith("/")) else text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(Place):
    """One fault.

    Attributes:
        what: what is wrong, and what was expected.
    """

    what: str

    @property
    def line(self) -> str:
        """The fault as one line: file, place, what; nothing in it can move a terminal's cursor."""
        names = ("task", self.task), ("", self.split), ("case", self.case), ("", self.plane), ("slice", self.slice)
        words = [f"{name} {value}".strip() for name, value in (*names, ("label", self.label)) if value is not None]
        text = ": ".join(part for part in (self.file, " ".join(words), self.what) if part)
        return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def guarded(place: Place, faults: Iterator[Fault]) -> Iterator[Fault]:
    """The faults; data that cannot be read on is one more, at this place, and ends them."""
    try:
        yield from faults
    except DataError as error:
        yield place.unreadable(error)


def told(place: Place, found: Iterator[str]) -> Iterator[Fault]:
    """What was found as faults of one place; data that cannot be read on is one more, and ends them."""
    return guarded(place, (place.fault(what) for what in found))
