"""Stage source: what MedVision's dataset package says of its tasks: modality, names of labels, measured label.

In: a JSON file ``{dataset: {"segmentation": [task, ...], "biometry": [task, ...]}}`` whose tasks hold
``image_modality``, ``labels_map`` and, for biometry, ``target_label``. Out: ``Plans``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mrarebench_hf.errors import DataFormatError, DataNotFoundError

__all__ = ["PlanTask", "Plans", "label_text", "modality_code", "read_plans"]

_MODALITIES = {"mri": "MR", "ultrasound": "US", "x-ray": "XR"}


@dataclass(frozen=True, slots=True)
class PlanTask:
    """One task of a dataset.

    Attributes:
        modality: "CT", "MR", "US", "XR", "PET", ...
        labels: label as text → name of the structure.
        target_label: the label that is measured, as text; None for segmentation.
    """

    modality: str
    labels: Mapping[str, str]
    target_label: str | None


@dataclass(frozen=True, slots=True)
class Plans:
    """Tasks by dataset and kind."""

    tasks: Mapping[tuple[str, str], tuple[PlanTask, ...]]

    def task(self, dataset: str, kind: Literal["segmentation", "biometry"], number: int | None) -> PlanTask | None:
        """The task with a number, counted from 1; None when the plans have none."""
        found = self.tasks.get((dataset, kind), ())
        return found[number - 1] if number is not None and 1 <= number <= len(found) else None


def read_plans(path: Path) -> Plans:
    """Read a plans file.

    Raises:
        DataNotFoundError: when there is no such file.
        DataFormatError: when it does not have this form; the place is named.
    """
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise DataNotFoundError(f"no plans file {path}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise DataFormatError(f"{path} is no readable JSON file: {error}") from error
    if not isinstance(document, dict):
        raise DataFormatError(f"{path} holds {type(document).__name__}, not an object of datasets")
    found = {}
    for dataset, kinds in document.items():
        for kind in ("segmentation", "biometry"):
            entries = kinds.get(kind, []) if isinstance(kinds, dict) else None
            if not isinstance(entries, Sequence) or isinstance(entries, str):
                raise DataFormatError(f"{path}: {dataset}.{kind} is no list of tasks")
            where = f"{path}: {dataset}.{kind}"
            found[dataset, kind] = tuple(_task(entry, f"{where}[{n}]") for n, entry in enumerate(entries))
    return Plans(found)


def _task(entry: Any, where: str) -> PlanTask:
    if not isinstance(entry, dict) or not isinstance(entry.get("labels_map", {}), dict):
        raise DataFormatError(f"{where} is no task: it needs 'image_modality' and 'labels_map'")
    target = entry.get("target_label")
    return PlanTask(
        modality_code(str(entry.get("image_modality", "?"))),
        {label_text(label): str(name) for label, name in entry.get("labels_map", {}).items()},
        None if target is None else label_text(target),
    )


def modality_code(name: str) -> str:
    """A modality as groups are called by it.

    >>> modality_code("MRI"), modality_code("CT")
    ('MR', 'CT')
    """
    return _MODALITIES.get(name.lower(), name)


def label_text(label: Any) -> str:
    """A label as text: plans and records write 2, 2.0 and "2" for one label.

    >>> label_text(2.0), label_text("2")
    ('2', '2')
    """
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)
