"""Plans and landmark files of MedVision, written by hand as its format has them; one volume of 60×80×40 voxels."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

__all__ = [
    "angle_task",
    "box",
    "boxes_task",
    "case",
    "distance",
    "ellipse",
    "landmark_files",
    "lesion_task",
    "write_gz",
    "write_plan",
]

Json = dict[str, Any]


def write_gz(path: Path, document: Any) -> Path:
    """A gzip file of JSON; NaN is written bare."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(json.dumps(document).encode(), mtime=0))
    return path


def write_plan(data_dir: Path, kind: str, *tasks: Json, version: str = "1.4.0", dataset: str = "Toy") -> Path:
    """A plan in its place below the data folder."""
    document = {
        "dataset_info": {"dataset": dataset, "dataset_website": "", "dataset_data": [], "license": [], "paper": []},
        "tasks_number": len(tasks),
        "tasks": list(tasks),
        "a key of a later release": {"x": 1},
    }
    return write_gz(data_dir / "Datasets" / dataset / f"benchmark_plan_{kind}_v{version}.json.gz", document)


def case(name: str = "a", mask: bool = True, landmarks: str | None = None, **profiles: list[Json]) -> Json:
    """A case; ``z=[…]`` gives the entries of the axial plane."""
    info = {"voxel_size": [1.0, 1.0, 2.5], "affine": [], "orientation": ["R", "A", "S"], "array_size": [60, 80, 40]}
    found: Json = {"case_ID": f"case_{name}", "image_file": f"Images/{name}.nii.gz", "image_file_info": info}
    if mask:
        found |= {"mask_file": f"Masks/{name}.nii.gz", "mask_file_info": dict(info)}
    if landmarks:
        found["landmark_file"] = landmarks
    return found | {f"slice_profiles_{axis}": entries for axis, entries in profiles.items()}


def _task(kind: str, test: list[Json], train: list[Json] | None, **more: Any) -> Json:
    return {
        "task_ID": "01",
        "task_type": kind,
        "image_modality": "MRI",
        "image_description": "a brain MR slice",
        "labels_map": {"1": "white matter", "2": "brain lesion"},
        "train_cases": train or [],
        "test_cases": test,
        "later": None,
        **more,
    }


def box(first: tuple[int, int] = (20, 30), last: tuple[int, int] = (33, 49)) -> Json:
    """One box of the detection plan."""
    sides = [b - a + 1 for a, b in zip(first, last, strict=True)]
    return {
        "min_coords": list(first),
        "max_coords": list(last),
        "center_coords": [(a + b) // 2 for a, b in zip(first, last, strict=True)],
        "dimensions": sides,
        "sizes": [float(side) for side in sides],
        "mask_image_ratio": 0.04354,
    }


def boxes_task(*test: Json, train: list[Json] | None = None) -> Json:
    """A task of boxes."""
    return _task("detection", list(test), train)


def distance(value: float, key: str, slice_dim: int = 2) -> Json:
    """One record of a distance."""
    return {
        "metric_type": "distance",
        "metric_map_name": "lines_map",
        "metric_key": key,
        "metric_value": value,
        "metric_unit": "mm",
        "slice_dim": slice_dim,
    }


def ellipse(major: float, minor: float) -> list[Json]:
    """Both axes of one ellipse."""
    return [distance(major, "L-1-2"), distance(minor, "L-3-4")]


def _lines(names: tuple[str, str] = ("", "")) -> Json:
    pairs = ("P1", "P2"), ("P3", "P4")
    return {
        f"L-{a[1]}-{b[1]}": {"name": name, "element_keys": [a, b], "element_map_name": "landmarks_map"}
        for (a, b), name in zip(pairs, names, strict=True)
    }


def lesion_task(*test: Json, train: list[Json] | None = None) -> Json:
    """A task of ellipses of label 2."""
    return _task("biometry", list(test), train, target_label=2, cluster_size_threshold=20, lines_map=_lines())


def angle_task(*test: Json, train: list[Json] | None = None) -> Json:
    """A task of one distance and one angle between four landmarks; the given case, or the specified one."""
    angle = {
        "metric_type": "angle",
        "metric_map_name": "angles_map",
        "metric_key": "A-L_1_2-L_3_4",
        "metric_value": 75.964,
        "metric_unit": "degree",
        "slice_dim": 1,
    }
    slices = [
        {"slice_idx": 33, "slice_profile": [distance(41.231, "L-3-4", 1)]},
        {"slice_idx": 33, "slice_profile": [angle]},
    ]
    return _task(
        "biometry",
        list(test) or [case(mask=False, landmarks="Landmarks/a.json.gz", y=slices, x=[], z=[])],
        train,
        labels_map={},
        landmarks_map={"P1": "the left end", "P2": "the right end", "P3": "the crown", "P4": "the chin"},
        lines_map=_lines(("width", "height")),
        angles_map={
            "A-L_1_2-L_3_4": {"name": "tilt", "element_keys": ["L-1-2", "L-3-4"], "element_map_name": "lines_map"}
        },
    )


def landmark_files() -> dict[str, Json]:
    """The landmark file of a lesion and that of given landmarks, as objects."""
    points = {"P1": [31, 48, 17], "P2": [22, 30, 17], "P3": [32, 36, 17], "P4": [21, 42, 17]}
    measured = {**points, "ROI_pixels_count": 209, "measurements": {"L-1-2": 20.6, "L-3-4": 12.9}}
    given = {"P1": [10, 33, 8], "P2": [50, 33, 8], "P3": [30, 33, 20], "P4": [20, 33, 4]}
    return {
        "lesion": {
            "slice_landmarks_x": [],
            "slice_landmarks_y": [],
            "slice_landmarks_z": [{"slice_idx": 17, "n_total_clusters": 1, "landmarks": [measured]}],
        },
        "given": {
            "slice_landmarks_x": [],
            "slice_landmarks_z": [],
            "slice_landmarks_y": [{"slice_idx": 33, "landmarks": given}],
        },
    }
