"""Tiny models load as ordinary checkpoints, take any number of pictures, and do not mind padding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")
pytest.importorskip("torch")

import torch
from PIL import Image
from tiny_models import ARCHITECTURES, build

from mrarebench_hf.demo import write_tiny_vlm

QUESTION = "Which diagnosis explains the findings?"


class Checkpoint:
    """A model folder loaded as a user would."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForImageTextToText, AutoProcessor

        self.processor = AutoProcessor.from_pretrained(folder)
        self.model = AutoModelForImageTextToText.from_pretrained(folder).eval()

    def answers(self, *conversations: list[dict[str, Any]]) -> list[str]:
        inputs = self.processor.apply_chat_template(
            list(conversations),
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True},
        )
        with torch.inference_mode():
            output = self.model.generate(**inputs, max_new_tokens=12, do_sample=False)
        return [
            str(self.processor.decode(row, skip_special_tokens=True))
            for row in output[:, inputs["input_ids"].shape[1] :]
        ]


def conversation(n_pictures: int, *, system: str | None = None) -> list[dict[str, Any]]:
    colours = ["red", "green", "blue"]
    content: list[dict[str, Any]] = []
    for n in range(n_pictures):
        content.append({"type": "text", "text": f"Figure {n + 1}:"})
        content.append({"type": "image", "image": Image.new("RGB", (70 + 20 * n, 60), colours[n])})
    content.append({"type": "text", "text": QUESTION * (1 + n_pictures)})
    messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
    if system is not None:
        messages.insert(0, {"role": "system", "content": [{"type": "text", "text": system}]})
    return messages


@pytest.fixture(scope="module", params=ARCHITECTURES)
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return Checkpoint(build(request.param, tmp_path_factory.mktemp(request.param)))


@pytest.mark.parametrize("n_pictures", [0, 1, 3])
def test_answers_with_any_number_of_pictures(checkpoint: Checkpoint, n_pictures: int) -> None:
    [answer] = checkpoint.answers(conversation(n_pictures))
    assert answer


def test_padded_batch_equals_single_runs(checkpoint: Checkpoint) -> None:
    conversations = [conversation(3), conversation(1), conversation(0)]
    together = checkpoint.answers(*conversations)
    assert together == [checkpoint.answers(one)[0] for one in conversations]
    assert len(set(together)) == 3


def test_pictures_and_system_message_matter(tiny_vlm: Path) -> None:
    checkpoint = Checkpoint(tiny_vlm)
    red = conversation(1)
    blue = conversation(1)
    blue[0]["content"][1]["image"] = Image.new("RGB", (70, 60), "blue")
    told = conversation(1, system="Answer in one word.")
    assert len({checkpoint.answers(one)[0] for one in (red, blue, told)}) == 3


def test_answers_are_printable(tiny_vlm: Path) -> None:
    checkpoint = Checkpoint(tiny_vlm)
    text = "".join(checkpoint.answers(*(conversation(n) for n in range(4 - 1))))
    assert text.replace("\n", " ").isprintable()
    assert "\ufffd" not in text


def test_same_files_for_the_same_seed(tiny_vlm: Path, tmp_path: Path) -> None:
    before = torch.random.get_rng_state()
    again = write_tiny_vlm(tmp_path / "again")
    other = write_tiny_vlm(tmp_path / "other", seed=1)
    assert torch.equal(before, torch.random.get_rng_state()), "the caller's random state was touched"
    names = sorted(path.name for path in tiny_vlm.iterdir())
    assert names == sorted(path.name for path in again.iterdir())
    assert all((again / name).read_bytes() == (tiny_vlm / name).read_bytes() for name in names)
    assert (other / "model.safetensors").read_bytes() != (again / "model.safetensors").read_bytes()


def test_small_float32_and_long_enough(tiny_vlm: Path) -> None:
    from mrarebench_hf.demo.content import CASES

    checkpoint = Checkpoint(tiny_vlm)
    assert checkpoint.model.dtype == torch.float32
    assert sum(path.stat().st_size for path in tiny_vlm.iterdir()) < 2_000_000
    longest = max(len(repr(case)) for case in CASES)
    # Byte-level: a text never has more tokens than bytes.
    assert checkpoint.model.config.text_config.max_position_embeddings > 3 * longest
