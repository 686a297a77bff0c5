"""The file with the names of labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mrarebench_hf.errors import DataFormatError, DataNotFoundError
from mrarebench_hf.source.plans import read_plans


def _write(path: Path, document: Any) -> Path:
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def test_tasks_are_numbered_from_one(tmp_path: Path) -> None:
    task = {"image_modality": "MRI", "labels_map": {"1": "liver", "2.0": "x"}, "target_label": 1.0, "new": 3}
    document = {"A": {"segmentation": [{"image_modality": "CT"}, task], "biometry": [task]}, "B": {}}
    plans = read_plans(_write(tmp_path / "plans.json", document))
    found = plans.task("A", "biometry", 1)
    assert found is not None
    assert (found.modality, found.labels["1"], found.target_label) == ("MR", "liver", "1")
    first = plans.task("A", "segmentation", 1)
    assert first is not None
    assert (first.modality, dict(first.labels), first.target_label) == ("CT", {}, None)
    for dataset, number in (("A", 3), ("A", 0), ("A", None), ("B", 1), ("C", 1)):
        assert plans.task(dataset, "segmentation", number) is None


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "is no readable JSON file"),
        ([], "holds list, not an object"),
        ({"A": []}, "A.segmentation is no list of tasks"),
        ({"A": {"biometry": "x"}}, "A.biometry is no list of tasks"),
        ({"A": {"biometry": [{}, 3]}}, r"A.biometry\[1\] is no task"),
        ({"A": {"segmentation": [{"labels_map": []}]}}, r"A.segmentation\[0\] is no task"),
    ],
)
def test_a_file_of_another_form_is_named_with_the_place(tmp_path: Path, document: Any, message: str) -> None:
    with pytest.raises(DataFormatError, match=message):
        read_plans(_write(tmp_path / "plans.json", document))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"no plans file .*plans\.json"):
        read_plans(tmp_path / "plans.json")
