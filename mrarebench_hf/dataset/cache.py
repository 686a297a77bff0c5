"""Stage dataset: a located file and a condition in, its folder in the cache of datasets out, named by its content."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset.arrow_folder import ArrowFolder
from mrarebench_hf.dataset.columns import features
from mrarebench_hf.dataset.notes import Notes
from mrarebench_hf.dataset.rows import Layout
from mrarebench_hf.dataset.withheld import passed_columns
from mrarebench_hf.errors import DataFormatError
from mrarebench_hf.prompt import template_sha256
from mrarebench_hf.source.cases import read_cases
from mrarebench_hf.source.picture import MAX_PIXELS

__all__ = ["SPLIT", "Slot"]

SPLIT = "test"
_ROWS_VERSION = 3  # raise it when the same file gives other rows, so that no older cache is taken for them


@dataclass(frozen=True, slots=True)
class Slot:
    """The place in the cache of one condition of one file.

    Attributes:
        root: the cache of datasets.
        condition: the input condition.
        sha256: hash of the benchmark file.
    """

    root: Path
    condition: Condition
    sha256: str

    @property
    def folder(self) -> ArrowFolder:
        """The folder, under both names; its key is a hash of the file, our wording, and how we read it."""
        condition = self.condition
        content = [_ROWS_VERSION, MAX_PIXELS, self.sha256, condition.name, template_sha256(condition)]
        key = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]
        return ArrowFolder(self.root, condition.name, condition.long_name, SPLIT, key)

    def fill(self, source: Path) -> Notes:
        """Write the folder unless it is there.

        Raises:
            DataFormatError: when the file is damaged, or changes while it is read.
            StoreError: when the cache cannot be written.
        """
        return self.folder.fill(lambda: self._current(source), lambda new: self._write(source, new))

    def _current(self, source: Path) -> Notes | None:
        """The notes of a folder that is whole and up to date, else None."""
        notes = Notes.read(self.folder.path)
        return notes if notes is not None and not notes.outdated(source) else None

    def _write(self, source: Path, new: Path) -> Notes:
        before = _state(source)
        notes = self._write_rows(source, new)
        if _state(source) != before:
            raise DataFormatError(f"{source} changed while it was read: run this again")
        notes.write(new, source)
        return notes

    def _write_rows(self, source: Path, new: Path) -> Notes:
        from tqdm import tqdm

        passed, left_out = passed_columns(source, self.condition)
        layout = Layout(self.condition, passed)
        columns = features(self.condition, passed)
        notes = Notes(self.condition, left_out)
        bar = tqdm(desc=f"preparing {self.condition.name}", unit=" rows", delay=2, disable=None)
        with bar, self.folder.writer(new, columns) as writer:
            for cases in read_cases(
                source, self.condition.task, pictures=self.condition.images, on_file=notes.depends_on
            ):
                notes.take(cases)
                for batch in layout.batches(cases):
                    writer.write(batch)
                bar.update(len(cases))
        self.folder.write_info(new, columns, self.condition.why, notes.n_rows, writer.n_bytes)
        return notes


def _state(path: Path) -> tuple[int, int, int]:
    state = path.stat()
    return state.st_size, state.st_mtime_ns, state.st_ino
