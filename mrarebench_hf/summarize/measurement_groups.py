"""Stage summarize: which group every sample of a parsed file belongs to, by the published grouping or by box size.

In: the file's name and its table of scores. Out: group → row numbers, and warnings about labels that are not known.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mrarebench_hf.families import Family
from mrarebench_hf.source.label_groups import label_groups
from mrarebench_hf.source.plans import Plans, label_text, modality_code
from mrarebench_hf.store.sample_files import SampleFile

__all__ = ["BOX_SIZE_STEP", "GROUPINGS", "Grouper", "Grouping"]

Grouping: TypeAlias = Literal["published", "box-size"]
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)
# Width of a class of box sizes, as a share of the picture.
BOX_SIZE_STEP = 0.05

_PLANES = {0: "S", 1: "C", 2: "A"}
_Rows: TypeAlias = npt.NDArray[np.intp]


@dataclass(slots=True)
class Grouper:
    """Groups samples and remembers what it did not know.

    Attributes:
        family: what is measured.
        plans: names of labels; None when there are none, and the records' own are taken where they have them.
        by: which grouping.
        drops_unknown: leave out a label that the plans do not hold, as medvision_bm does, instead of making it a group.
        unknown: labels that were not known, each with its number of samples.
        n_unnamed: samples whose label had no name for want of plans.
    """

    family: Family
    plans: Plans | None
    by: Grouping = "published"
    drops_unknown: bool = False
    unknown: dict[str, int] = field(default_factory=dict)
    n_unnamed: int = 0

    def rows(self, file: SampleFile, table: pa.Table) -> dict[str, _Rows]:
        """Row numbers of every group in a file, in the order of the rows."""
        if self.by == "box-size":
            return _by_box_size(table)
        found: dict[str, _Rows] = {}
        for values, rows in _distinct(table, self._fields()):
            name = self._name(file, values, len(rows))
            if name is not None:
                found[name] = np.sort(np.concatenate([found[name], rows])) if name in found else rows
        return found

    def _fields(self) -> tuple[str, ...]:
        if self.family.name == "AD":
            return ("metric_type", "metric_key")
        return ("slice_dim", "label", "task_id", "label_name", "modality")

    def _name(self, file: SampleFile, values: Sequence[Any], n: int) -> str | None:
        if self.family.name == "AD":
            return f"{file.dataset}_{values[0] or ''}_{values[1] if values[1] is not None else 'unnamed'}"
        plane, label, number = _PLANES.get(values[0], "?"), _decoded(values[1]), _number(_decoded(values[2]), file)
        kind: Literal["segmentation", "biometry"] = "segmentation" if self.family.is_box else "biometry"
        task = self.plans.task(file.dataset, kind, number) if self.plans else None
        if task is not None and not self.family.is_box:
            label = task.target_label
        modality = task.modality if task is not None else modality_code(values[4] or "?")
        # The recorded name is the one of the plan that the sample was read from.
        name = task.labels.get(label_text(label)) if task is not None else None if self.plans else values[3]
        if name is None:
            return self._unknown(file, modality, label, plane, n)
        tables = label_groups()
        known = (tables.coarse if self.family.is_box else tables.renamed).get(name)
        if known is None:
            self._count(f"label {name!r} of {file.dataset} is in no published group", n)
        return f"{known or name} @ {modality} ({plane})"

    def _unknown(self, file: SampleFile, modality: str, label: Any, plane: str, n: int) -> str | None:
        if self.plans is not None:
            self._count(f"label {label_text(label)} of {file.task} is in no plan", n)
        else:
            self.n_unnamed += n
        if self.drops_unknown:
            return None
        return f"{file.dataset} label {label_text(label)} @ {modality} ({plane})"

    def _count(self, what: str, n: int) -> None:
        self.unknown[what] = self.unknown.get(what, 0) + n


def _distinct(table: pa.Table, names: Sequence[str]) -> list[tuple[tuple[Any, ...], _Rows]]:
    """The distinct values of some columns, each with its row numbers."""
    if not len(table):
        return []
    encoded = [table[name].combine_chunks().dictionary_encode(null_encoding="encode") for name in names]
    codes = np.stack([column.indices.to_numpy(zero_copy_only=False) for column in encoded])
    unique, inverse = np.unique(codes, axis=1, return_inverse=True)
    order = np.argsort(inverse.ravel(), kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(inverse.ravel()))[:-1])
    dictionaries = [column.dictionary.to_pylist() for column in encoded]
    values = [tuple(words[code] for words, code in zip(dictionaries, row, strict=True)) for row in unique.T]
    return list(zip(values, parts, strict=True))


def _by_box_size(table: pa.Table) -> dict[str, _Rows]:
    ratio = table["box_ratio"].to_numpy()
    step = np.where(np.isnan(ratio), -1, np.floor(np.clip(ratio, 0, 1 - 1e-9) / BOX_SIZE_STEP + 1e-9))
    found = {}
    for value in np.unique(step):
        low = float(value) * BOX_SIZE_STEP
        name = "unknown box size" if value < 0 else f"box {low:.2f} to {low + BOX_SIZE_STEP:.2f} of the picture"
        found[name] = np.flatnonzero(step == value)
    return found


def _decoded(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _number(value: Any, file: SampleFile) -> int | None:
    """The task's number, from the record or from the file's name."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return file.number
