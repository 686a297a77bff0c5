"""Stage dataset: a MedVision sample in, its row out, and the columns of such rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mrarebench_hf.dataset.columns import IMAGES, LABELS
from mrarebench_hf.dataset.measured_rows import MeasuredRows
from mrarebench_hf.measured import MeasuredSample
from mrarebench_hf.source.rendering import window_of

if TYPE_CHECKING:
    from datasets import Features

__all__ = ["MeasuredLayout", "measured_features"]

_BATCH_ROWS = 100
# Fields of a sample that are columns, in this order.
_AS_THEY_ARE = {
    "unit": str,
    "dataset": str,
    "modality": str,
    "label": int,
    "label_name": str,
    "task_id": str,
    "task_type": str,
    "plane": str,
    "slice_dim": int,
    "slice_idx": int,
    "case_id": str,
    "image_file": str,
    "mask_file": str,
    "landmark_file": str,
    "release": str,
}


def measured_features() -> Features:
    """The columns, the same for every task."""
    from datasets import Features, Image, List, Value

    text, whole, number = Value("string"), Value("int64"), Value("float64")
    kinds = {str: text, int: whole}
    return Features(
        {
            "index": text,
            IMAGES: List(Image()),
            LABELS: List(text),
            "prompt": text,
            "target": List(number),
            "metric_type": text,
            "metric_key": text,
            "image_size": List(whole),
            "pixel_size_mm": List(number),
            "pixel_size_scale": List(number),
            "diagonal_mm": number,
            "doc_id": whole,
            **{name: kinds[kind] for name, kind in _AS_THEY_ARE.items()},
        }
    )


class MeasuredLayout:
    """Rows of one task.

    Attributes:
        rows: the task's samples as they are shown.
    """

    def __init__(self, rows: MeasuredRows) -> None:
        self.rows = rows
        self._last: tuple[tuple[Any, ...], bytes] | None = None

    def row(self, number: int) -> dict[str, Any]:
        """One sample as a row; its picture as ``{"bytes", "path"}``.

        Raises:
            DataError: when the volume or the landmarks cannot be read.
        """
        sample = self.rows.found.samples[number]
        geometry, scale = self.rows.shown_geometry(sample), self.rows.scale(sample)
        measure = sample.measure
        return {
            "index": sample.sample_id,
            IMAGES: [{"bytes": self._png(sample), "path": None}],
            LABELS: [""],
            "prompt": self.rows.prompt(sample),
            "target": list(self.rows.target(sample)),
            "metric_type": measure and measure.kind,
            "metric_key": measure and measure.key,
            "image_size": list(geometry.size_px),
            "pixel_size_mm": list(geometry.spacing_mm),
            "pixel_size_scale": scale and list(scale),
            "diagonal_mm": geometry.diagonal_mm,
            "doc_id": number,
            **{name: getattr(sample, name) for name in _AS_THEY_ARE},
        }

    def batches(self) -> Iterator[Any]:
        """All rows as Arrow record batches."""
        import pyarrow as pa

        schema = measured_features().arrow_schema
        n_rows = len(self.rows.found.samples)
        for start in range(0, n_rows, _BATCH_ROWS):
            found = [self.row(number) for number in range(start, min(start + _BATCH_ROWS, n_rows))]
            yield pa.RecordBatch.from_pylist(found, schema=schema)

    def _png(self, sample: MeasuredSample) -> bytes:
        """The slice as PNG, made once for all that is measured on it; a plan lists that together."""
        key = (sample.image_file, sample.slice_dim, sample.slice_idx, window_of(sample))
        if self._last is None or self._last[0] != key:
            self._last = key, self.rows.picture(sample).png()
        return self._last[1]
