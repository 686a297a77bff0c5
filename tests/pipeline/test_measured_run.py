"""MedVision from plans and volumes to scores: what is right, what is asked anew, what fails and what is skipped."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest

from mrarebench_hf.errors import StoreError, UsageError
from mrarebench_hf.measured import View
from mrarebench_hf.model import Request, Settings, open_model
from mrarebench_hf.pipeline import measured_run
from mrarebench_hf.pipeline.measured_options import MeasuredOptions
from mrarebench_hf.pipeline.measured_run import run_measurements
from mrarebench_hf.records import ImagePart, Response
from mrarebench_hf.source.picture import size_px
from mrarebench_hf.source.task_list import read_tasks

BOXES = "DemoCT_BoxCoordinate_Task01_Axial"
LESIONS = "DemoCT_TumorLesionSize_Task01_Axial"
DISTANCES = "DemoMR_BiometricsFromLandmarks_Distance_Task01_Sagittal"
ANGLES = "DemoMR_BiometricsFromLandmarks_Angle_Task01_Sagittal"


class Stub:
    """A model that answers everything alike and counts what it is asked."""

    needs_references = False

    def __init__(self, settings: Settings, revision: str = "1") -> None:
        self.slug = "stub"
        self.generation: Mapping[str, Any] = {
            "temperature": settings.temperature,
            "max_new_tokens": settings.max_new_tokens,
            "system_prompt": settings.system_prompt,
        }
        self.revision = revision
        self.asked: list[Request] = []
        self.breaks_after: int | None = None

    def identity(self, task: str) -> Mapping[str, str | None]:
        return {"backend": "stub", "name": "stub", "revision": self.revision}

    def fit(self, task: str, references: Sequence[Mapping[str, Any]]) -> None:
        raise AssertionError("a model sees no references")

    def view(self, size_px: tuple[int, int]) -> View:
        return View(size_px, size_px)

    def generate(self, requests: Sequence[Request]) -> list[Response]:
        assert all(request.references is None for request in requests)
        if self.breaks_after is not None and len(self.asked) >= self.breaks_after:
            raise KeyboardInterrupt
        self.asked += requests
        return [Response(r.prompt.index, "ok", "<answer>30, 20</answer>", "stop") for r in requests]


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> list[Stub]:
    """The models that runs have opened, the newest last."""
    opened: list[Stub] = []

    def open_stub(spec: str, settings: Settings) -> Stub:
        opened.append(Stub(settings, spec.partition("@")[2] or "1"))
        return opened[-1]

    monkeypatch.setattr(measured_run, "open_model", open_stub)
    return opened


def options(data: Path, results: Path, *names: str, **changes: Any) -> MeasuredOptions:
    return MeasuredOptions(read_tasks(names or (LESIONS,)), "baseline:oracle", data, results_dir=results, **changes)


def model_folder(results: Path) -> Path:
    (folder,) = results.glob("*/*")
    return folder


def lines(results: Path, task: str = LESIONS) -> list[dict[str, Any]]:
    (path,) = model_folder(results).glob(f"*_samples_{task}.jsonl")
    return [json.loads(text) for text in path.read_text().splitlines()]


def summary(results: Path) -> dict[str, Any]:
    (path,) = model_folder(results).glob("parsed/summary_[dTA]*_Task.json")
    document = json.loads(path.read_text())
    (model,) = document["models"].values()
    overall: dict[str, Any] = model["overall"]["all"]
    return overall


@pytest.mark.parametrize(
    ("names", "metrics"),
    [
        ((BOXES,), {"IoU": 1, "F1": 1, "MAE": 0}),
        ((f"{BOXES}-CoT", "DemoCT_BoxSize_Task01_Axial_Train"), {"IoU": 1, "MAE": 0}),
        ((LESIONS, f"{LESIONS}-CoT-scaledPS"), {"MAE": 0, "MRE": 0, "nMAE": 0}),
        ((f"{LESIONS}-336x336", f"{LESIONS}-CoT-woInstruct"), {"MAE": 0, "MRE": 0, "nMAE": 0}),
        ((DISTANCES, ANGLES, f"{ANGLES}-CoT-scaledPS"), {"MAE": 0, "MRE": 0, "nMAE": 0}),
    ],
)
def test_the_oracle_is_right_on_every_family_through_the_whole_way(
    demo_volumes: Path, tmp_path: Path, names: tuple[str, ...], metrics: dict[str, float]
) -> None:
    outcome = run_measurements(options(demo_volumes, tmp_path, *names))
    assert (outcome.exit_code, outcome.notes) == (0, ())
    found = summary(tmp_path)
    assert {name: found[name] for name in metrics} == metrics
    assert found["SuccessRate"] == 1
    assert found["n_total"] == found["n_scored"] > 0
    assert "| all " in outcome.text


@pytest.mark.parametrize("model", ["random", "prior", "center", "refusal"])
def test_baselines_bracket_the_boxes(demo_volumes: Path, tmp_path: Path, model: str) -> None:
    run_measurements(replace(options(demo_volumes, tmp_path, BOXES), model=f"baseline:{model}"))
    found = summary(tmp_path)
    assert found["SuccessRate"] == (0 if model == "refusal" else 1)
    assert 0 <= found["IoU"] < 0.8


def test_a_baseline_of_boxes_is_refused_elsewhere(demo_volumes: Path, tmp_path: Path) -> None:
    outcome = run_measurements(replace(options(demo_volumes, tmp_path), model="baseline:center"))
    assert outcome.exit_code == 1
    assert "'center' answers with a box" in outcome.notes[0]


def test_a_scaled_task_states_and_compares_scaled_lengths(demo_volumes: Path, tmp_path: Path) -> None:
    scaled = f"{LESIONS}-CoT-scaledPS"
    run_measurements(options(demo_volumes, tmp_path, LESIONS, scaled))
    for plain, line in zip(lines(tmp_path), lines(tmp_path, scaled), strict=True):
        factor = line["pixel_size_scale"]["s_h"]
        assert line["pixel_size_scale"] == {"s_h": factor, "s_w": factor, "mode": "uniform"}
        assert 0.5 <= factor <= 3
        assert json.loads(line["target"]) == [value * factor for value in json.loads(plain["target"])]
        down, right = line["doc"]["pixel_size"]
        assert f"{right * factor:.3f} × {down * factor:.3f} mm" in line["input"]
    assert len({line["pixel_size_scale"]["s_h"] for line in lines(tmp_path, scaled)}) > 1


def test_factors_do_not_depend_on_where_the_data_lies(demo_volumes: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "another" / "place"
    shutil.copytree(demo_volumes, elsewhere)
    name = f"{ANGLES}-CoT-scaledPS"
    for data in (demo_volumes, elsewhere):
        run_measurements(options(data, tmp_path / data.name, name))
    assert lines(tmp_path / demo_volumes.name, name) == lines(tmp_path / "place", name)


def test_a_record_says_what_was_shown_and_of_which_release(demo_volumes: Path, tmp_path: Path) -> None:
    run_measurements(options(demo_volumes, tmp_path, limit=3))
    first = lines(tmp_path)[0]
    assert (
        first["run"] | {"limit": 3, "sample_policy": "first", "release": "1.4.0", "plan_version": "1.4.0"}
        == (first["run"])
    )
    doc = first["doc"]
    assert doc["sample_id"].startswith("DemoCT|01|Tumor-Lesion-Size|Axial|")
    assert doc["sample_id"].endswith("|2|1.4.0")
    header = nibabel.load(demo_volumes / doc["image_file"]).header  # type: ignore[attr-defined]
    assert doc["image_size_2d"] == list(header.get_data_shape()[:2])
    assert doc["pixel_size"] == [float(zoom) for zoom in header.get_zooms()[:2]]
    assert not doc["image_file"].startswith("/")
    assert len(json.loads(first["target"])) == 2


def test_releases_are_not_mixed(demo_volumes: Path, tmp_path: Path, stub: list[Stub]) -> None:
    run_measurements(options(demo_volumes, tmp_path, release="1.0.0", mode="infer"))
    old = lines(tmp_path)
    run_measurements(options(demo_volumes, tmp_path, mode="infer"))
    new = lines(tmp_path)
    assert [len(old), len(new)] == [11, 20]
    assert len(stub[1].asked) == 20
    assert {line["doc"]["release"] for line in old} == {"1.0.0"}


def test_br45_whatever_can_change_a_reply_is_asked_anew_and_nothing_else(
    demo_volumes: Path, tmp_path: Path, stub: list[Stub]
) -> None:
    data = tmp_path / "data"
    shutil.copytree(demo_volumes, data)
    base = options(data, tmp_path / "r", limit=10)

    def n_asked(**changes: Any) -> int:
        run_measurements(replace(base, **changes))
        return len(stub[-1].asked)

    assert n_asked() == 10
    assert n_asked() == 0
    assert n_asked(batch_size=3, timeout_s=5.0) == 0
    assert n_asked(float16=True) == 0  # what is compared with, not what is asked
    for settings in (Settings(temperature=0.5), Settings(max_new_tokens=7), Settings(system_prompt="Be brief.")):
        assert n_asked(settings=settings) == 10
    assert n_asked(model="stub@2") == 10
    assert n_asked(resize_px=(64, 64)) == 10
    assert n_asked(perceived_px=(100, 100)) == 10
    assert n_asked(tasks=read_tasks([f"{LESIONS}-CoT"])) == 10
    (tmp_path / "r").rename(tmp_path / "moved")
    data.rename(tmp_path / "moved data")
    assert n_asked(results_dir=tmp_path / "moved", data_dir=tmp_path / "moved data") == 0
    _change_one_voxel_each(tmp_path / "moved data/Datasets/DemoCT/Images")
    assert n_asked(results_dir=tmp_path / "moved", data_dir=tmp_path / "moved data") == 10


def _change_one_voxel_each(images: Path) -> None:
    for path in images.glob("*.nii.gz"):
        image: Any = nibabel.load(path)  # type: ignore[attr-defined]
        voxels = np.asanyarray(image.dataobj).copy()
        voxels[0, 0, 0] += 1
        nibabel.save(nibabel.Nifti1Image(voxels, image.affine, image.header), path)  # type: ignore[attr-defined]


def test_boxes_are_asked_anew_for_another_resize_though_their_text_is_the_same(
    demo_volumes: Path, tmp_path: Path, stub: list[Stub]
) -> None:
    base = options(demo_volumes, tmp_path, BOXES, limit=4, mode="infer")
    run_measurements(base)
    run_measurements(replace(base, resize_px=(48, 96)))
    texts = [[request.prompt.text for request in one.asked] for one in stub]
    assert sorted(texts[0]) == sorted(texts[1])
    picture = stub[1].asked[0].prompt.parts[0]
    assert isinstance(picture, ImagePart)
    assert picture.data is not None
    assert size_px(picture.data) == (96, 48)


def test_a_larger_limit_asks_only_for_more_and_a_smaller_one_for_nothing(
    demo_volumes: Path, tmp_path: Path, stub: list[Stub]
) -> None:
    for limit, n_asked, n_lines in ((5, 5, 5), (12, 7, 12), (3, 0, 3), (None, 8, 20)):
        run_measurements(options(demo_volumes, tmp_path, limit=limit))
        assert (len(stub[-1].asked), len(lines(tmp_path))) == (n_asked, n_lines)
        done = json.loads((model_folder(tmp_path) / "completed_tasks.json").read_text())
        assert done[LESIONS]["n_samples"] == n_lines
    assert summary(tmp_path)["n_total"] == 20


def test_policies_take_what_they_say(demo_volumes: Path, tmp_path: Path) -> None:
    taken = {}
    for policy in ("first", "spread", "random"):
        run_measurements(options(demo_volumes, tmp_path / policy, limit=4, policy=policy, mode="infer"))
        taken[policy] = [line["doc_id"] for line in lines(tmp_path / policy)]
    assert taken["first"] == [0, 1, 2, 3]
    assert taken["spread"] == [0, 5, 10, 15]
    assert taken["random"] not in (taken["first"], taken["spread"])


def test_an_interrupted_run_goes_on_and_says_so(demo_volumes: Path, tmp_path: Path, stub: list[Stub]) -> None:
    base = options(demo_volumes, tmp_path, limit=10, batch_size=2)
    run_measurements(replace(base, limit=2))

    def breaking(spec: str, settings: Settings) -> Stub:
        stub.append(Stub(settings))
        stub[-1].breaks_after = 4
        return stub[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measured_run, "open_model", breaking)
        with pytest.raises(KeyboardInterrupt):
            run_measurements(base)
    folder = model_folder(tmp_path)
    assert json.loads((folder / "run.json").read_text())["status"] == "interrupted"
    assert json.loads((folder / "completed_tasks.json").read_text()) == {}
    run_measurements(base)
    assert len(stub[-1].asked) == 10 - 2 - 4
    assert len(lines(tmp_path)) == 10
    assert json.loads((folder / "run.json").read_text())["status"] == "complete"


def test_a_torn_journal_line_loses_one_sample(demo_volumes: Path, tmp_path: Path, stub: list[Stub]) -> None:
    base = options(demo_volumes, tmp_path, limit=6, mode="infer")
    run_measurements(base)
    (journal,) = model_folder(tmp_path).glob(f"response_cache/{LESIONS}_rank0.jsonl")
    journal.write_bytes(journal.read_bytes()[:-40])
    run_measurements(base)
    run_measurements(base)
    assert [len(one.asked) for one in stub] == [6, 1, 0]


def test_a_fresh_start_keeps_the_earlier_files_where_no_stage_counts_them(demo_volumes: Path, tmp_path: Path) -> None:
    run_measurements(options(demo_volumes, tmp_path, limit=4))
    run_measurements(options(demo_volumes, tmp_path, limit=5, reuse=False))
    folder = model_folder(tmp_path)
    assert len(list((folder / "earlier").glob("*_samples_*.jsonl"))) == 1
    assert summary(tmp_path)["n_total"] == 5


def test_scores_come_again_from_stored_answers(demo_volumes: Path, tmp_path: Path, stub: list[Stub]) -> None:
    base = options(demo_volumes, tmp_path, limit=4)
    with pytest.raises(StoreError, match=r"nothing to evaluate .* run --mode infer first"):
        run_measurements(replace(base, mode="eval"))
    assert run_measurements(replace(base, mode="infer")).text == ""
    assert "kidney tumor" in run_measurements(replace(base, mode="eval")).text
    assert [len(one.asked) for one in stub] == [0, 4, 0]


def test_br28_millimetres_come_from_the_slice_whatever_the_model_sees(tmp_path: Path, stub: list[Stub]) -> None:
    data = _wide_slice(tmp_path)
    found = []
    for place, perceived in (("plain", None), ("letterbox", (512, 512))):
        base = options(data, tmp_path / place, "Wide_TumorLesionSize_Task01_Axial", perceived_px=perceived)
        assert run_measurements(base).exit_code == 0
        found.append(summary(tmp_path / place))
        (line,) = lines(tmp_path / place, "Wide_TumorLesionSize_Task01_Axial")
        assert (line["doc"]["image_size_2d"], line["doc"]["pixel_size"]) == ([256, 512], [0.5, 1.0])
    for one in found:
        assert one["MAE"] == pytest.approx(3.5)
        assert one["MRE"] == pytest.approx(0.145455, abs=1e-6)
        assert one["nMAE"] == pytest.approx(0.0066318, abs=1e-7)


def _wide_slice(folder: Path) -> Path:
    """A dataset of one slice: 256 rows of 0.5 mm, 512 columns of 1 mm, a lesion of 25 by 22 mm."""
    root = folder / "data/Datasets/Wide"
    root.mkdir(parents=True)
    voxels = np.zeros((256, 512, 1), np.int16)
    voxels[100:150, 200:222] = 40
    nibabel.save(nibabel.Nifti1Image(voxels, np.diag([0.5, 1.0, 3.0, 1.0])), root / "a.nii.gz")  # type: ignore[attr-defined]
    info = {"voxel_size": [0.5, 1.0, 3.0], "array_size": [256, 512, 1], "orientation": ["R", "A", "S"]}
    record = {"metric_type": "distance", "metric_map_name": "lines_map", "metric_unit": "mm", "slice_dim": 2}
    axes = [
        record | {"metric_key": "L-1-2", "metric_value": 25.0},
        record | {"metric_key": "L-3-4", "metric_value": 22.0},
    ]
    case = {
        "case_ID": "a",
        "image_file": "a.nii.gz",
        "image_file_info": info,
        "slice_profiles_z": [{"slice_idx": 0, "n_total_clusters": 1, "slice_profile": [axes]}],
    }
    task = {
        "task_ID": "01",
        "task_type": "biometry",
        "image_modality": "MRI",
        "image_description": "",
        "labels_map": {"1": "kidney tumor"},
        "target_label": 1,
        "train_cases": [],
        "test_cases": [case],
    }
    with gzip.open(root / "benchmark_plan_biometry_v1.4.0.json.gz", "wt") as file:
        json.dump({"tasks": [task]}, file)
    return folder / "data"


def test_a_task_that_fails_costs_the_others_nothing(demo_volumes: Path, tmp_path: Path) -> None:
    names = (LESIONS, "DemoCT_TumorLesionSize_Task07_Axial", "Nowhere_TumorLesionSize_Task01_Axial")
    outcome = run_measurements(options(demo_volumes, tmp_path, *names))
    assert outcome.exit_code == 1
    assert "Task07_Axial failed" in outcome.notes[0]
    assert "no dataset 'Nowhere'" in outcome.notes[1]
    assert summary(tmp_path)["n_total"] == 20
    ended = json.loads((model_folder(tmp_path) / "run.json").read_text())["ended_tasks"]
    assert [end["status"] for end in ended.values()].count("failed") == 2


def test_restricted_data_that_is_not_there_is_skipped_with_the_reason(demo_volumes: Path, tmp_path: Path) -> None:
    restricted = "FeTA24_BiometricsFromLandmarks_Task01_Axial"
    outcome = run_measurements(options(demo_volumes, tmp_path, restricted, ANGLES))
    assert outcome.exit_code == 0
    assert "is skipped" in outcome.notes[0]
    assert "Synapse" in outcome.notes[0]
    assert run_measurements(options(demo_volumes, tmp_path / "alone", restricted)).exit_code == 1


def test_missing_volumes_are_named_before_anything_is_asked(
    demo_volumes: Path, tmp_path: Path, stub: list[Stub]
) -> None:
    data = tmp_path / "data"
    shutil.copytree(demo_volumes, data)
    for path in (data / "Datasets/DemoCT").rglob("*.nii.gz"):
        path.unlink()
    outcome = run_measurements(options(data, tmp_path / "r"))
    assert outcome.exit_code == 1
    assert "2 of 2 volumes cannot be used" in outcome.notes[0]
    assert stub[0].asked == []


def test_a_damaged_volume_fails_its_own_samples(demo_volumes: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(demo_volumes, data)
    run_measurements(options(data, tmp_path / "whole"))
    files = [line["doc"]["image_file"] for line in lines(tmp_path / "whole")]
    path = data / files[0]
    path.write_bytes(path.read_bytes()[:-2000])
    outcome = run_measurements(options(data, tmp_path / "r"))
    assert outcome.exit_code == 3
    assert f"{files.count(files[0])} of 20 samples have no answer (picture:" in outcome.notes[0]
    failed = [line for line in lines(tmp_path / "r") if line["status"] == "failed"]
    assert all("cannot be read" in line["error"] for line in failed)
    assert summary(tmp_path / "r")["n_missing"] == len(failed) == files.count(files[0])
    assert "completed_tasks.json" not in {path.name for path in model_folder(tmp_path / "r").iterdir()}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"limit": -1}, "limit must be 0 or more"),
        ({"policy": "last"}, "unknown sample policy 'last'"),
        ({"release": "2.0.0"}, "unknown MedVision release"),
        ({"mode": "eval", "reuse": False}, "--no-reuse would leave it none"),
        ({"mode": "infer", "cache": False}, "--no-cache would lose them"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"max_fail_rate": 2.0}, "between 0 and 1"),
    ],
)
def test_options_that_make_no_sense_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        options(tmp_path, tmp_path, **changes)


def test_a_limit_of_nothing_asks_nothing(demo_volumes: Path, tmp_path: Path, stub: list[Stub]) -> None:
    outcome = run_measurements(options(demo_volumes, tmp_path, limit=0))
    assert (outcome.exit_code, outcome.notes, stub[0].asked) == (0, (), [])


def test_a_real_model_is_told_the_size_that_its_own_processor_makes(
    demo_volumes: Path, tmp_path: Path, tiny_vlm: Path
) -> None:
    base = replace(
        options(demo_volumes, tmp_path / "own", DISTANCES, limit=2), model=str(tiny_vlm), settings=Settings(8)
    )
    assert run_measurements(base).exit_code == 0
    told = [line["input"] for line in lines(tmp_path / "own", DISTANCES)]
    view = open_model(str(tiny_vlm), Settings()).view((56, 52))
    rows, columns = (round(side) for side in view.canvas)
    assert (rows, columns) != (56, 52)
    assert all(f"{columns} × {rows} pixels" in text for text in told)
    run_measurements(replace(base, perceived_px=(100, 50), results_dir=tmp_path / "told"))
    assert all("50 × 100 pixels" in line["input"] for line in lines(tmp_path / "told", DISTANCES))
    found = summary(tmp_path / "own")
    assert found["n_total"] == found["n_scored"] + found["n_unparsed"] == 2
