"""The table of vendors' models, against the examples of their guides and against their own limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.errors import ModelError, UsageError
from mrarebench_hf.model._api_view import FAMILIES, view_of

SIDE = st.integers(30, 6000)


@pytest.mark.parametrize(
    ("name", "size_px", "canvas"),
    [
        # 300 and 200 floored to 28; an A4 scan above the tokens; a long side above the cap.
        ("claude-sonnet-4-5", (300, 200), (280, 196)),
        ("claude-sonnet-4-5-20250929", (1000, 1000), (980, 980)),
        ("anthropic/claude-opus-4.6", (1520, 1075), (1288, 896)),
        ("claude-haiku-4-5", (3000, 100), (1568, 28)),
        ("claude-opus-4-8", (1520, 1075), (1512, 1064)),
        ("claude-sonnet-5", (3000, 100), (2576, 84)),
        ("claude-3-5-sonnet-20241022", (512, 512), (504, 504)),
        ("claude-3-haiku-20240307", (512, 512), (504, 504)),
        # 1800 × 2400 to 33 × 45 of 1,536 patches.
        ("gpt-5-mini", (2400, 1800), (1440, 1056)),
        ("gpt-4.1-mini-2025-04-14", (1024, 1024), (1024, 1024)),
        ("openai/gpt-4.1-nano", (1000, 500), (992, 480)),
        ("o4-mini", (300, 200), (288, 192)),
        ("gpt-5.4", (1600, 1600), (1600, 1600)),
        ("gpt-5.5-pro", (4096, 512), (2048, 256)),
        # OpenAI's examples of tiles: 1024 × 1024 to 768 × 768, 2048 × 4096 to 768 × 1536; nothing is enlarged.
        ("gpt-4o", (1024, 1024), (768, 768)),
        ("gpt-4.1", (4096, 2048), (1536, 768)),
        ("o3", (512, 300), (512, 300)),
        ("gemini-2.5-pro", (2400, 1935), (2400, 1935)),
        ("google/gemini-3.1-pro-preview", (181, 217), (181, 217)),
        ("gemini-2.5-flash-preview-09-2025", (6144, 100), (3072, 50)),
        ("moonshotai/kimi-k2.6", (300, 200), (280, 196)),
        ("kimi-k2.6", (7500, 100), (7168, 84)),
        ("MiniMaxAI/MiniMax-M3", (300, 200), (308, 196)),
        ("minimax-m3", (1000, 1000), (672, 672)),
        ("minimax-m3", (40, 40), (56, 56)),
    ],
)
def test_sizes_by_hand(name: str, size_px: tuple[int, int], canvas: tuple[float, float]) -> None:
    view = view_of(name, size_px)
    assert view.canvas == canvas
    assert view.content == view.canvas


@pytest.mark.parametrize(
    "name",
    [
        "gpt-5",
        "gpt-5.5-codex",
        "gpt-4o-audio",
        "kimi-k2.5",
        "claude",
        "claude-2",
        "llama",
        "",
        "gemini-1.5-pro",
        "qwen-vl",
    ],
)
def test_unknown_models_are_told_with_the_way_out(name: str) -> None:
    with pytest.raises(ModelError, match="--perceived-size H,W"):
        view_of(name, (100, 100))


def test_no_name_has_two_families() -> None:
    names = [
        "claude-opus-4-7",
        "claude-opus-4-6",
        "claude-sonnet-4-20250514",
        "gpt-5.4",
        "gpt-5.4-mini",
        "gpt-4.1",
        "o4-mini",
    ]
    for name in names:
        assert sum(family.pattern.fullmatch(name) is not None for family in FAMILIES) == 1, name


def test_a_picture_has_pixels() -> None:
    with pytest.raises(UsageError, match="at least 1 × 1"):
        view_of("gpt-4o", (0, 10))


@given(SIDE, SIDE)
def test_claude_neither_pads_nor_scales_what_it_is_sent(rows: int, columns: int) -> None:
    for name, long_side, tokens in (("claude-opus-4-6", 1568, 1568), ("claude-opus-4-7", 2576, 4784)):
        canvas = view_of(name, (rows, columns)).canvas
        assert canvas[0] % 28 == canvas[1] % 28 == 0
        assert max(canvas) <= long_side
        assert math.prod(canvas) / 28**2 <= tokens
        assert canvas[0] <= max(28, rows)
        assert canvas[1] <= max(28, columns)


@given(SIDE, SIDE)
def test_openai_neither_covers_more_nor_scales_what_it_is_sent(rows: int, columns: int) -> None:
    for name, patches in (("gpt-5.5", 2500), ("gpt-5-nano", 1536)):
        canvas = view_of(name, (rows, columns)).canvas
        assert canvas[0] % 32 == canvas[1] % 32 == 0
        assert max(canvas) <= 2048
        assert math.prod(canvas) / 32**2 <= patches
    tiled = view_of("gpt-4o", (rows, columns)).canvas
    assert max(tiled) <= 2048
    assert min(tiled) <= 768


@given(SIDE, SIDE)
def test_a_size_that_is_sent_is_seen_as_it_is(rows: int, columns: int) -> None:
    for name in ("claude-opus-4-6", "gpt-5-mini", "gpt-4o", "gemini-2.5-pro", "kimi-k2.6", "minimax-m3"):
        canvas = view_of(name, (rows, columns)).canvas
        sent = (int(canvas[0]), int(canvas[1]))
        if name != "minimax-m3" or min(sent) > 28:
            assert view_of(name, sent).canvas == canvas, name
