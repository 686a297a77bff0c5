"""Stage dataset: a case in, its row out; a row in, its prompt and references out again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mrarebench_hf import tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset.columns import IMAGES, LABELS, features
from mrarebench_hf.errors import DataFormatError
from mrarebench_hf.prompt import assemble, final_text, shown_label
from mrarebench_hf.records import Case, Prompt
from mrarebench_hf.source import references

if TYPE_CHECKING:
    from datasets import Dataset

__all__ = ["Layout", "prompt_of", "references_of", "undecoded"]

# A picture column counts its bytes with 32 bits; batches stay far below, one row may not reach it.
_MAX_ROW_BYTES = (1 << 31) - 1
_BATCH_BYTES = 64 << 20
_BATCH_ROWS = 100


@dataclass(frozen=True, slots=True)
class Layout:
    """The form of one condition's rows.

    Attributes:
        condition: the input condition.
        extras: columns of the file that are passed through.
    """

    condition: Condition
    extras: tuple[str, ...]

    @property
    def schema(self) -> Any:
        """Arrow schema, with the features in its metadata as datasets writes them."""
        return features(self.condition, self.extras).arrow_schema

    def row(self, case: Case) -> dict[str, Any]:
        """A case as a row; pictures as ``{"bytes", "path"}``, None for one that could not be had."""
        pictures = case.pictures if self.condition.images else ()
        return {
            "index": case.index,
            IMAGES: [None if p.data is None else {"bytes": p.data, "path": None} for p in pictures],
            LABELS: [shown_label(case, self.condition, p) or "" for p in pictures],
            "prompt": final_text(case, self.condition, tasks.get(self.condition.task)),
            **case.references,
            **{name: case.extras.get(name, "") for name in self.extras},
        }

    def batches(self, cases: Sequence[Case]) -> Iterator[Any]:
        """Cases as Arrow record batches, few rows and few bytes each."""
        group: list[dict[str, Any]] = []
        n_bytes = 0
        for case in cases:
            size = sum(len(p.data or b"") for p in case.pictures)
            if size > _MAX_ROW_BYTES:
                raise DataFormatError(f"id {case.index!r}: {size} bytes of pictures; a row holds less than 2 GiB")
            if group and (n_bytes + size > _BATCH_BYTES or len(group) == _BATCH_ROWS):
                yield self._batch(group)
                group, n_bytes = [], 0
            group.append(self.row(case))
            n_bytes += size
        if group:
            yield self._batch(group)

    def _batch(self, rows: Sequence[Mapping[str, Any]]) -> Any:
        import pyarrow as pa

        schema = self.schema
        arrays = [
            _pictures([row[IMAGES] for row in rows], field.type)
            if field.name == IMAGES
            else pa.array([row[field.name] for row in rows], field.type)
            for field in schema
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _pictures(rows: Sequence[Sequence[Mapping[str, Any] | None]], kind: Any) -> Any:
    """Lists of pictures from their bytes, each copied once."""
    import pyarrow as pa

    flat = [picture for pictures in rows for picture in pictures]
    offsets = [0]
    for pictures in rows:
        offsets.append(offsets[-1] + len(pictures))
    struct = pa.StructArray.from_arrays(
        [pa.array([p and p["bytes"] for p in flat], pa.binary()), pa.nulls(len(flat), pa.string())],
        fields=list(kind.value_type),
        mask=pa.array([p is None for p in flat], pa.bool_()),
    )
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), struct).cast(kind)


def undecoded(dataset: Dataset) -> Dataset:
    """The same rows with pictures as ``{"bytes", "path"}``; nothing is copied, on disk or in memory."""
    from datasets import Dataset, Image, List

    info = dataset.info.copy()
    info.features = dataset.features.copy()
    info.features[IMAGES] = List(Image(decode=False))
    # cast_column would write the whole dataset again: it does not see that a list of pictures needs no cast.
    return Dataset(dataset.data, info=info, split=dataset.split, indices_table=dataset._indices)


def prompt_of(row: Mapping[str, Any]) -> Prompt:
    """The prompt of a row whose pictures are not decoded; equal to ``prompt.build`` of its case."""
    pictures = zip(row[LABELS], row[IMAGES], strict=True)
    return assemble(row["index"], ((label, image and image["bytes"]) for label, image in pictures), row["prompt"])


def references_of(row: Mapping[str, Any], task: str) -> dict[str, Any]:
    """What a row is scored against, by the names of its task's reference columns."""
    return {name: row[name] for name in references.FIELDS[task]}
