"""Stage source: lists of samples that a later release of MedVision removed, so that older results can leave them out.

In: ``DIR/<dataset>/NAME``, a JSON list of ``{image_file, slice_dim "x|y|z", slice_idx, task_ID}``.
Out: the keys of those samples.
"""

from __future__ import annotations

import json
from pathlib import Path

from mrarebench_hf.errors import DataFormatError

__all__ = ["DEFAULT_NAME", "SampleKey", "read_removed", "relative_to_dataset"]

DEFAULT_NAME = "multi_cluster_samples_v1.0.0_to_v1.1.0.json"
_AXES = {"x": 0, "y": 1, "z": 2}
# Volume relative to its dataset's folder, axis of the slice, its number, number of the task.
SampleKey = tuple[str, int, int, int]


def read_removed(path: Path) -> frozenset[SampleKey]:
    """Keys of the removed samples of one dataset; none without such a file.

    Raises:
        DataFormatError: when the file does not have this form.
    """
    if not path.is_file():
        return frozenset()
    try:
        entries = json.loads(path.read_bytes())
        return frozenset(
            (str(entry["image_file"]), _AXES[entry["slice_dim"]], int(entry["slice_idx"]), int(entry["task_ID"]))
            for entry in entries
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataFormatError(
            f"{path} is no list of {{image_file, slice_dim 'x|y|z', slice_idx, task_ID}}: {error!r}"
        ) from error


def relative_to_dataset(image_file: str, dataset: str) -> str:
    """A recorded path from its dataset's folder on, or the file's name when the folder is not in it.

    >>> relative_to_dataset("Data/Datasets/KiTS23/Images/a.nii.gz", "KiTS23")
    'Images/a.nii.gz'
    >>> relative_to_dataset("KiTS23/Images/a.nii.gz", "KiTS23")
    'Images/a.nii.gz'
    """
    before, found, after = f"/{image_file}".partition(f"/{dataset}/")
    return after if found else before.rpartition("/")[2]
