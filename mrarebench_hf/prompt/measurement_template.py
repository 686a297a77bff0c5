"""Stage prompt: which wording of MedVision's prompts this is: a version for readers, a hash for records."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from mrarebench_hf import families
from mrarebench_hf.measured import Geometry, Measure, MeasuredSample
from mrarebench_hf.measured_names import TaskName
from mrarebench_hf.prompt.measurement import measurement_prompt

__all__ = ["TEMPLATE_VERSION", "template_hash"]

# Goes up with every change of a word or of the structure.
TEMPLATE_VERSION = "1"

_STATED = Geometry((384, 512), (0.75, 0.5))
_POINTS = (("P1", "point one"), ("P2", "point two"), ("P3", "point three"), ("P4", "point four"))
_LINES = (("P1", "P2"), ("P3", "P4"))
# Whether a chain of thought is asked for, and whether its steps are listed.
_VARIANTS = ((False, False), (True, False), (True, True))


def template_hash() -> str:
    """Hex SHA-256 over the prompts of invented samples of every kind in every variant.

    It changes with any word, with the order and with how numbers are written. Equal digests mean that equal samples
    give equal prompts.
    """
    prompts = [
        measurement_prompt(sample, _name(sample, cot, steps), _STATED)
        for sample in _samples()
        for cot, steps in _VARIANTS
    ]
    return hashlib.sha256(json.dumps(prompts, ensure_ascii=False).encode()).hexdigest()


def _name(sample: MeasuredSample, cot: bool, steps: bool) -> TaskName:
    return TaskName("", "", families.get(sample.family), None, 1, sample.plane, cot=cot, steps=steps)


def _samples() -> list[MeasuredSample]:
    tumour = _sample("TL", "mm")
    distance = Measure("distance", "L-1-2", "the measure", _LINES[:1], _POINTS)
    angle = Measure("angle", "A-L_1_2-L_3_4", "the measure", _LINES, _POINTS)
    landmarks = replace(_sample("AD", "mm"), label=None, label_name="", measure=distance)
    return [
        _sample("Detection", ""),
        tumour,
        replace(tumour, description=""),
        landmarks,
        replace(landmarks, unit="degree", measure=angle),
        replace(landmarks, measure=replace(distance, name="")),
    ]


def _sample(family: str, unit: str) -> MeasuredSample:
    return MeasuredSample(
        sample_id="invented",
        family=family,
        dataset="",
        task_id="01",
        task_type="",
        plane="Axial",
        slice_dim=2,
        slice_idx=0,
        case_id="",
        image_file="",
        mask_file=None,
        landmark_file=None,
        modality="",
        description="the description",
        label=1,
        label_name="the structure",
        unit=unit,
        values=(),
        box_px=None,
        measure=None,
        array_size=(1, 1, 1),
        voxel_mm=(1.0, 1.0, 1.0),
        release="",
    )
