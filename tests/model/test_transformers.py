"""Real checkpoints of tiny random models: batches, pictures, settings, refusals."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from mrarebench_hf.errors import ModelError
from mrarebench_hf.model import Request, Settings, open_model
from mrarebench_hf.records import ImagePart, Prompt, TextPart

pytest.importorskip("torch")
from tiny_models import ARCHITECTURES, build

SETTINGS = Settings(max_new_tokens=12)


def request(index: str, n_pictures: int, n_words: int = 5) -> Request:
    pictures = tuple(Image.new("RGB", (60 + 10 * n, 40), (200, 30 * n, 10)) for n in range(n_pictures))
    groups = [part for n in range(n_pictures) for part in (TextPart(f"Figure {n}:"), ImagePart(b""))]
    return Request(Prompt(index, (*groups, TextPart("What is it? " * n_words))), "diagnosis", pictures)


@pytest.fixture(scope="module", params=sorted(ARCHITECTURES))
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(request.param, tmp_path_factory.mktemp("model") / request.param)


def test_a_mixed_batch_answers_as_single_requests_do(checkpoint: Path) -> None:
    backend = open_model(str(checkpoint), SETTINGS)
    requests = [request("a", 0), request("b", 3, 40), request("c", 1, 9), request("d", 1)]
    together = backend.generate(requests)
    assert [r.index for r in together] == ["a", "b", "c", "d"]
    assert [r.text for r in together] == [backend.generate([one])[0].text for one in requests]
    assert all(r.status == "ok" and r.text for r in together)


def test_pictures_and_their_order_reach_the_model(checkpoint: Path) -> None:
    backend = open_model(str(checkpoint), SETTINGS)
    n_tokens = [backend.generate([request("a", n)])[0].usage.prompt_tokens for n in (0, 1, 2)]
    assert None not in n_tokens
    assert n_tokens == sorted(set(n_tokens))  # type: ignore[type-var]


def test_length_and_usage_are_told(tiny_vlm: Path) -> None:
    response = open_model(str(tiny_vlm), Settings(max_new_tokens=3)).generate([request("a", 1)])[0]
    assert (response.finish_reason, response.usage.completion_tokens) == ("length", 3)
    assert response.latency_s is not None


def test_a_system_prompt_reaches_the_model(tiny_vlm: Path) -> None:
    plain = open_model(str(tiny_vlm), SETTINGS).generate([request("a", 0)])[0]
    told = open_model(str(tiny_vlm), Settings(max_new_tokens=12, system_prompt="Be brief.")).generate(
        [request("a", 0)]
    )[0]
    assert told.usage.prompt_tokens > plain.usage.prompt_tokens  # type: ignore[operator]


def test_sampling_is_seeded(tiny_vlm: Path) -> None:
    def sample(seed: int) -> str | None:
        settings = Settings(max_new_tokens=12, temperature=2.0, seed=seed)
        return open_model(str(tiny_vlm), settings).generate([request("a", 1)])[0].text

    assert sample(1) == sample(1) != sample(2)


def test_br45_a_checkpoint_is_known_by_its_files_not_by_its_path(tiny_vlm: Path, tmp_path: Path) -> None:
    moved, changed = tmp_path / "moved" / "tiny", tmp_path / "changed" / "tiny"
    for target in (moved, changed):
        shutil.copytree(tiny_vlm, target)
    weights = next(changed.glob("*.safetensors"))
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    first, same, other = (open_model(str(p), SETTINGS) for p in (moved, moved / ".." / "tiny", changed))
    assert first.identity("diagnosis") == same.identity("diagnosis")
    assert first.identity("diagnosis") != other.identity("diagnosis")
    assert first.slug == same.slug != other.slug
    assert str(tmp_path) not in str(first.identity("diagnosis"))


def test_a_change_anywhere_in_large_weights_is_noticed_and_a_read_me_is_no_part(tiny_vlm: Path, tmp_path: Path) -> None:
    copied = tmp_path / "tiny"
    shutil.copytree(tiny_vlm, copied)
    (copied / "extra").mkdir()
    large = copied / "extra" / "adapter.safetensors"
    large.write_bytes(bytes(20 << 20))
    before = open_model(str(copied), SETTINGS).identity("diagnosis")
    (copied / "README.md").write_text("edited")
    (copied / ".cache").mkdir()
    (copied / ".cache" / "x").write_text("hidden")
    assert open_model(str(copied), SETTINGS).identity("diagnosis") == before
    with large.open("r+b") as file:
        file.seek(10 << 20)
        file.write(b"x")
    assert open_model(str(copied), SETTINGS).identity("diagnosis") != before


def test_a_draw_depends_on_its_sample_alone(tiny_vlm: Path) -> None:
    backend = open_model(str(tiny_vlm), Settings(max_new_tokens=8, temperature=1.5))
    requests = [request("a", 0), request("b", 1), request("c", 0, 20)]
    together = {r.index: r.text for r in backend.generate(requests)}
    alone = {r.index: r.text for one in reversed(requests) for r in backend.generate([one])}
    assert together == alone


def test_opening_loads_no_weights(tiny_vlm: Path, tmp_path: Path) -> None:
    copied = tmp_path / "tiny"
    shutil.copytree(tiny_vlm, copied)
    next(copied.glob("*.safetensors")).write_bytes(b"damaged")
    backend = open_model(str(copied), SETTINGS)
    with pytest.raises(ModelError, match="cannot load the checkpoint"):
        backend.generate([request("a", 0)])


def test_a_model_without_eyes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(ModelError, match=r"\(bert\) takes no pictures"):
        open_model(str(tmp_path), SETTINGS)


def test_a_name_that_is_nowhere_is_told() -> None:
    with pytest.raises(ModelError, match="no checkpoint 'nobody/nothing'"):
        open_model("nobody/nothing", SETTINGS)


def test_a_checkpoint_without_chat_template_is_told(tiny_vlm: Path, tmp_path: Path) -> None:
    copied = tmp_path / "tiny"
    shutil.copytree(tiny_vlm, copied)
    for path in copied.glob("chat_template*"):
        path.unlink()
    config = copied / "tokenizer_config.json"
    config.write_text(json.dumps({k: v for k, v in json.loads(config.read_text()).items() if k != "chat_template"}))
    with pytest.raises(ModelError, match="no chat template"):
        open_model(str(copied), SETTINGS).generate([request("a", 0)])


def test_unknown_dtypes_are_told(tiny_vlm: Path) -> None:
    with pytest.raises(ModelError, match="unknown dtype 'float99'"):
        open_model(str(tiny_vlm), Settings(dtype="float99"))
