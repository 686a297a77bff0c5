"""Plans of the demo volumes: the frame around the slice entries, and each case's landmark file.

In: the cases. Out: documents ready for JSON, keyed by their path below the dataset's folder. The form is that of
MedVision's planner.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mrarebench_hf.demo.ellipsoids import Grid
from mrarebench_hf.demo.phantoms import KIDNEY, TUMOR, Abdomen, Head
from mrarebench_hf.demo.slice_profiles import boxes, landmark_entries, lesion_entries, regions

__all__ = ["IMAGE", "MASK", "abdomen_documents", "head_documents"]

# Where a case's files lie below the dataset's folder.
IMAGE = "Images/{}_image.nii.gz"
MASK = "Masks/{}_mask.nii.gz"
_DIGITS = 3
_SPLIT_SEED = 1024
_TRAIN_SHARE = 0.7
_LABELS = {str(KIDNEY): "kidney", str(TUMOR): "kidney tumor"}
_SAGITTAL = 0
# Release of the lesion measures → folder of their landmarks; boxes and landmarks of heads did not change.
_LESION_FOLDERS = {"1.0.0": "Landmarks-Label2", "1.4.0": "Landmarks-Label2-v1.4.0"}
_LESION_POINTS = {
    "P1": "first end of the major axis",
    "P2": "second end of the major axis",
    "P3": "first end of the minor axis",
    "P4": "second end of the minor axis",
}
_HEAD_POINTS = {
    "P1": "anterior end of the corpus callosum",
    "P2": "posterior end of the corpus callosum",
    "P3": "lower end of the brain stem",
    "P4": "upper end of the brain stem",
}
_LINES = {"L-1-2": ("P1", "P2"), "L-3-4": ("P3", "P4")}
_ANGLE = "A-L_1_2-L_3_4"

_Case = TypeVar("_Case", Abdomen, Head)


def abdomen_documents(cases: Sequence[Abdomen], masks: Mapping[str, NDArray[np.uint8]]) -> dict[str, Any]:
    """Three kinds of plan, lesions in two releases, and the landmark files of both.

    Args:
        cases: the CT cases.
        masks: by name of the case, in RAS+ order.
    """
    documents: dict[str, Any] = {}
    frames = {case.case_id: _case(case.case_id, case.grid, masked=True) for case in cases}
    frame = _frame("CT", "an abdominal CT slice of a computer-made phantom", _LABELS, masked=True)
    for kind, entries in (("detection", boxes), ("segmentation", regions)):
        found = [frames[case.case_id] | entries(masks[case.case_id], case.grid) for case in cases]
        documents[_plan_name(kind, "1.0.0")] = _plan("DemoCT", kind, frame, found)
    for release, folder in _LESION_FOLDERS.items():
        found = []
        for case in cases:
            structure = masks[case.case_id] == TUMOR
            profile, landmarks = lesion_entries(structure, case.grid, case.lesions, release)
            found.append(frames[case.case_id] | _landmark_file(folder, case.case_id) | profile)
            documents[found[-1]["landmark_file"]] = landmarks
        documents[_plan_name("biometry", release)] = _plan("DemoCT", "biometry", frame | _lesions(release), found)
    return documents


def head_documents(cases: Sequence[Head]) -> dict[str, Any]:
    """The plan of angles and distances, and the landmark files."""
    documents: dict[str, Any] = {}
    folder = "Landmarks"
    keys = {key: (line,) for key, line in _LINES.items()} | {_ANGLE: tuple(_LINES.values())}
    found = []
    for case in cases:
        profile, landmarks = landmark_entries(case.landmarks(), case.grid, _SAGITTAL, keys)
        frame = _case(case.case_id, case.grid, masked=False)
        found.append(frame | _landmark_file(folder, case.case_id) | profile)
        documents[found[-1]["landmark_file"]] = landmarks
    frame = _frame("MRI", "a T1-weighted head MR slice of a computer-made phantom", {}, masked=False)
    names = {"L-1-2": "length of the corpus callosum", "L-3-4": "length of the brain stem"}
    angles = {
        _ANGLE: {
            "name": "angle between corpus callosum and brain stem",
            "element_keys": list(_LINES),
            "element_map_name": "lines_map",
        }
    }
    measures = _measures(folder, _HEAD_POINTS, names, angles, {"slice_dim": _SAGITTAL})
    documents[_plan_name("biometry", "1.0.0")] = _plan("DemoMR", "biometry", frame | measures, found)
    return documents


def _plan_name(kind: str, release: str) -> str:
    return f"benchmark_plan_{kind}_v{release}.json.gz"


def _plan(dataset: str, kind: str, frame: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A plan with one task; its cases are shuffled and split as the planner does it, by file."""
    order = sorted(cases, key=lambda case: str(case["image_file"]))
    random.Random(_SPLIT_SEED).shuffle(order)
    n_train = int(_TRAIN_SHARE * len(order))
    task = {
        "task_ID": "01",
        "task_type": kind,
        **frame,
        "train_cases_number": n_train,
        "test_cases_number": len(order) - n_train,
        "train_cases": order[:n_train],
        "test_cases": order[n_train:],
    }
    about = {"dataset": dataset, "dataset_website": "", "dataset_data": [], "license": ["Apache-2.0"], "paper": []}
    return {"dataset_info": about, "tasks_number": 1, "tasks": [task]}


