"""Pictures through a whole run: what the model is shown, and what one bad picture costs."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mrarebench_hf import pipeline
from mrarebench_hf.model import Request, baseline
from mrarebench_hf.pipeline import Options
from mrarebench_hf.records import Response


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def cell(*pictures: bytes | str) -> str:
    texts = [p if isinstance(p, str) else base64.b64encode(p).decode() for p in pictures]
    return '"' + json.dumps(texts).replace('"', '""') + '"'


def write(folder: Path, *cells: str) -> Path:
    rows = "".join(f"{n}\t{image}\tcontext {n}\tFabry disease\n" for n, image in enumerate(cells))
    (folder / "diagnosis_opened.tsv").write_text("index\timage\tcontext\tanswer\n" + rows, encoding="utf-8")
    return folder


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[Image.Image, ...]]:
    """Id → the pictures that reached the model."""
    log: dict[str, tuple[Image.Image, ...]] = {}
    original = baseline._Baseline.generate

    def generate(self: Any, requests: Sequence[Request]) -> list[Response]:
        log.update({request.prompt.index: request.pictures for request in requests})
        return original(self, requests)

    monkeypatch.setattr(baseline._Baseline, "generate", generate)
    return log


def run(data: Path, *conditions: str) -> tuple[pipeline.Outcome, dict[str, dict[str, Any]]]:
    results = data / "results"
    outcome = pipeline.run(Options(data=conditions, model="baseline:oracle", data_dir=data, results_dir=results))
    documents = [json.loads(path.read_bytes()) for path in results.glob("*/*/summary.json")]
    return outcome, {document["condition"]: document for document in documents}


def test_br06_undecodable_pictures_fail_their_item_and_no_other(
    tmp_path: Path, shown: dict[str, tuple[Image.Image, ...]], caplog: pytest.LogCaptureFixture
) -> None:
    good = encoded(Image.new("RGB", (5, 4), (1, 2, 3)), "PNG")
    text = base64.b64encode(good).decode()
    prefixed = f"data:image/png;base64,{text[:20]}\n{text[20:]}"
    truncated = encoded(Image.effect_noise((64, 64), 90), "JPEG")[:-60]
    data = write(tmp_path, cell(good), cell(prefixed), cell("iVBORw0KGgo"), cell(truncated))
    outcome, summaries = run(data, "Diagnosis")
    assert outcome.exit_code == 3
    assert sorted(shown) == ["0", "1"]
    assert summaries["Diagnosis"]["metrics"]["infer_fail_rate"]["value"] == 0.5
    assert summaries["Diagnosis"]["counts"]["failures"] == {"picture": 2}
    assert "id 2 fails" in caplog.text
    assert "id 3 fails" in caplog.text


def test_br07_cmyk_reaches_the_model_as_rgb_and_a_lost_condition_is_no_success(
    tmp_path: Path, shown: dict[str, tuple[Image.Image, ...]]
) -> None:
    cmyk = encoded(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), "JPEG", quality=95)
    run(write(tmp_path, cell(cmyk)), "Diagnosis")
    (picture,) = shown["0"]
    assert picture.mode == "RGB"
    assert max(abs(a - b) for a, b in zip(picture.getpixel((8, 8)), (255, 0, 0), strict=True)) <= 3  # type: ignore[arg-type]

    (tmp_path / "lost").mkdir()
    outcome, summaries = run(write(tmp_path / "lost", cell(b"no picture")), "Diagnosis", "Diagnosis_TO")
    assert outcome.exit_code == 1
    assert summaries["Diagnosis"]["counts"]["n_missing"] == 1
    assert summaries["Diagnosis_TO"]["counts"]["n_scored"] == 1
    assert any("no answer" in warning for warning in summaries["Diagnosis"]["warnings"])


def test_br09_the_model_sees_pictures_upright(tmp_path: Path, shown: dict[str, tuple[Image.Image, ...]]) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    lying = encoded(Image.new("RGB", (8, 4), (255, 0, 0)), "JPEG", exif=exif)
    run(write(tmp_path, cell(lying)), "Diagnosis")
    assert [picture.size for picture in shown["0"]] == [(4, 8)]


def test_br11_a_gigantic_picture_fails_its_item_before_it_is_decoded(
    tmp_path: Path, shown: dict[str, tuple[Image.Image, ...]], caplog: pytest.LogCaptureFixture
) -> None:
    small = encoded(Image.new("1", (8, 8)), "PNG")
    huge = encoded(Image.new("1", (12_000, 12_000)), "PNG")
    outcome, _ = run(write(tmp_path, cell(small), cell(huge)), "Diagnosis")
    assert outcome.exit_code == 3
    assert sorted(shown) == ["0"]
    assert "12000" in caplog.text


def test_a_condition_without_pictures_is_not_hurt_by_bad_ones(tmp_path: Path) -> None:
    outcome, summaries = run(write(tmp_path, cell(b"no picture")), "Diagnosis_TO")
    assert outcome.exit_code == 0
    assert summaries["Diagnosis_TO"]["metrics"]["infer_fail_rate"]["value"] == 0.0
