"""Stage dataset: what ``prepare`` hands out, one condition's rows on disk and what is known about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset.arrow_folder import ArrowFolder
from mrarebench_hf.records import Provenance

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["Prepared"]


@dataclass(frozen=True)
class Prepared:
    """One condition's dataset in the cache.

    Attributes:
        condition: the input condition.
        provenance: where its cases came from.
        folder: where its rows lie.
        source: the benchmark file.
        warnings: what a reader of its scores must know; free of paths.
        faults: per id the pictures that could not be had, as (slot, reason).
    """

    condition: Condition
    provenance: Provenance
    folder: ArrowFolder
    source: Path
    warnings: tuple[str, ...]
    faults: dict[str, list[tuple[int, str]]]

    @property
    def path(self) -> Path:
        """The Arrow file."""
        return self.folder.shard

    def dataset(self, *, decode: bool = True) -> Dataset:
        """The rows, memory-mapped; pictures are decoded when looked at, or with ``decode=False`` stay bytes.

        A picture that could not be had is None.
        """
        from mrarebench_hf.dataset.rows import undecoded

        dataset = self.folder.dataset()
        return dataset if decode else undecoded(dataset)

    def n_bytes(self) -> int:
        """What the rows take on disk; the long name's folder shares it where the file system has hard links."""
        return self.path.stat().st_size

    def picture_faults(self, index: str) -> str:
        """Why pictures of a case could not be had; an empty text when all could."""
        return "; ".join(f"slot {slot}: {reason}" for slot, reason in self.faults.get(index, ()))
