"""Tiny random-weight models of further architectures, so that a backend is not fitted to the demo's one.

``build("gemma3", folder)`` writes a checkpoint that AutoModelForImageTextToText and AutoProcessor load;
all of ``ARCHITECTURES`` have processors that need no torchvision.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mrarebench_hf.demo.tiny_model import CHAT_TEMPLATE, train_tokenizer, write_tiny_vlm

__all__ = ["ARCHITECTURES", "build"]

_TEXT = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 8192,
    "initializer_range": 0.2,
}
_VISION = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}


def build(name: str, folder: Path, *, seed: int = 0) -> Path:
    """Write one architecture of ``ARCHITECTURES`` to a folder and return it."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    if name == "llava":
        return write_tiny_vlm(folder, seed=seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model, processor = _BUILDERS[name](folder)
    for key in ("pad_token_id", "bos_token_id", "eos_token_id"):
        setattr(model.generation_config, key, getattr(processor.tokenizer, key))
    model.float().save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _image_processor(folder: Path, kind: str, **settings: Any) -> Any:
    from transformers import AutoImageProcessor

    path = folder / "preprocessor_config.json"
    path.write_text(json.dumps({"image_processor_type": kind, **settings}), encoding="utf-8")
    return AutoImageProcessor.from_pretrained(folder)


def _text(tokenizer: Any, **more: Any) -> dict[str, Any]:
    ends = {key: getattr(tokenizer, key) for key in ("pad_token_id", "bos_token_id", "eos_token_id")}
    return {**_TEXT, **ends, "vocab_size": len(tokenizer), **more}


def _idefics3(folder: Path) -> tuple[Any, Any]:
    from transformers import Idefics3Config, Idefics3ForConditionalGeneration, Idefics3Processor

    tiles = [f"<row_{row}_col_{col}>" for row in range(1, 7) for col in range(1, 7)]
    special = ["<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>", *tiles]
    tokenizer = train_tokenizer(special)
    edge = {"longest_edge": 64}
    pictures = _image_processor(
        folder, "Idefics3ImageProcessor", size=edge, max_image_size=edge, do_image_splitting=False
    )
    config = Idefics3Config(
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        text_config=_text(tokenizer, model_type="llama"),
        vision_config={"image_size": 64, "patch_size": 16, **_VISION},
    )
    processor = Idefics3Processor(pictures, tokenizer, image_seq_len=4, chat_template=CHAT_TEMPLATE)
    return Idefics3ForConditionalGeneration(config), processor


def _gemma3(folder: Path) -> tuple[Any, Any]:
    from transformers import Gemma3Config, Gemma3ForConditionalGeneration, Gemma3Processor

    names = {"boi_token": "<boi>", "eoi_token": "<eoi>", "image_token": "<image_soft_token>"}
    tokenizer = train_tokenizer(list(names.values()), extra_special_tokens=names)
    size = {"height": 56, "width": 56}
    pictures = _image_processor(folder, "Gemma3ImageProcessor", size=size, do_pan_and_scan=False)
    begin, end, image = (tokenizer.convert_tokens_to_ids(token) for token in names.values())
    config = Gemma3Config(
        boi_token_index=begin,
        eoi_token_index=end,
        image_token_index=image,
        mm_tokens_per_image=4,
        # Tied to its scaled embeddings, an untrained model would only repeat the last token.
        tie_word_embeddings=False,
        text_config=_text(tokenizer, head_dim=16, sliding_window=64),
        vision_config={
            "model_type": "siglip_vision_model",
            "image_size": 56,
            "patch_size": 14,
            "vision_use_head": False,
            **_VISION,
        },
    )
    template = CHAT_TEMPLATE.replace("<image>", "<boi>")
    processor = Gemma3Processor(pictures, tokenizer, image_seq_length=4, chat_template=template)
    return Gemma3ForConditionalGeneration(config), processor


_BUILDERS: dict[str, Callable[[Path], tuple[Any, Any]]] = {"gemma3": _gemma3, "idefics3": _idefics3}

ARCHITECTURES: tuple[str, ...] = ("gemma3", "idefics3", "llava")
