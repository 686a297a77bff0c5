"""MedVision's tasks as datasets: columns, contents, the verbatim call, and a cache that notices what changed."""

from __future__ import annotations

import io
import shutil
import time
from pathlib import Path
from typing import Any

import datasets
import evaluate
import nibabel
import numpy as np
import pytest
from PIL import Image

import mrarebench_hf
from mrarebench_hf.cli import main
from mrarebench_hf.dataset import measured_cache, prepare_tasks
from mrarebench_hf.errors import (
    DataError,
    DataFormatError,
    DataNotFoundError,
    StoreError,
    UnknownNameError,
    UsageError,
)
from mrarebench_hf.measured_names import parse_task
from mrarebench_hf.source.measured_samples import read_samples

TL = "DemoCT_TumorLesionSize_Task01_Axial"
BOX = "DemoCT_BoxCoordinate_Task01_Axial"
AD = "DemoMR_BiometricsFromLandmarks_Task01_Sagittal"
FORMS = {"TL": "{}, {}", "AD": "{}", "Detection": "{}, {}, {}, {}"}


@pytest.fixture
def own(demo_volumes: Path, tmp_path: Path) -> Path:
    """A copy of the data folder that a test may change."""
    return Path(shutil.copytree(demo_volumes, tmp_path / "own"))


def rows_of(name: str, data: Path, **options: Any) -> Any:
    return mrarebench_hf.load(name, data_dir=data, **options)


@pytest.mark.parametrize(("name", "unit", "n_numbers"), [(TL, "mm", 2), (BOX, "", 4), (AD, None, 1)])
def test_a_row_is_the_sample(demo_volumes: Path, name: str, unit: str | None, n_numbers: int) -> None:
    dataset = rows_of(name, demo_volumes)
    samples = read_samples(demo_volumes, parse_task(name)).samples
    assert dataset["index"][:] == [sample.sample_id for sample in samples]
    assert dataset.split == "test"
    for number, (row, sample) in enumerate(zip(dataset, samples, strict=True)):
        (image,) = row["images"]
        assert (image.height, image.width) == tuple(row["image_size"])
        assert len(row["target"]) == n_numbers
        assert row["unit"] == sample.unit == (sample.unit if unit is None else unit)
        assert (row["doc_id"], row["release"], row["case_id"]) == (number, sample.release, sample.case_id)
        assert row["image_labels"] == [""]
        assert row["pixel_size_scale"] is None
        down, right = (n * mm for n, mm in zip(row["image_size"], row["pixel_size_mm"], strict=True))
        assert row["diagonal_mm"] == pytest.approx(float(np.hypot(down, right)), rel=1e-12)


def test_the_picture_is_the_slice_as_it_is_shown(demo_volumes: Path) -> None:
    from mrarebench_hf.source.slice_picture import slice_picture
    from mrarebench_hf.source.volume import Volumes

    volumes = Volumes(demo_volumes)
    samples = read_samples(demo_volumes, parse_task(AD)).samples
    for row, sample in zip(rows_of(AD, demo_volumes), samples, strict=True):
        assert np.array_equal(np.asarray(row["images"][0]), slice_picture(volumes, sample).grey)
    resized = rows_of(AD, demo_volumes, resize_px=(50, 70))[0]
    assert (resized["images"][0].size, resized["image_size"]) == ((70, 50), [50, 70])
    assert resized["diagonal_mm"] == pytest.approx(row_diagonal := rows_of(AD, demo_volumes)[0]["diagonal_mm"])
    assert "50" in resized["prompt"]
    assert row_diagonal > 0


def test_its_columns_are_what_evaluate_takes(demo_volumes: Path) -> None:
    for name, config in ((TL, "tumor_lesion"), (BOX, "detection"), (AD, "angle_distance")):
        dataset = rows_of(name, demo_volumes)
        references = dataset.select_columns(["target", "diagonal_mm", "metric_type"]).to_list()
        replies = [f"<answer>{', '.join(map(repr, row['target']))}</answer>" for row in references]
        metric = evaluate.load(mrarebench_hf.metric_path("medvision"), config)
        scores = metric.compute(predictions=replies, references=references)
        assert scores["SuccessRate"] == 1
        assert scores["MAE"] == 0


