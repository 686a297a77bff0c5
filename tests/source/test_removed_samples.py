"""Lists of samples that a later release removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrarebench_hf.errors import DataFormatError
from mrarebench_hf.source.removed_samples import read_removed, relative_to_dataset


def test_a_list_is_read_as_keys(tmp_path: Path) -> None:
    entries = [{"image_file": "Images/a.nii.gz", "slice_dim": "z", "slice_idx": 7, "task_ID": "1", "more": 0}]
    (tmp_path / "removed.json").write_text(json.dumps(entries))
    assert read_removed(tmp_path / "removed.json") == {("Images/a.nii.gz", 2, 7, 1)}
    assert read_removed(tmp_path / "none.json") == frozenset()


@pytest.mark.parametrize(
    "text", ["{", "3", "[3]", '[{"image_file": "a", "slice_dim": "w", "slice_idx": 1, "task_ID": 1}]']
)
def test_a_list_of_another_form_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "removed.json").write_text(text)
    with pytest.raises(DataFormatError, match=r"removed\.json is no list"):
        read_removed(tmp_path / "removed.json")


def test_a_path_counts_from_its_dataset() -> None:
    assert relative_to_dataset("Data/Datasets/KiTS23/Images/a.nii.gz", "KiTS23") == "Images/a.nii.gz"
    assert relative_to_dataset("elsewhere/a.nii.gz", "KiTS23") == "a.nii.gz"
