"""Samples of slices for tests, and volumes that hold an asymmetric marker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nibabel
import numpy as np

from mrarebench_hf.measured import MeasuredSample

VOLUME = "Datasets/Toy/Images/a.nii.gz"
# In RAS+ order; all sides and spacings differ.
SHAPE = (12, 20, 16)
ZOOMS = (0.5, 2.0, 3.0)


def sample(**changes: Any) -> MeasuredSample:
    """One sample of a CT slice, with some fields changed."""
    fields: dict[str, Any] = {
        "sample_id": "Toy|01|Box-Size|Axial|7|a|1|1.4.0",
        "family": "Detection",
        "dataset": "Toy",
        "task_id": "01",
        "task_type": "Box-Size",
        "plane": "Axial",
        "slice_dim": 2,
        "slice_idx": 7,
        "case_id": "a",
        "image_file": VOLUME,
        "mask_file": None,
        "landmark_file": None,
        "modality": "CT",
        "description": "",
        "label": 1,
        "label_name": "kidney",
        "unit": "",
        "values": (),
        "box_px": (1, 1, 4, 5),
        "measure": None,
        "array_size": SHAPE,
        "voxel_mm": ZOOMS,
        "release": "1.4.0",
    }
    return MeasuredSample(**{**fields, **changes})


def save(root: Path, values: np.ndarray[Any, Any], codes: str = "RAS", name: str = VOLUME) -> Path:
    """Write a volume that is known in RAS+ order, with its axes stored as the codes say."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    image = nibabel.Nifti1Image(values, np.diag([*ZOOMS, 1]))
    orientation = nibabel.orientations.axcodes2ornt(codes)
    turn = nibabel.orientations.ornt_transform(nibabel.io_orientation(image.affine), orientation)
    nibabel.save(image.as_reoriented(turn), path)
    assert nibabel.aff2axcodes(nibabel.load(path).affine) == tuple(codes)
    return path
