"""Slice entries of the demo plans: boxes and areas from a mask, axes of lesions by formula, measures of landmarks.

In: an array in RAS+ order with its grid, lesions or landmarks. Out: what a plan and a landmark file hold of one case,
ready for JSON, keyed ``slice_profiles_x`` to ``_z`` and ``slice_landmarks_x`` to ``_z``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mrarebench_hf.demo.ellipsoids import Ellipse, Ellipsoid, Grid, in_plane
from mrarebench_hf.errors import MissingDependencyError

__all__ = ["boxes", "landmark_entries", "lesion_entries", "regions"]

_AXES = "xyz"
_DIGITS = 3
# A release's smallest lesion in pixels: the first measured large ones only.
_FIRST_RELEASE = "1.0.0"
_LEAST_PX = {_FIRST_RELEASE: 200, "1.4.0": 20}
_LEAST_MAJOR_MM = 2.0

_Line: TypeAlias = tuple[Sequence[int], Sequence[int]]


def boxes(mask: NDArray[np.uint8], grid: Grid) -> dict[str, Any]:
    """Entries of a detection plan: of each slice and label one box per connected component."""
    found: dict[str, Any] = {}
    for slice_dim, axis in enumerate(_AXES):
        spacing = in_plane(grid.voxel_mm, slice_dim)
        entries = []
        for index, plane in enumerate(np.moveaxis(mask, slice_dim, 0)):
            if profile := _boxes_by_label(plane, spacing):
                entries.append({"slice_idx": index, "slice_profile": profile})
        found[f"slice_profiles_{axis}"] = entries
    found["profile_3D"] = _boxes_by_label(mask, grid.voxel_mm)
    return found


def _boxes_by_label(array: NDArray[np.uint8], spacing: Sequence[float]) -> list[dict[str, Any]]:
    # The planner reads masks as floats, so labels are written 1.0 and 2.0.
    return [{"label": float(label), "bboxes": _boxes(array == label, spacing)} for label in _labels(array)]


def _labels(array: NDArray[np.uint8]) -> list[int]:
    return [int(value) for value in np.unique(array) if value]


def _boxes(structure: NDArray[np.bool_], spacing: Sequence[float]) -> list[dict[str, Any]]:
    components, number = _components(structure)
    found = []
    for component in range(1, number + 1):
        places = np.argwhere(components == component)
        low, high = places.min(0), places.max(0)
        sides = high - low + 1
        found.append(
            {
                "min_coords": low.tolist(),
                "max_coords": high.tolist(),
                "center_coords": ((low + high) // 2).tolist(),
                "dimensions": sides.tolist(),
                "sizes": [round(int(side) * step, _DIGITS) for side, step in zip(sides, spacing, strict=True)],
                "mask_image_ratio": len(places) / structure.size,
            }
        )
    return found


def _components(structure: NDArray[np.bool_]) -> tuple[NDArray[np.int32], int]:
    """Connected by edges in a slice, by faces in a volume; numbered from 1."""
    try:
        from scipy import ndimage
    except ImportError as error:
        raise MissingDependencyError("scipy", "medvision", "the demo volumes") from error
    components, number = ndimage.label(structure)
    return components, int(number)


def regions(mask: NDArray[np.uint8], grid: Grid) -> dict[str, Any]:
    """Entries of a segmentation plan: of each slice and label its pixels and its area in mm²."""
    found: dict[str, Any] = {}
    for slice_dim, axis in enumerate(_AXES):
        rows_mm, columns_mm = in_plane(grid.voxel_mm, slice_dim)
        entries = []
        for index, plane in enumerate(np.moveaxis(mask, slice_dim, 0)):
            counts = [(label, int((plane == label).sum())) for label in _labels(plane)]
            profile = [
                {"label": float(label), "pixel_count": n, "ROI_area": round(n * rows_mm * columns_mm, _DIGITS)}
                for label, n in counts
            ]
            if profile:
                entries.append({"slice_idx": index, "slice_profile": profile})
        found[f"slice_profiles_{axis}"] = entries
    return found


def lesion_entries(
    structure: NDArray[np.bool_], grid: Grid, lesions: Sequence[Ellipsoid], release: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Entries of a tumor and lesion plan, and the landmark file of the case.

    Args:
        structure: voxels of the measured label.
        grid: their grid.
        lesions: the solids that the voxels were drawn from; they do not touch.
        release: "1.0.0" or "1.4.0". The first measures lesions from 200 pixels on, between end points rounded to
            voxels, and counts no clusters; the other measures them from 20 pixels on, by their axes.
    """
    profiles: dict[str, Any] = {}
    landmarks: dict[str, Any] = {}
    for slice_dim, axis in enumerate(_AXES):
        entries, points = [], []
        for index, plane in enumerate(np.moveaxis(structure, slice_dim, 0)):
            clusters, number = _components(plane)
            cuts = [lesion.cut(slice_dim, grid.position_mm(slice_dim, index)) for lesion in lesions]
            found = _measured(clusters, [cut for cut in cuts if cut is not None], grid, slice_dim, release)
            if not found:
                continue
            entry: dict[str, Any] = {"slice_idx": index}
            if release != _FIRST_RELEASE:
                entry["n_total_clusters"] = number
            entries.append({**entry, "slice_profile": [_two_axes(axes, slice_dim) for _, axes in found]})
            points.append({**entry, "landmarks": [mark for mark, _ in found]})
        profiles[f"slice_profiles_{axis}"] = entries
        landmarks[f"slice_landmarks_{axis}"] = points
    return profiles, landmarks


