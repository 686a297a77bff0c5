"""Stage model, private: at what size the models of vendors see a picture; one table, family → rule; pure.

In: a model's name and the size of a picture. Out: the ``View``. A vendor's server scales down what is too large and
pads what is not on its grid. A size that it changes in neither way is stated instead, so whoever uses a view **sends
the picture at its canvas**: stretched to it, which each axis's spacing makes up for. Names that the vendor's documents
do not place raise, for a wrong size would spoil every length.

Sources: the vendors' guides as named at each family; Kimi-K2.6 and MiniMax-M3 by the processors of their checkpoints;
the idea of a size that stays as it is, and the caps' use, by medvision_bm.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from mrarebench_hf.errors import ModelError, UsageError
from mrarebench_hf.measured import View

__all__ = ["FAMILIES", "ApiFamily", "view_of"]

_Size = tuple[int, int]
_Rule = Callable[[_Size], _Size]

_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
# The rule of thumb for what a picture costs Claude, width × height / 750 tokens, keeps below its cap of patches.
_CLAUDE_PX_PER_TOKEN = 750


@dataclass(frozen=True, slots=True)
class ApiFamily:
    """Models that see pictures alike.

    Attributes:
        name: for a reader.
        pattern: matches a whole name: lower case, without the vendor before a slash and the date behind.
        rule: rows and columns of a picture → those of the canvas.
    """

    name: str
    pattern: re.Pattern[str]
    rule: _Rule


def view_of(model_name: str, size_px: tuple[int, int]) -> View:
    """Canvas and content of a picture as a vendor's model sees it; both alike, for nothing is padded.

    Args:
        model_name: as the vendor or a gateway writes it, ``anthropic/claude-opus-4.6``.
        size_px: rows and columns of the picture, at least 1.

    Raises:
        UsageError: for a picture without pixels.
        ModelError: for a model that no family holds.

    >>> view_of("openai/gpt-4o-2024-08-06", (1000, 1000)).canvas
    (768.0, 768.0)
    """
    if min(size_px) < 1:
        raise UsageError(f"a picture must have at least 1 × 1 pixels, got {size_px[0]} × {size_px[1]}")
    name = _DATED.sub("", model_name.strip().lower().rpartition("/")[2])
    for family in FAMILIES:
        if family.pattern.fullmatch(name):
            rows, columns = family.rule(size_px)
            return View((float(rows), float(columns)), (float(rows), float(columns)))
    raise ModelError(
        f"it is not known at what size {model_name!r} sees a picture: pass --perceived-size H,W "
        f"(known: {', '.join(family.name for family in FAMILIES)})"
    )


def _floored(size_px: _Size, scale: float, step: int) -> _Size:
    # A side scaled to its very cap may come out a hair below it.
    rows, columns = (max(step, int(length * scale + 1e-6) // step * step) for length in size_px)
    return rows, columns


def _claude(size_px: _Size, *, long_side_px: int, tokens: int) -> _Size:
    """Whole patches of 28 pixels below a long side and a number of tokens, never larger than the picture.

    Source: Claude's guide "Vision", resolution tiers (1568 px and 1568 tokens; 2576 px and 4784 from Claude 4.7 on).
    """
    area = math.prod(size_px)
    scale = min(1.0, long_side_px / max(size_px), math.sqrt(tokens * _CLAUDE_PX_PER_TOKEN / area))
    return _floored(size_px, scale, 28)


def _openai_patches(size_px: _Size, *, patches: int) -> _Size:
    """Whole patches of 32 pixels below a number of patches and a long side of 2048, at detail "high".

    Source: OpenAI's guide "Images and vision", model sizing behaviour.
    """
    scale = min(1.0, math.sqrt(patches * 32**2 / math.prod(size_px)), 2048 / max(size_px))
    return _floored(size_px, scale, 32)


def _openai_tiles(size_px: _Size) -> _Size:
    """Scaled down into 2048 × 2048 and to a short side of 768, at detail "high"; nothing is scaled up.

    Source: OpenAI's guide "Images and vision", tile-based tokenization.
    """
    return _floored(size_px, min(1.0, 2048 / max(size_px), 768 / min(size_px)), 1)


def _gemini(size_px: _Size) -> _Size:
    """Untouched up to a long side of 3072 pixels: coordinates refer to the picture as it was sent.

    Source: Google's guides "Image understanding" and "Supported input files" (3072 × 3072).
    """
    return _floored(size_px, min(1.0, 3072 / max(size_px)), 1)


def _kimi(size_px: _Size) -> _Size:
    """Whole groups of 2 × 2 patches of 14 pixels, at most 16,384 patches and 512 on a side.

    Source: preprocessor_config.json of moonshotai/Kimi-K2.6.
    """
    patches = math.prod(max(1, length // 14) for length in size_px)
    scale = min(1.0, math.sqrt(16_384 / patches), 512 * 14 / max(size_px))
    rows, columns = _floored(size_px, scale, 28)
    while rows // 14 * (columns // 14) > 16_384:  # patches are counted before they are cut off
        rows, columns = (rows, columns - 28) if columns >= rows else (rows - 28, columns)
    return rows, columns


def _minimax(size_px: _Size) -> _Size:
    """The nearest multiples of 28 with 3,136 to 451,584 pixels in all.

    Source: the processor of MiniMax-M3 in transformers.
    """
    low, high, step = 4 * 28**2, 451_584, 28
    rows, columns = (round(length / step) * step for length in size_px)
    if rows * columns > high:
        return _floored(size_px, math.sqrt(high / math.prod(size_px)), step)
    if rows * columns < low:
        scale = math.sqrt(low / math.prod(size_px))
        rows, columns = (math.ceil(length * scale / step) * step for length in size_px)
    return rows, columns


def _family(name: str, pattern: str, rule: _Rule) -> ApiFamily:
    return ApiFamily(name, re.compile(pattern), rule)


_CLAUDE_END = r"(?:-(?:\d{8}|latest|fast))*"

# Plain gpt-5 and gpt-5.1 are not here: OpenAI's guide gives them tiles in one table and no rule in the other.
FAMILIES: tuple[ApiFamily, ...] = (
    _family(
        "Claude from 4.7 on",
        rf"claude-(?:opus-4[-.][78]|(?:fable|mythos|opus|sonnet|haiku)-5(?:[-.]\d)?){_CLAUDE_END}",
        partial(_claude, long_side_px=2576, tokens=4784),
    ),
    _family(
        "Claude up to 4.6",
        rf"claude-(?:3(?:[-.][57])?-(?:opus|sonnet|haiku)|(?:opus|sonnet|haiku)-4(?:[-.][0-6])?){_CLAUDE_END}",
        partial(_claude, long_side_px=1568, tokens=1568),
    ),
    _family("gpt-5.4 and gpt-5.5", r"gpt-5\.[45](?:-pro)?", partial(_openai_patches, patches=2500)),
    _family(
        "gpt-5.2, the mini and nano models of gpt-4.1 and gpt-5, o4-mini",
        r"gpt-(?:5(?:\.4)?|4\.1)-(?:mini|nano)|gpt-5\.2(?:-chat-latest)?|o4-mini",
        partial(_openai_patches, patches=1536),
    ),
    _family("gpt-4o, gpt-4.1, o1, o3", r"gpt-4o(?:-mini)?|gpt-4\.1|o1(?:-pro)?|o3(?:-pro)?", _openai_tiles),
    _family("Gemini 2.5 and 3", r"gemini-(?:2\.5|3(?:\.\d)?)-(?:pro|flash)(?:-lite)?(?:-preview[-\d]*)?", _gemini),
    _family("Kimi-K2.6", r"kimi-k2\.6", _kimi),
    _family("MiniMax-M3", r"minimax-m3", _minimax),
)
