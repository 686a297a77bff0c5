"""Writes a small data folder of MedVision's form: NIfTI volumes, masks, plans and landmarks of two invented datasets.

In: a folder. Out: ``Datasets/DemoCT`` (boxes and tumor sizes) and ``Datasets/DemoMR`` (angles and distances) below it,
and task lists for them. Needs nibabel and scipy, the extra ``medvision``.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrarebench_hf.demo.ellipsoids import Grid
from mrarebench_hf.demo.phantoms import ABDOMENS, HEADS
from mrarebench_hf.demo.volume_plans import IMAGE, MASK, abdomen_documents, head_documents
from mrarebench_hf.errors import MissingDependencyError

__all__ = ["DEMO_TASKS", "write_task_lists", "write_volumes"]

# Name of a task list → task → its samples in the test split, release 1.4.0, after the benchmark's own filters.
DEMO_TASKS: Mapping[str, Mapping[str, int]] = {
    "tasks_MedVision-AD.json": {
        "DemoMR_BiometricsFromLandmarks_Distance_Task01_Sagittal": 4,
        "DemoMR_BiometricsFromLandmarks_Angle_Task01_Sagittal": 2,
    },
    "tasks_MedVision-TL.json": {"DemoCT_TumorLesionSize_Task01_Axial": 20},
    "tasks_MedVision-detect.json": {"DemoCT_BoxCoordinate_Task01_Axial": 39},
}


def write_volumes(folder: str | Path) -> None:
    """Write both datasets.

    Of DemoCT one case lies on disk in the order LAS, while its plan counts in RAS+ like all others. The same versions
    of the libraries write the same bytes every time.

    Args:
        folder: becomes the data folder, the one that holds ``Datasets``; made if absent.

    Raises:
        MissingDependencyError: when nibabel or scipy is not installed.
    """
    datasets = Path(folder) / "Datasets"
    masks = {case.case_id: case.mask() for case in ABDOMENS}
    root = datasets / "DemoCT"
    for case in ABDOMENS:
        for name, voxels in ((IMAGE, case.image()), (MASK, masks[case.case_id])):
            _write(root / name.format(case.case_id), _nifti(voxels, case.grid, flipped=case.flipped))
    for path, document in abdomen_documents(ABDOMENS, masks).items():
        _write(root / path, _json(document))
    root = datasets / "DemoMR"
    for head in HEADS:
        _write(root / IMAGE.format(head.case_id), _nifti(head.image(), head.grid))
    for path, document in head_documents(HEADS).items():
        _write(root / path, _json(document))


def write_task_lists(folder: str | Path) -> list[Path]:
    """Write one task list per family, ``{task: number of samples}``, and return their paths.

    Args:
        folder: where the files of ``DEMO_TASKS`` go; made if absent.
    """
    paths = []
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, counts in DEMO_TASKS.items():
        paths.append(Path(folder) / name)
        paths[-1].write_text(json.dumps(dict(counts), indent=2) + "\n", encoding="utf-8")
    return paths


def _json(document: Any) -> bytes:
    return json.dumps(document).encode("utf-8")


def _nifti(voxels: NDArray[np.int16] | NDArray[np.uint8], grid: Grid, *, flipped: bool = False) -> bytes:
    """A volume as a file; flipped, its first axis runs to the left and every voxel keeps its position."""
    try:
        import nibabel
    except ImportError as error:
        raise MissingDependencyError("nibabel", "medvision", "the demo volumes") from error
    affine = grid.affine
    if flipped:
        voxels = voxels[::-1]
        affine[0, 3] = grid.position_mm(0, grid.size[0] - 1)
        affine[0, 0] = -affine[0, 0]
    make: Any = nibabel.Nifti1Image
    volume = make(voxels, affine)
    volume.header.set_xyzt_units("mm")
    content: bytes = volume.to_bytes()
    return content


def _write(path: Path, content: bytes) -> None:
    """Compressed without a name and a time, so that equal content is an equal file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, buffer, mtime=0) as file:
        file.write(content)
    path.write_bytes(buffer.getvalue())
