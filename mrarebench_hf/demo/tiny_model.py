"""Builds a tiny LLaVA with random weights, offline: it answers nonsense, through all of the real machinery.

The folder that comes out is an ordinary checkpoint: AutoModelForImageTextToText and AutoProcessor load it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mrarebench_hf.demo.content import CASES, NOTICE

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

__all__ = ["CHAT_TEMPLATE", "train_tokenizer", "write_tiny_vlm"]

_IMAGE_PX, _PATCH_PX = 56, 14
_TOKENS_PER_IMAGE = (_IMAGE_PX // _PATCH_PX) ** 2
_CONTEXT_TOKENS = 8192
_VOCABULARY = 1024
_SPECIAL = ("<pad>", "<|im_end|>", "<|im_start|>", "<bos>")

# Content is a string or a list of parts; the picture's token stands where the picture stood.
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write_tiny_vlm(folder: str | Path, *, seed: int = 0) -> Path:
    """Write a random-weight multi-image model of about a megabyte and return its folder.

    Args:
        folder: made if absent; holds the whole checkpoint afterwards.
        seed: of the weights. The same seed and library versions write the same files.
    """
    import torch

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = train_tokenizer(("<image>",), extra_special_tokens={"image_token": "<image>"})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _model(tokenizer)
    model.save_pretrained(folder)
    _save_processor(folder, tokenizer)
    return folder


def train_tokenizer(special: Sequence[str], **options: Any) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer over the demo's words; ``special`` tokens come on top of the chat ones."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCABULARY,
        special_tokens=[*_SPECIAL, *special],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(_corpus(), trainer)
    pad, end, _, begin = _SPECIAL
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        padding_side="left",
        clean_up_tokenization_spaces=False,
        pad_token=pad,
        eos_token=end,
        bos_token=begin,
        **options,
    )


def _corpus() -> Iterator[str]:
    for case in CASES:
        yield f"{NOTICE} A {case.patient} {case.history}. {case.tests}. {case.synthesis}"
        yield from (case.name, *case.aliases)
        for view in case.views:
            yield f"{view.study}: {view.macro}; {view.micro}."
    yield "\n".join(f"{rank}. disease" for rank in range(1, 11))


_VISION = {
    "model_type": "siglip_vision_model",
    "image_size": _IMAGE_PX,
    "patch_size": _PATCH_PX,
    "vision_use_head": False,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
}


def _model(tokenizer: PreTrainedTokenizerFast) -> Any:
    from transformers import LlavaConfig, LlavaForConditionalGeneration

    ends = {
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }
    config = LlavaConfig(
        image_token_index=_token_id(tokenizer, "<image>"),
        image_seq_length=_TOKENS_PER_IMAGE,
        vision_feature_select_strategy="full",
        vision_feature_layer=-1,
        text_config={
            "model_type": "llama",
            "vocab_size": len(tokenizer),
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": _CONTEXT_TOKENS,
            # Ten times the usual spread: answers depend on the prompt instead of being one token for ever.
            "initializer_range": 0.2,
            **ends,
        },
        vision_config=_VISION,
    )
    model = LlavaForConditionalGeneration(config).float().eval()
    for name, value in ends.items():
        setattr(model.generation_config, name, value)
    model.generation_config.suppress_tokens = _unreadable(tokenizer)
    return model


def _token_id(tokenizer: PreTrainedTokenizerFast, token: str) -> int:
    found = tokenizer.convert_tokens_to_ids(token)
    assert isinstance(found, int)
    return found


def _unreadable(tokenizer: PreTrainedTokenizerFast) -> list[int]:
    """Tokens that would make an answer unprintable: markers, control bytes and halves of a character."""
    special = set(tokenizer.all_special_ids) - {tokenizer.eos_token_id}
    return [i for i in range(len(tokenizer)) if i in special or not _is_readable(str(tokenizer.decode([i])))]


def _is_readable(text: str) -> bool:
    return "\ufffd" not in text and text.replace("\n", " ").isprintable()


def _save_processor(folder: Path, tokenizer: PreTrainedTokenizerFast) -> None:
    """Save tokenizer, template and picture settings; AutoProcessor picks what the machine can run."""
    from transformers import AutoImageProcessor, LlavaProcessor

    size = {"height": _IMAGE_PX, "width": _IMAGE_PX}
    settings = {"image_processor_type": "SiglipImageProcessor", "size": size}
    (folder / "preprocessor_config.json").write_text(json.dumps(settings), encoding="utf-8")
    processor = LlavaProcessor(
        AutoImageProcessor.from_pretrained(folder),
        tokenizer,
        patch_size=_PATCH_PX,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=0,
        chat_template=CHAT_TEMPLATE,
    )
    processor.save_pretrained(folder)
