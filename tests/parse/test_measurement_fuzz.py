"""Random texts through both profiles: no exception, and no text that takes long.

``MRAREBENCH_FUZZ_TEXTS`` raises the number of texts.
"""

from __future__ import annotations

import math
import os
import random
import time

import pytest

from mrarebench_hf.families import FAMILIES
from mrarebench_hf.parse.measurement import REASONS
from mrarebench_hf.score.measured_answers import read_answer

_PIECES = (
    "<answer>", "</answer>", "<ANSWER>", "<answer", "< /answer >", "<think>", "</think>", "0.1", "12", ".5", "1e999",
    "9" * 400, "1,234", "-", "+", "−", "–", "±", ",", " ", "\n", "\t", "x", "×", "mm", "cm", "°", "%", "px", "e-3",
    "[", "]", "(", ")", "{", "}", '"bbox_2d":', '"', "'", "**", "$", "\\circ", "\\text{", "^", "_", "·", "²", "½",
    "１２", "٣", "४", "十", "\x00", "\ud83d", "😀", "nan", "inf", "∞", "1. ", "2) ", "/", ":", "answer",
)  # fmt: skip


def _texts(n: int) -> list[str]:
    draw = random.Random(7)
    texts = []
    for _ in range(n):
        body = "".join(draw.choices(_PIECES, k=draw.randrange(1, 16)))
        texts.append(f"<answer>{body}</answer>" if draw.random() < 0.7 else body)
    return texts


def test_no_text_raises_and_every_reading_is_whole() -> None:
    for text in _texts(int(os.environ.get("MRAREBENCH_FUZZ_TEXTS", "20000"))):
        for family in FAMILIES:
            strict, protocol = read_answer(text, family, "spec"), read_answer(text, family, "medvision_bm")
            assert strict.reason in REASONS or strict.values is not None
            if strict.values is not None:
                assert len(strict.values) == family.n_values
                assert all(map(math.isfinite, strict.values))
            assert protocol.values is None or len(protocol.values) == family.n_values


@pytest.mark.parametrize(
    "piece", ["<answer>", "<answer", "<", "1,", "1,234", "- ", "−", '"', '"a', "{", " ", "\\", "1. \n"]
)
def test_a_long_text_of_one_piece_is_read_in_a_moment(piece: str) -> None:
    text = "<answer>" + piece * (100_000 // len(piece)) + "</answer>"
    start = time.perf_counter()
    for family in FAMILIES:
        read_answer(text, family)
    assert time.perf_counter() - start < 10  # seconds; a quadratic pattern takes minutes
