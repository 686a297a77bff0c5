"""The physical diagonal of a sample's picture, from the record or from the volume's header, as a profile has it.

In: a sample. Out: millimetres, or NaN with a reason that is counted.
"""

from __future__ import annotations

import math
from pathlib import Path

from mrarebench_hf.errors import DataError
from mrarebench_hf.families import Family, Profile
from mrarebench_hf.parse.sample import Sample
from mrarebench_hf.score.measured_answers import has_diagonal
from mrarebench_hf.source.pixel_scale import draw_scale, scale_range
from mrarebench_hf.source.volume_header import Header, read_header

__all__ = ["Diagonals"]


class Diagonals:
    """Diagonals of one samples file.

    ``spec`` takes size and spacing from the record and asks the header only for what is not there; ``medvision_bm``
    takes the size from the record and the spacing from the header, and has no diagonal where there is no volume.
    """

    def __init__(self, family: Family, profile: Profile, is_scaled: bool, data_root: Path) -> None:
        self._family = family
        self._protocol = profile == "medvision_bm"
        self._is_scaled = is_scaled
        self._root = data_root
        self._bounds = scale_range()
        self._faults: dict[str, str] = {}

    def applies(self, sample: Sample) -> bool:
        """Whether the sample is a length, which a diagonal can be compared with."""
        return has_diagonal(self._family, sample.metric_type)

    def of(self, sample: Sample) -> tuple[float, str | None]:
        """Millimetres, and why they are NaN ("no_size", "no_slice", "no_volume")."""
        size, spacing = sample.size_px, None if self._protocol else sample.spacing_mm
        if (size is None and not self._protocol) or spacing is None:
            if sample.slice_dim is None:
                return math.nan, "no_slice"
            header = self.header(sample.image_file)
            if header is None:
                return math.nan, "no_volume"
            spacing = spacing or header.in_plane_spacing_mm(sample.slice_dim)
            size = size or (None if self._protocol else header.in_plane_size(sample.slice_dim))
        if size is None:
            return math.nan, "no_size"
        rows, columns = sample.scale or self._drawn(sample)
        sides = size[0] * spacing[0] * rows, size[1] * spacing[1] * columns
        return math.sqrt(sides[0] ** 2 + sides[1] ** 2), None

    def picture_size(self, sample: Sample) -> tuple[float, float] | None:
        """Rows and columns, from the record or from the header of the mask or the volume; None when unknown."""
        if sample.size_px is not None or sample.slice_dim is None:
            return sample.size_px
        header = self.header(sample.mask_file) or self.header(sample.image_file)
        return None if header is None else header.in_plane_size(sample.slice_dim)

    @property
    def faults(self) -> tuple[str, ...]:
        """Why headers could not be read, one sentence per file."""
        return tuple(self._faults.values())

    def header(self, recorded: str | None) -> Header | None:
        """The header of a recorded path, which counts from the data root; None, remembered, when it cannot be had."""
        if recorded is None or recorded in self._faults or "\0" in recorded:
            return None
        try:
            return read_header(self._root / recorded)
        except DataError as error:
            self._faults[recorded] = str(error)
            return None

    def _drawn(self, sample: Sample) -> tuple[float, float]:
        if not self._is_scaled:
            return 1.0, 1.0
        fields = (sample.image_file, sample.slice_dim, sample.slice_idx, sample.task_id, sample.label)
        return draw_scale(fields, anisotropic=bool(self._family.metric_types), bounds=self._bounds)
