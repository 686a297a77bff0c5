"""Stage parse, T2: the dataset's evidence points in, required and optional ones with their buckets out; pure.

Source: specification of the published benchmark, section 7.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["BUCKETS", "Points", "bucket", "points_of"]

_BUCKET_OF = {
    "abstract_modality": "modality",
    "modality": "modality",
    "macroscopic_pattern": "macro_pattern",
    "region_or_field": "macro_pattern",
    "macro_pattern": "macro_pattern",
    "microstructural_pattern": "micro_pattern",
    "micro_pattern": "micro_pattern",
    "cross_image_integration": "cross_image_integration",
    "diagnostic_attribution": "diagnostic_attribution",
}
_OTHER = "other"

# In the order of the levels: what is seen in one picture, what joins pictures, what it means.
BUCKETS = ("modality", "macro_pattern", "micro_pattern", _OTHER, "cross_image_integration", "diagnostic_attribution")


@dataclass(frozen=True, slots=True)
class Points:
    """The evidence points of one case, in the dataset's order.

    Attributes:
        required: texts of the required points, each with the label of its picture in brackets where it has one.
        optional: texts of all other points.
        required_buckets: one of ``BUCKETS`` per required point.
        optional_buckets: one of ``BUCKETS`` per optional point.
    """

    required: tuple[str, ...]
    optional: tuple[str, ...]
    required_buckets: tuple[str, ...]
    optional_buckets: tuple[str, ...]


def bucket(category: object) -> str:
    """The bucket of a category as the benchmark writes it; "other" for one that it does not know.

    >>> bucket("Abstract-Modality"), bucket("macro"), bucket(None)
    ('modality', 'other', 'other')
    """
    name = re.sub(r"[^a-z0-9]+", "_", str(category or "").lower()).strip("_")
    return _BUCKET_OF.get(name, _OTHER)


def points_of(entries: Sequence[object]) -> Points:
    """Sort the points of one case; an entry that is no mapping, or whose ``point`` is blank, is left out.

    Args:
        entries: mappings with ``point``, and ``image``, ``category``, ``credit`` where known.

    >>> points_of([{"image": "Image 1", "point": "A ring.", "credit": "required"}]).required
    ('[Image 1] A ring.',)
    """
    found: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    for entry in entries:
        if not isinstance(entry, Mapping):
            continue
        text = _text(entry.get("point"))
        if text:
            image = _text(entry.get("image"))
            required = _text(entry.get("credit")).lower() == "required"
            found[required].append((f"[{image}] {text}" if image else text, bucket(entry.get("category"))))
    (required_texts, required_buckets), (optional_texts, optional_buckets) = map(_columns, (found[True], found[False]))
    return Points(required_texts, optional_texts, required_buckets, optional_buckets)


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _columns(pairs: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(text for text, _ in pairs), tuple(name for _, name in pairs)
