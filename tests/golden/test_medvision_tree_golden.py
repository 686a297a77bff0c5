"""The recorded results tree of medvision_bm: stages 2 and 3 under its profile give its files."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest

from mrarebench_hf.families import get
from mrarebench_hf.pipeline.measured_file import Reading
from mrarebench_hf.pipeline.measurement_summary import Summarizing, summarize_measurements
from mrarebench_hf.pipeline.measurements import parse_measurements

_FOLDER = Path(__file__).parent / "medvision"
_MODEL = "alpha-VL-7B"
_TASKS = {
    "MedVision-AD": "AD",
    "MedVision-AD-CoT-scaledPS": "AD",
    "MedVision-TL": "TL",
    "MedVision-TL-CoT-scaledPS": "TL",
    "MedVision-detect": "Detection",
}


def _read(name: str) -> Any:
    return json.loads(gzip.decompress((_FOLDER / name).read_bytes()))


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    found: dict[str, Any] = _read("tree.json.gz")
    return found


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory, recorded: dict[str, Any]) -> Path:
    """The tree on disk: raw lines, volumes with the recorded headers, plans; both stages are run."""
    root = tmp_path_factory.mktemp("tree")
    (root / "plans.json").write_text(json.dumps(recorded["plans"]))
    for name, (shape, zooms) in recorded["volumes"].items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        volume = nibabel.Nifti1Image(np.zeros(shape, np.uint8), np.eye(4))
        volume.header.set_zooms(zooms)
        nibabel.save(volume, root / name)
    for name, pairs in recorded["files"].items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line, _ in pairs))
        stamp, _, task = path.stem.partition("_samples_")
        (path.parent / f"{stamp}_results.json").write_text(json.dumps({"results": {task: {"alias": task}}}))
    for task, family in _TASKS.items():
        reading = Reading(get(family), profile="medvision_bm", data_root=root)
        parse_measurements(reading, task_dir=root / task)
        how = Summarizing(get(family), profile="medvision_bm", plans=root / "plans.json", data_root=root)
        summarize_measurements(how, task_dir=root / task)
    return root


def _null(value: Any) -> Any:
    """The recorded value in strict JSON: what is not finite is null."""
    if isinstance(value, dict):
        return {name: _null(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_null(entry) for entry in value]
    return None if value in ("nan", "inf", "-inf") or (isinstance(value, float) and not math.isfinite(value)) else value


def _assert_close(ours: Any, theirs: Any, where: str) -> None:
    """Equal to 1e-9 relative, and in form."""
    if isinstance(theirs, dict):
        assert isinstance(ours, dict), where
        assert ours.keys() == theirs.keys(), where
        for name, value in theirs.items():
            _assert_close(ours[name], value, f"{where} {name}")
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), where
        for place, value in enumerate(theirs):
            _assert_close(ours[place], value, f"{where} {place}")
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12), where
    else:
        assert ours == theirs, where


def test_every_parsed_line_is_as_recorded(tree: Path, recorded: dict[str, Any]) -> None:
    compared = 0
    for name, pairs in recorded["files"].items():
        path = tree / name
        ours = [json.loads(line) for line in (path.parent / "parsed" / path.name).read_text().splitlines()]
        theirs = sorted(pairs, key=lambda pair: pair[0]["doc_id"])
        assert len(ours) == len(theirs)
        for line, (raw, expected) in zip(ours, theirs, strict=True):
            assert (line["doc_id"], line["target"], line["resps"]) == (raw["doc_id"], raw["target"], raw["resps"])
            found = {key: value for key, value in line.items() if key in expected}
            # A stored nMAE stands as the raw line has it, a text included.
            kept = {"nMAE": raw["nMAE"]} if "nMAE" in raw else {}
            _assert_close(_null(found), _null(expected | kept), f"{name} {raw['doc_id']}")
            compared += 1
    assert compared == 4800


def test_our_parsed_lines_hold_what_the_recorded_ones_do_and_no_more(tree: Path, recorded: dict[str, Any]) -> None:
    for name, pairs in recorded["files"].items():
        path = tree / name
        line = json.loads((path.parent / "parsed" / path.name).read_text().splitlines()[0])
        raw, expected = min(pairs, key=lambda pair: pair[0]["doc_id"])
        assert set(line) == set(raw) | set(expected)


def test_every_results_file_is_as_recorded(tree: Path) -> None:
    compared = 0
    for task, found in _read("summaries.json.gz").items():
        expected = found["models"][_MODEL]["stage2_results_json"]
        for path in (tree / task / _MODEL / "parsed").glob("*_results.json"):
            ((name, ours),) = json.loads(path.read_text())["results"].items()
            assert list(ours) == ["alias", *expected[name]]
            for metric, value in expected[name].items():
                as_text = isinstance(value, str) and value not in ("nan", "N/A")
                found_value = float(ours[metric]) if as_text else ours[metric]
                _assert_close(found_value, float(value) if as_text else value, f"{name} {metric}")
                assert type(ours[metric]) is type(value)
            compared += 1
    assert compared == 24


def test_every_group_is_as_recorded(tree: Path) -> None:
    for task, found in _read("summaries.json.gz").items():
        folder = tree / task / _MODEL / "parsed"
        for name, expected in found["models"][_MODEL].items():
            if name.startswith("summary_metrics"):
                ours = json.loads((folder / f"{name}.json").read_text())
                for document in (ours, expected):  # the order of groups is that of a folder
                    for kind in ("anatomy", "T/L"):
                        if kind in document:
                            document[kind]["regions"].sort()
                            document[kind].pop("detailed_data", None)  # the groups once more; not recorded
                _assert_close(ours, _null(expected), f"{task} {name}")


def test_every_printed_mean_is_as_recorded(tree: Path) -> None:
    names = {"SR": "SuccessRate"}
    for task, found in _read("summaries.json.gz").items():
        printed = found["models"][_MODEL].get("overall_printed_4dp")
        if printed is None:
            continue
        family = get(_TASKS[task])
        document = json.loads((tree / task / f"summary_{family.summary}.json").read_text())
        rows = document["models"][_MODEL]["overall"]
        for label, row in {"all": printed, **printed.get("groups", {})}.items():
            for name, text in row.items():
                if isinstance(text, str) and name != "samples":
                    ours = rows[label][names.get(name, name)]
                    assert ("nan" if ours is None else f"{ours:.4f}") == text, f"{task} {label} {name}"
