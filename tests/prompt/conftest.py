"""What the tests of MedVision's prompts share: one invented sample of each kind, and the names of the variants."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mrarebench_hf.measured import Measure, MeasuredSample
from mrarebench_hf.measured_names import TaskName, parse_task

LANDMARKS = (
    ("P1", "the sella turcica"),
    ("P2", "the nasion"),
    ("P3", "the gonion"),
    ("P4", "the menton"),
)
# Kind → base of a task's name, family, structure, unit, measure, description.
KINDS: dict[str, tuple[str, str, str, str, Measure | None, str]] = {
    "box": ("KiTS23_BoxCoordinate_Task01_Axial", "Detection", "left kidney", "", None, "an abdominal CT slice"),
    "ellipse": ("KiTS23_TumorLesionSize_Task01_Axial", "TL", "kidney tumor", "mm", None, "an abdominal CT slice"),
    "distance": (
        "Ceph-Biometrics-400_BiometricsFromLandmarks_Distance_Task01_Sagittal",
        "AD",
        "",
        "mm",
        Measure("distance", "L-1-2", "anterior cranial base", (("P1", "P2"),), LANDMARKS),
        "a lateral cephalogram",
    ),
    "angle": (
        "Ceph-Biometrics-400_BiometricsFromLandmarks_Angle_Task01_Sagittal",
        "AD",
        "",
        "degree",
        Measure("angle", "A-L_1_2-L_3_4", "mandibular plane angle", (("P1", "P2"), ("P3", "P4")), LANDMARKS),
        "a lateral cephalogram",
    ),
}


def _sample(kind: str) -> MeasuredSample:
    _, family, structure, unit, measure, description = KINDS[kind]
    return MeasuredSample(
        sample_id=f"invented|{kind}",
        family=family,
        dataset="KiTS23",
        task_id="01",
        task_type="",
        plane="Axial",
        slice_dim=2,
        slice_idx=17,
        case_id="case",
        image_file="Datasets/KiTS23/Images/case.nii.gz",
        mask_file=None,
        landmark_file=None,
        modality="CT",
        description=description,
        label=2 if structure else None,
        label_name=structure,
        unit=unit,
        values=(),
        box_px=None,
        measure=measure,
        array_size=(60, 80, 40),
        voxel_mm=(1.0, 1.0, 2.5),
        release="1.4.0",
    )


@pytest.fixture
def sample_of() -> Callable[[str], MeasuredSample]:
    """Kind of question → a sample of it."""
    return _sample


@pytest.fixture
def task_of() -> Callable[[str, str], TaskName]:
    """Kind of question and variant → the task's name."""
    return lambda kind, variant: parse_task(KINDS[kind][0] + variant)