def test_the_verbatim_call_gives_the_same_rows(demo_volumes: Path, cache: Path) -> None:
    prepared = prepare_tasks([TL, BOX], data_dir=demo_volumes)
    assert list(prepared) == [TL, BOX]
    for name in (TL, f"{TL}_Test", BOX, "DemoCT_BoxSize_Task01_Axial_Test"):
        dataset: Any = datasets.load_dataset("mrarebench", name, split="test", cache_dir=str(cache))
        assert dataset["index"][:] == rows_of(name, demo_volumes)["index"][:]
        assert dataset.info.config_name == name
    one, two = (cache / "mrarebench").glob("DemoCT_T*/*/*/*.arrow")
    assert one.stat().st_ino == two.stat().st_ino


def test_variants_and_switches_are_datasets_of_their_own(demo_volumes: Path) -> None:
    plain = rows_of(TL, demo_volumes)
    assert rows_of(f"{TL}_Test", demo_volumes)["prompt"][:] == plain["prompt"][:]
    thinking = rows_of(f"{TL}-CoT", demo_volumes)
    assert thinking[0]["prompt"] != plain[0]["prompt"]
    assert len(rows_of(TL, demo_volumes, filtered=False)) == len(plain) + 2
    halves = rows_of(TL, demo_volumes, float16=True)["target"][:]
    assert halves == [[float(np.float16(value)) for value in target] for target in plain["target"]]
    older = rows_of(TL, demo_volumes, release="1.0.0")
    assert set(older["release"]) == {"1.0.0"}
    assert set(plain["release"]) == {"1.4.0"}
    train = rows_of(f"{TL}_Train", demo_volumes)
    assert train.split == "train"
    assert not {row["case_id"] for row in train} & {row["case_id"] for row in plain}


