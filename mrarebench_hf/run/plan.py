"""The order of work: pure, decided once by the main process and the same for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Chunk", "Item", "chunks", "cost"]

_PATCH_PIXELS = 28 * 28  # a vision token's share of a picture, as current models cut it
_TOKEN_CHARS = 4


@dataclass(frozen=True, slots=True)
class Item:
    """One sample that still needs an answer.

    Attributes:
        work: name of the share of the run that it belongs to.
        row: its row there.
        fingerprint: what its response is stored under.
        cost: rough work, in tokens.
    """

    work: str
    row: int
    fingerprint: str
    cost: float


@dataclass(frozen=True, slots=True)
class Chunk:
    """Samples of one share of the run that are asked as one batch."""

    items: tuple[Item, ...]


def cost(sizes_px: Sequence[tuple[int, int]], n_chars: int) -> float:
    """Rough work of one sample in tokens: picture area and text length.

    Args:
        sizes_px: width and height of each picture in pixels.
        n_chars: characters of all texts of the prompt.

    >>> cost([(28, 28)], 400)
    101.0
    """
    return sum(w * h for w, h in sizes_px) / _PATCH_PIXELS + n_chars / _TOKEN_CHARS


def chunks(items: Sequence[Item], batch_size: int) -> list[Chunk]:
    """Batches of at most ``batch_size`` samples of one share, the dearest first.

    Neighbours in cost share a batch, so that little is padded; the dearest go first, so that no process is left
    alone with a long one at the end. The order depends on the items only, not on the order they come in.
    """
    by_work: dict[str, list[Item]] = {}
    for item in sorted(items, key=lambda i: (-i.cost, i.work, i.row)):
        by_work.setdefault(item.work, []).append(item)
    found = [
        Chunk(tuple(group[start : start + batch_size]))
        for group in by_work.values()
        for start in range(0, len(group), batch_size)
    ]
    return sorted(found, key=lambda c: (-c.items[0].cost, c.items[0].work, c.items[0].row))
