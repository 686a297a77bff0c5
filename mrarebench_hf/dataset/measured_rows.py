"""Stage dataset: MedVision's samples in; their pictures, prompts and targets out, rendered when somebody looks."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mrarebench_hf.errors import DataError, DataFormatError, DataNotFoundError, UsageError
from mrarebench_hf.measured import Geometry, MeasuredSample, View
from mrarebench_hf.measured_names import TaskName
from mrarebench_hf.prompt.measurement import measurement_prompt
from mrarebench_hf.prompt.stated_geometry import stated_geometry
from mrarebench_hf.source.inside import file_inside
from mrarebench_hf.source.landmarks import Landmarks, read_landmarks
from mrarebench_hf.source.measured_samples import SampleSet
from mrarebench_hf.source.pixel_scale import draw_scale, scale_range
from mrarebench_hf.source.rendering import RENDERING_VERSION, window_of
from mrarebench_hf.source.slice_picture import SlicePicture, slice_geometry, slice_picture
from mrarebench_hf.source.targets import float16_values, scale_fields, scaled_target, target
from mrarebench_hf.source.volume import Volumes

__all__ = ["MeasuredRows", "as_it_is", "resize_of"]


def as_it_is(size_px: tuple[int, int]) -> View:
    """The view of somebody who sees a picture in its own size."""
    size = float(size_px[0]), float(size_px[1])
    return View(size, size)


def resize_of(name: TaskName, size_px: tuple[int, int] | None) -> tuple[int, int] | None:
    """The size that slices are brought to before anything else: the task's own or the given one.

    Raises:
        UsageError: when both are there and differ.
    """
    if size_px is not None and name.resize_px not in (None, size_px):
        raise UsageError(f"{name.text!r} brings slices to a size of its own; --reshape-image-hw asks for another")
    return size_px or name.resize_px


@dataclass(frozen=True)
class MeasuredRows:
    """The samples of one task as they are shown.

    Attributes:
        found: the task's samples.
        volumes: the data folder's volumes.
        resize_px: rows and columns that slices are brought to; None leaves them as they are.
        view: size of a picture → what the model's processor makes of it.
        float16: whether targets are rounded as MedVision's own rows hold them.
    """

    found: SampleSet
    volumes: Volumes
    resize_px: tuple[int, int] | None = None
    view: Callable[[tuple[int, int]], View] = as_it_is
    float16: bool = False

    def geometry(self, sample: MeasuredSample) -> Geometry:
        """Size and spacing of a sample's slice, before any resizing and scaling.

        Raises:
            DataError: when the volume is missing, unreadable, or not the one of the plan.
        """
        return slice_geometry(self.volumes, sample)

    def shown_geometry(self, sample: MeasuredSample) -> Geometry:
        """Size and spacing of a sample's picture, after any resizing and scaling; raises as ``geometry`` does."""
        shown = slice_geometry(self.volumes, sample, self.resize_px)
        return shown.scaled(self.scale(sample) or (1.0, 1.0))

    def require_volumes(self, samples: Sequence[MeasuredSample]) -> None:
        """See that all volumes are there and those of the plan, so that a user fetches what is missing in one go.

        Raises:
            DataError: when some are not; it names the first and says how many.
        """
        faults: dict[str, DataError] = {}
        files = {sample.image_file: sample for sample in samples}
        for file, sample in files.items():
            try:
                self.geometry(sample)
            except DataError as error:
                faults[file] = error
        if not faults:
            return
        first = next(iter(faults.values()))
        if len(faults) == 1:
            raise first
        missing = all(isinstance(error, DataNotFoundError) for error in faults.values())
        kind = DataNotFoundError if missing else type(first)
        raise kind(f"{len(faults)} of {len(files)} volumes cannot be used; the first: {first}")

    def picture(self, sample: MeasuredSample) -> SlicePicture:
        """The rendered slice; raises DataError as ``geometry`` does, and when the voxels cannot be read."""
        return slice_picture(self.volumes, sample, self.resize_px)

    def prompt(self, sample: MeasuredSample) -> str:
        """The text, with the size and spacing of the picture as the model sees it."""
        if self.found.name.family.is_box:
            return measurement_prompt(sample, self.found.name, self.geometry(sample))
        shown = self.shown_geometry(sample)
        return measurement_prompt(sample, self.found.name, stated_geometry(shown, self.view(shown.size_px)))

    def scale(self, sample: MeasuredSample) -> tuple[float, float] | None:
        """Factors on the stated spacing, of rows and columns; None for a task that does not scale."""
        if not self.found.name.scaled:
            return None
        return draw_scale(scale_fields(sample), anisotropic=sample.measure is not None, bounds=scale_range())

    def target(self, sample: MeasuredSample) -> tuple[float, ...]:
        """The numbers of the right answer, float64.

        Raises:
            DataError: when landmarks that a scaled task measures again cannot be read.
        """
        factors = self.scale(sample)
        if factors is None:
            values = target(sample)
        else:
            points = self._points(sample) if sample.measure else None
            values = scaled_target(sample, factors, points, self.geometry(sample).spacing_mm)
        return float16_values(values) if self.float16 and sample.box_px is None else values

    def picture_key(self, sample: MeasuredSample) -> bytes:
        """All that the picture is made of; a changed voxel changes it, another place of the volume does not."""
        window = window_of(sample)
        made_of = [
            RENDERING_VERSION,
            self._sha256(file_inside(self.volumes.root, sample.image_file, "volume")),
            sample.slice_dim,
            sample.slice_idx,
            window and [window.width, window.level],
            self.resize_px,
        ]
        return json.dumps(made_of).encode()

    def _points(self, sample: MeasuredSample) -> dict[str, tuple[int | float, int | float, int | float]]:
        if sample.landmark_file is None:
            raise DataFormatError(f"{sample.sample_id} has no landmark file, which a scaled pixel size needs")
        path = file_inside(self.volumes.root, sample.landmark_file, "landmark file")
        groups = self._landmarks(path).points(sample.slice_dim, sample.slice_idx)
        return {key: point for group in groups for key, point in group.items()}

    @functools.cached_property
    def _landmarks(self) -> Callable[[Path], Landmarks]:
        return functools.lru_cache(maxsize=64)(read_landmarks)

    @functools.cached_property
    def _sha256(self) -> Callable[[Path], str]:
        return functools.cache(_sha256)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