def test_scaled_spacing_scales_target_and_diagonal(demo_volumes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, scaled = rows_of(TL, demo_volumes), rows_of(f"{TL}-CoT-scaledPS", demo_volumes)
    for before, after in zip(plain, scaled, strict=True):
        factor, same = after["pixel_size_scale"]
        assert factor == same
        assert after["target"] == pytest.approx([factor * value for value in before["target"]])
        assert after["diagonal_mm"] == pytest.approx(factor * before["diagonal_mm"])
    monkeypatch.setenv("MEDVISION_SCALED_PS_LOW", "2.5")
    assert all(row["pixel_size_scale"][0] >= 2.5 for row in rows_of(f"{TL}-CoT-scaledPS", demo_volumes))


def test_a_stream_gives_the_same_rows_and_writes_nothing(demo_volumes: Path, cache: Path) -> None:
    stream = list(rows_of(AD, demo_volumes, streaming=True))
    assert not list(cache.rglob("*.arrow"))
    stored = list(rows_of(AD, demo_volumes))
    for one, two in zip(stream, stored, strict=True):
        assert {**one, "images": None} == {**two, "images": None}
        assert one["images"][0].tobytes() == two["images"][0].tobytes()


def test_pictures_are_rendered_once_for_all_labels_of_a_slice(
    demo_volumes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mrarebench_hf.dataset.measured_rows import MeasuredRows

    genuine, rendered = MeasuredRows.picture, []

    def counted(self: MeasuredRows, sample: Any) -> Any:
        rendered.append((sample.image_file, sample.slice_idx))
        return genuine(self, sample)

    monkeypatch.setattr(MeasuredRows, "picture", counted)
    dataset = rows_of(BOX, demo_volumes)
    assert len(rendered) == len(set(rendered)) < len(dataset)


def test_nothing_is_written_twice_and_changes_are_noticed(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shard() -> Path:
        return prepare_tasks([AD], data_dir=own)[AD].folder.shard

    first = shard()
    before = first.stat()
    assert shard() == first
    assert (first.stat().st_ino, first.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)

    path = own / rows_of(AD, own)[0]["image_file"]
    image = nibabel.load(path)
    time.sleep(0.01)
    nibabel.save(nibabel.Nifti1Image(np.asarray(image.dataobj)[::-1], image.affine), path)  # type: ignore[attr-defined]
    second = shard()
    assert second != first
    pictures = [datasets.Dataset.from_file(str(file))[0]["images"] for file in (first, second)]
    opened = [Image.open(io.BytesIO(p[0]["bytes"])) if isinstance(p[0], dict) else p[0] for p in pictures]
    assert opened[0].tobytes() != opened[1].tobytes()

    monkeypatch.setattr(measured_cache, "template_hash", lambda: "other words")
    assert shard() not in (first, second)


def test_missing_volumes_are_named_before_anything_is_written(own: Path, cache: Path) -> None:
    for file in (own / "Datasets" / "DemoMR" / "Images").iterdir():
        file.unlink()
    for streaming in (False, True):
        with pytest.raises(DataNotFoundError, match=r"2 of 2 volumes cannot be used; the first: no volume .*DemoMR"):
            rows_of(AD, own, streaming=streaming)
    assert not list(cache.rglob("*"))


def test_damage_in_the_middle_leaves_nothing(own: Path, cache: Path) -> None:
    path = sorted({own / row["image_file"] for row in rows_of(AD, own, streaming=True)})[-1]
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DataError, match=path.name):
        rows_of(AD, own)
    assert not [file for file in cache.rglob("*") if file.is_file() and file.suffix != ".lock"]


@pytest.mark.parametrize(
    ("name", "options", "error", "said"),
    [
        ("DemoXX_BoxSize_Task01_Axial", {}, DataNotFoundError, "DemoXX"),
        ("DemoCT_BoxSize_Task07_Axial", {}, UsageError, "has 1 tasks"),
        ("DemoCT_BoxSizes_Task01_Axial", {}, UnknownNameError, "BoxSizes"),
        ("DemoMR_BiometricsFromLandmarks_Task01_Axial", {}, DataFormatError, "has no samples in .*biometry"),
        (TL, {"split": "train"}, UnknownNameError, "train"),
        (TL, {"release": "9.9"}, UnknownNameError, "9.9"),
        (TL, {"revision": "main"}, UsageError, "has a release"),
        (f"{TL}-64x64", {"resize_px": (32, 32)}, UsageError, "asks for another"),
        ("Diagnosis", {"release": "1.0.0"}, UsageError, "'Diagnosis' is none"),
        ("Diagnosis", {"split": "train"}, UnknownNameError, "train"),
    ],
)
def test_mistakes_are_named(
    demo_volumes: Path, name: str, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        rows_of(name, demo_volumes, **options)


def test_the_folder_is_that_of_the_environment_or_asked_for(
    demo_volumes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="set MedVision_DATA_DIR"):
        mrarebench_hf.load(TL)
    monkeypatch.setenv("MedVision_DATA_DIR", str(demo_volumes))
    assert len(mrarebench_hf.load(TL)) == 20  # type: ignore[arg-type]


def test_a_cache_that_cannot_be_written(demo_volumes: Path, cache: Path) -> None:
    cache.write_text("a file")
    with pytest.raises(StoreError, match="HF_DATASETS_CACHE moves it"):
        rows_of(TL, demo_volumes)


def test_the_verb(demo_volumes: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lists = demo_volumes / "tasks_MedVision-AD.json"
    assert main(["prepare", "--data", str(lists), "--data-dir", str(demo_volumes)]) == 0
    out = capsys.readouterr().out
    name = "DemoMR_BiometricsFromLandmarks_Distance_Task01_Sagittal"
    assert f"{name}  4 rows, " in out
    assert f'ds = load_dataset("mrarebench", "{name}", split="test")' in out
    assert main(["prepare", "--data", f"{TL}_Train", "--data-dir", str(demo_volumes), "--no-filter"]) == 0
    assert 'split="train")' in capsys.readouterr().out
    for words, said in (
        (["--data", "Diagnosis", "--release", "1.0.0"], "--release is for MedVision's tasks"),
        (["--data", TL, "--revision", "main"], "--revision is for MRareBench's conditions"),
        (["--data", TL, "Diagnosis"], "'Diagnosis' is no MedVision task"),
        (["--data", "none.json"], "no task list none.json"),
    ):
        assert main(["prepare", *words, "--data-dir", str(demo_volumes)]) in (1, 2)
        assert said in capsys.readouterr().err
