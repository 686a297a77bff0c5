"""The frozen records of MedVision that cross from one stage to the next; plain values.

Coordinates are zero-based array indices of a slice, row first; sizes and spacings are (rows, columns).
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Geometry", "Measure", "MeasuredSample", "View"]


@dataclass(frozen=True, slots=True)
class Geometry:
    """Size and spacing of a picture.

    Attributes:
        size_px: rows and columns.
        spacing_mm: millimetres per pixel along the rows' axis (downwards) and along the columns' axis (to the right).
    """

    size_px: tuple[int, int]
    spacing_mm: tuple[float, float]

    @property
    def diagonal_mm(self) -> float:
        """Length of the picture's diagonal in millimetres."""
        (rows, columns), (down, right) = self.size_px, self.spacing_mm
        return float(((rows * down) ** 2 + (columns * right) ** 2) ** 0.5)

    def scaled(self, factors: tuple[float, float]) -> Geometry:
        """The same pixels with their spacing multiplied, downwards and to the right."""
        (down, right), (down_by, right_by) = self.spacing_mm, factors
        return Geometry(self.size_px, (down * down_by, right * right_by))


@dataclass(frozen=True, slots=True)
class View:
    """What a model's processor makes of a picture.

    Attributes:
        canvas: rows and columns of the picture that reaches the model, padding included.
        content: rows and columns that the original picture takes in it; larger than the canvas where it is cropped.
    """

    canvas: tuple[float, float]
    content: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of landmarks, as a prompt describes it.

    Attributes:
        kind: "distance" or "angle".
        key: the plan's key of it.
        name: what it is called; "" where the plan has no name.
        lines: one line for a distance, two for an angle; of each the keys of its two landmarks.
        landmarks: key of a landmark → what it is.
    """

    kind: str
    key: str
    name: str
    lines: tuple[tuple[str, str], ...]
    landmarks: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class MeasuredSample:
    """One sample: what is measured on which slice, as the plan has it.

    Attributes:
        sample_id: ``dataset|taskID|taskType|plane|slice|case|label or metric key|release``; stable.
        family: "Detection", "TL" or "AD".
        dataset: name of the source dataset.
        task_id: the dataset's own task number, "01".
        task_type: "Box-Size", "Tumor-Lesion-Size", "Biometrics-From-Landmarks", the last also with "-Distance" or
            "-Angle".
        plane: "Sagittal", "Coronal" or "Axial".
        slice_dim: the axis that is cut, 0 to 2, in RAS+ orientation.
        slice_idx: number of the slice along it.
        case_id: the plan's name of the case.
        image_file: path of the volume below the data folder, ``Datasets/<dataset>/…``.
        mask_file: likewise of the mask; None where the case has none.
        landmark_file: likewise of the landmarks; None where the case has none.
        modality: "CT", "MRI", … as the plan writes it.
        description: what the picture is, for the prompt; may be empty.
        label: the structure's value in the mask; None for measures of landmarks.
        label_name: the structure's name; "" for measures of landmarks.
        unit: "" for boxes, "mm", "degree".
        values: the plan's numbers: major and minor axis, one measure, or none for boxes.
        box_px: first row, first column, last row, last column, all inclusive; None but for boxes.
        measure: what is measured between landmarks; None but for angles and distances.
        array_size: voxels along the three axes, as the plan has them.
        voxel_mm: millimetres along the three axes, as the plan has them.
        release: version of the plan file that the sample was read from.
    """

    sample_id: str
    family: str
    dataset: str
    task_id: str
    task_type: str
    plane: str
    slice_dim: int
    slice_idx: int
    case_id: str
    image_file: str
    mask_file: str | None
    landmark_file: str | None
    modality: str
    description: str
    label: int | None
    label_name: str
    unit: str
    values: tuple[float, ...]
    box_px: tuple[int, int, int, int] | None
    measure: Measure | None
    array_size: tuple[int, int, int]
    voxel_mm: tuple[float, float, float]
    release: str