def _measured(
    clusters: NDArray[np.int32], cuts: Sequence[Ellipse], grid: Grid, slice_dim: int, release: str
) -> list[tuple[dict[str, Any], list[float]]]:
    """Landmarks and axes of the lesions in one slice that are large enough, the largest first."""
    least_mm = max(_LEAST_MAJOR_MM, 2 * max(in_plane(grid.voxel_mm, slice_dim)))
    found = []
    for cut in cuts:
        row, column = in_plane(grid.voxel_at(cut.center_mm), slice_dim)
        cluster = clusters[int(row), int(column)]
        pixels = int((clusters == cluster).sum())
        if not cluster or pixels < _LEAST_PX[release] or cut.axes_mm[0] < least_mm:
            continue
        ends = [sorted((grid.voxel_at(end) for end in pair), reverse=True) for pair in cut.ends_mm]
        mark: dict[str, Any] = dict(zip(("P1", "P2", "P3", "P4"), (*ends[0], *ends[1]), strict=True))
        mark["ROI_pixels_count"] = pixels
        if release == _FIRST_RELEASE:
            axes = [_distance_mm(first, second, grid) for first, second in ends]
        else:
            axes = [round(length, _DIGITS) for length in cut.axes_mm]
            mark["measurements"] = dict(zip(("L-1-2", "L-3-4"), axes, strict=True))
        found.append((mark, axes))
    return sorted(found, key=lambda pair: -int(pair[0]["ROI_pixels_count"]))


def _two_axes(axes: Sequence[float], slice_dim: int) -> list[dict[str, Any]]:
    return [_record(key, value, slice_dim) for key, value in zip(("L-1-2", "L-3-4"), axes, strict=True)]


def landmark_entries(
    points: Mapping[str, tuple[int, int, int]], grid: Grid, slice_dim: int, keys: Mapping[str, Sequence[Sequence[str]]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Entries of a plan of angles and distances, and the landmark file of the case.

    Args:
        points: voxel indices of the landmarks, all in one slice.
        grid: the voxels.
        slice_dim: the axis across that slice.
        keys: of each measure its one line or its two lines, each as the keys of two landmarks.
    """
    profiles: dict[str, Any] = {f"slice_profiles_{axis}": [] for axis in _AXES}
    landmarks: dict[str, Any] = {f"slice_landmarks_{axis}": [] for axis in _AXES}
    [index] = {place[slice_dim] for place in points.values()}
    for key, lines in keys.items():
        ends = [(points[first], points[second]) for first, second in lines]
        value = _distance_mm(*ends[0], grid=grid) if len(ends) == 1 else _angle_deg(ends[0], ends[1], grid)
        # The planner writes one entry per measure, so the number of the slice repeats.
        entry = {"slice_idx": index, "slice_profile": [_record(key, value, slice_dim)]}
        profiles[f"slice_profiles_{_AXES[slice_dim]}"].append(entry)
    landmarks[f"slice_landmarks_{_AXES[slice_dim]}"] = [{"slice_idx": index, "landmarks": dict(points)}]
    return profiles, landmarks


def _record(key: str, value: float, slice_dim: int) -> dict[str, Any]:
    kind = "angle" if key.startswith("A-") else "distance"
    return {
        "metric_type": kind,
        "metric_map_name": "angles_map" if kind == "angle" else "lines_map",
        "metric_key": key,
        "metric_value": value,
        "metric_unit": "degree" if kind == "angle" else "mm",
        "slice_dim": slice_dim,
    }


def _vector_mm(first: Sequence[int], second: Sequence[int], grid: Grid) -> NDArray[np.float64]:
    vector: NDArray[np.float64] = (np.array(second) - np.array(first)) * np.array(grid.voxel_mm)
    return vector


def _distance_mm(first: Sequence[int], second: Sequence[int], grid: Grid) -> float:
    return round(float(np.linalg.norm(_vector_mm(first, second, grid))), _DIGITS)


def _angle_deg(one: _Line, other: _Line, grid: Grid) -> float:
    """Between two lines, so never obtuse."""
    u, v = _vector_mm(*one, grid=grid), _vector_mm(*other, grid=grid)
    cosine = abs(float(u @ v)) / float(np.linalg.norm(u) * np.linalg.norm(v))
    return round(float(np.degrees(np.arccos(min(1.0, cosine)))), _DIGITS)
