"""At what size backends say they see a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrarebench_hf.errors import ModelError
from mrarebench_hf.measured import View
from mrarebench_hf.model import Settings, open_model

pytest.importorskip("torch")
from tiny_models import build


@pytest.mark.parametrize("name", ["oracle", "random", "refusal", "center"])
def test_baselines_take_a_picture_as_it_is(name: str) -> None:
    view = open_model(f"baseline:{name}", Settings()).view((181, 217))
    assert view == View((181, 217), (181, 217))


@pytest.fixture(scope="module", params=["gemma3", "idefics3", "llava"])
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = build(request.param, tmp_path_factory.mktemp("model") / request.param)
    return folder


def test_a_checkpoint_is_measured_without_its_weights(checkpoint: Path) -> None:
    for weights in checkpoint.glob("*.safetensors"):
        weights.write_bytes(b"damaged")
    backend = open_model(str(checkpoint), Settings())
    view = backend.view((100, 150))
    sides = {"gemma3": 56, "idefics3": 64, "llava": view.canvas[0]}
    assert view.canvas == (sides[checkpoint.name], sides[checkpoint.name])
    assert backend.view((100, 150)) is view


def test_a_damaged_processor_is_told(checkpoint: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((checkpoint / "config.json").read_bytes())
    with pytest.raises(ModelError, match="cannot load the checkpoint"):
        open_model(str(tmp_path), Settings()).view((100, 150))
