"""Stage dataset: a MedVision task's samples in, their folder in the cache of datasets out, named by its content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mrarebench_hf.dataset.arrow_folder import ArrowFolder
from mrarebench_hf.dataset.measured_columns import MeasuredLayout, measured_features
from mrarebench_hf.dataset.measured_rows import MeasuredRows
from mrarebench_hf.prompt.measurement_template import template_hash
from mrarebench_hf.source.inside import file_inside
from mrarebench_hf.source.pixel_scale import scale_range
from mrarebench_hf.source.rendering import RENDERING_VERSION

__all__ = ["MeasuredSlot"]

_ROWS_VERSION = 1  # raise it when the same data give other rows, so that no older cache is taken for them


@dataclass(frozen=True)
class MeasuredSlot:
    """The place in the cache of one task of a data folder.

    Attributes:
        root: the cache of datasets.
        rows: the task's samples as they are shown.
        filtered: whether MedVision's filters have left samples out.
    """

    root: Path
    rows: MeasuredRows
    filtered: bool

    def fill(self) -> ArrowFolder:
        """Write the folder unless it is there, under the task's canonical name and the one that was given.

        The volumes count by path, size and time: to read all of them for a hash would take as long as the rows do.

        Raises:
            DataError: when volumes or landmarks are missing, damaged, or not those of the plan.
            StoreError: when the cache cannot be written.
        """
        name = self.rows.found.name
        self.rows.require_volumes(self.rows.found.samples)
        content = [
            _ROWS_VERSION,
            RENDERING_VERSION,
            template_hash(),
            name.canonical,
            self.rows.found.plan.version,
            self.rows.found.plan_sha256,
            self.filtered,
            self.rows.float16,
            self.rows.resize_px,
            scale_range() if name.scaled else None,
            list(self._files()),
        ]
        key = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]
        other = name.text if name.text != name.canonical else None
        folder = ArrowFolder(self.root, name.canonical, other, name.split.lower(), key)
        folder.fill(lambda: True, lambda new: self._write(folder, new))
        return folder

    def _files(self) -> Iterator[Any]:
        samples, root = self.rows.found.samples, self.rows.volumes.root
        volumes = dict.fromkeys(sample.image_file for sample in samples)
        # Only a scaled task measures its landmarks again; every other target stands in the plan.
        landmarks = dict.fromkeys(sample.landmark_file for sample in samples if self.rows.found.name.scaled)
        for kind, files in (("volume", volumes), ("landmark file", landmarks)):
            for file in filter(None, files):
                state = file_inside(root, file, kind).stat()
                yield file, state.st_size, state.st_mtime_ns

    def _write(self, folder: ArrowFolder, new: Path) -> bool:
        from tqdm import tqdm

        found = self.rows.found
        columns = measured_features()
        bar = tqdm(desc=f"preparing {found.name.text}", total=len(found.samples), unit=" rows", delay=2, disable=None)
        with bar, folder.writer(new, columns) as writer:
            for batch in MeasuredLayout(self.rows).batches():
                writer.write(batch)
                bar.update(batch.num_rows)
        about = f"MedVision, release {found.plan.version}: what is measured on the slices of {found.name.dataset}."
        folder.write_info(new, columns, about, writer.n_rows, writer.n_bytes)
        return True
