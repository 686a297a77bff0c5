"""Results trees of MedVision for tests: raw samples files as stage 1 writes them, and volumes with real headers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nibabel
import numpy as np

FILES = {
    "TL": "20250101_000000_samples_KiTS23_TumorLesionSize_Task01_Axial.jsonl",
    "AD": "20250101_000000_samples_Ceph-Biometrics-400_BiometricsFromLandmarks_Distance_Task01_Sagittal.jsonl",
    "Detection": "20250101_000000_samples_KiTS23_BoxCoordinate_Task01_Axial.jsonl",
}
TARGETS = {"TL": "[10.0, 8.0]", "AD": "40.0", "Detection": "[0.1, 0.2, 0.5, 0.6]"}
VOLUME = "Data/Datasets/KiTS23/Images/a.nii.gz"
PLANS = {
    "KiTS23": {
        "segmentation": [{"image_modality": "CT", "labels_map": {"1": "kidney", "2": "kidney tumor"}}],
        "biometry": [{"image_modality": "CT", "labels_map": {"1": "kidney", "2": "kidney tumor"}, "target_label": 2}],
    }
}


def line(family: str, doc_id: int, reply: str | None, target: str | None = None, **doc: Any) -> dict[str, Any]:
    """One raw line; entries of ``doc`` can be overridden, a None takes one away."""
    base = {
        "dataset_name": "KiTS23",
        "taskID": "01",
        "image_file": VOLUME,
        "slice_dim": 2,
        "slice_idx": 5,
        "label": "2",
        "image_size_2d": [30, 40],
        "pixel_size": [1.0, 1.0],
    }
    if family == "AD":
        base["biometric_profile"] = {"metric_type": "distance", "metric_key": "L1"}
    found = {name: value for name, value in {**base, **doc}.items() if value is not None}
    resps = [[reply]]
    return {"doc_id": doc_id, "doc": found, "target": target or TARGETS[family], "resps": resps, "extra": "kept"}


def write(model: Path, family: str, lines: Sequence[dict[str, Any] | str]) -> Path:
    """Write a model's raw file and its results; a text is written as it is."""
    model.mkdir(parents=True, exist_ok=True)
    path = model / FILES[family]
    path.write_text("".join((entry if isinstance(entry, str) else json.dumps(entry)) + "\n" for entry in lines))
    stamp, _, task = path.stem.partition("_samples_")
    results = {"results": {task: {"alias": task, "old": 1}}, "n-samples": {task: len(lines)}}
    (model / f"{stamp}_results.json").write_text(json.dumps(results))
    return path


def volume(root: Path, zooms: tuple[float, float, float] = (1.0, 1.0, 3.0)) -> None:
    """Write the volume that the lines name."""
    (root / VOLUME).parent.mkdir(parents=True, exist_ok=True)
    image = nibabel.Nifti1Image(np.zeros((30, 40, 8), np.uint8), np.eye(4))
    image.header.set_zooms(zooms)
    nibabel.save(image, root / VOLUME)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines, read strictly: NaN and Infinity are errors."""
    return [strict(text) for text in path.read_text().splitlines()]


def strict(text: str) -> Any:
    """The value of a strict JSON text."""
    return json.loads(text, parse_constant=_refuse)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
