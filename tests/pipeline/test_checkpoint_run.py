"""A real checkpoint through whole runs: what is another question, and what is not."""

from __future__ import annotations

import csv
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mrarebench_hf import pipeline
from mrarebench_hf.model import Settings
from mrarebench_hf.pipeline import Options

pytest.importorskip("torch")

N = 2


@pytest.fixture
def options(demo_data: Path, tiny_vlm: Path, tmp_path: Path) -> Options:
    shutil.copytree(demo_data, tmp_path / "data")
    shutil.copytree(tiny_vlm, tmp_path / "tiny-vlm")
    return Options(
        data=("Diagnosis",),
        model=str(tmp_path / "tiny-vlm"),
        settings=Settings(max_new_tokens=4),
        data_dir=tmp_path / "data",
        results_dir=tmp_path / "results",
        limit=N,
    )


def n_asked(options: Options) -> int:
    """Journal lines of all models under the results folder."""
    journals = options.results_dir.glob("*/*/response_cache/*.jsonl")
    return sum(len(path.read_bytes().splitlines()) for path in journals)


def test_br45_whatever_can_change_a_reply_is_asked_anew_and_nothing_else(options: Options) -> None:
    settings = options.settings
    asked = 0
    for change in (
        options,
        replace(options, settings=replace(settings, max_new_tokens=5)),
        replace(options, settings=replace(settings, temperature=0.5)),
        replace(options, settings=replace(settings, temperature=0.5, seed=1)),
        replace(options, settings=replace(settings, system_prompt="Be brief.")),
        replace(options, settings=replace(settings, dtype="bfloat16")),
        replace(options, data=("Diagnosis_FD",)),
    ):
        assert pipeline.run(change).exit_code == 0
        asked += N
        assert n_asked(options) == asked
    for same in (options, replace(options, batch_size=1), replace(options, settings=replace(settings, seed=1))):
        assert pipeline.run(same).exit_code == 0
        assert n_asked(options) == asked


def test_br45_one_changed_weight_or_picture_is_another_question(options: Options) -> None:
    pipeline.run(options)
    weights = next(Path(options.model).glob("*.safetensors"))
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    pipeline.run(options)
    assert n_asked(options) == 2 * N

    path = next(Path(str(options.data_dir)).rglob("diagnosis_opened.tsv"))
    csv.field_size_limit(1 << 24)
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode()), delimiter="\t"))
    csv.field_size_limit(131_072)
    image = rows[0].index("image")
    pictures = json.loads(rows[1][image])
    rows[1][image] = json.dumps([*pictures[1:], pictures[0]] if len(pictures) > 1 else pictures * 2)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)
    pipeline.run(options)
    assert n_asked(options) == 2 * N + 1


def test_answers_that_were_cut_are_counted_and_told(options: Options) -> None:
    text = pipeline.run(options).text
    (path,) = options.results_dir.glob("*/*/summary.json")
    assert json.loads(path.read_bytes())["counts"]["n_truncated"] == N
    assert f"{N} of {N} answers were cut" in text