def _frame(modality: str, description: str, labels: Mapping[str, str], *, masked: bool) -> dict[str, Any]:
    image_folder, image_suffix = IMAGE.split("/{}")
    mask_folder, mask_suffix = MASK.split("/{}") if masked else ("", "")
    return {
        "image_modality": modality,
        "image_description": description,
        "image_folder": image_folder,
        "mask_folder": mask_folder,
        "image_prefix": "",
        "image_suffix": image_suffix,
        "mask_prefix": "",
        "mask_suffix": mask_suffix,
        "labels_map": dict(labels),
    }


def _lesions(release: str) -> dict[str, Any]:
    measures = _measures(_LESION_FOLDERS[release], _LESION_POINTS, dict.fromkeys(_LINES, ""), {}, {})
    first = {"target_label": TUMOR, "cluster_size_threshold": 200}
    late = {"target_label": TUMOR, "cluster_size_threshold": 20, "min_major_axis_mm": 2.0}
    return measures | (first if release == "1.0.0" else late)


def _measures(
    folder: str,
    points: Mapping[str, str],
    names: Mapping[str, str],
    angles: Mapping[str, Any],
    where: Mapping[str, int],
) -> dict[str, Any]:
    """What a biometry task says of its landmarks and of what is measured between them."""
    lines = {
        key: {"name": names[key], "element_keys": list(ends), "element_map_name": "landmarks_map"}
        for key, ends in _LINES.items()
    }
    kinds = [("distance", "lines_map", key) for key in lines] + [("angle", "angles_map", key) for key in angles]
    return {
        "landmark_folder": folder,
        "landmark_figure_folder": folder.replace("Landmarks", "Landmarks-fig", 1),
        "landmark_prefix": "",
        "landmark_suffix": ".json.gz",
        "landmarks_map": dict(points),
        "lines_map": lines,
        "angles_map": dict(angles),
        "biometrics_map": [
            {"metric_type": kind, "metric_map_name": table, "metric_key": key, **where} for kind, table, key in kinds
        ],
    }


def _case(case_id: str, grid: Grid, *, masked: bool) -> dict[str, Any]:
    """The files of a case and their geometry, always in RAS+ order whatever the order on disk."""
    case = {"case_ID": case_id, "image_file": IMAGE.format(case_id), "image_file_info": _geometry(grid)}
    if masked:
        case |= {"mask_file": MASK.format(case_id), "mask_file_info": _geometry(grid)}
    return case


def _geometry(grid: Grid) -> dict[str, Any]:
    return {
        "voxel_size": [round(step, _DIGITS) for step in grid.voxel_mm],
        "affine": np.round(grid.affine, _DIGITS).tolist(),
        "orientation": ["R", "A", "S"],
        "array_size": list(grid.size),
    }


def _landmark_file(folder: str, case_id: str) -> dict[str, str]:
    return {"landmark_file": f"{folder}/{case_id}.json.gz"}
