"""Stage dataset: a condition in, the columns of its dataset out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mrarebench_hf.conditions import Condition
from mrarebench_hf.source import references

if TYPE_CHECKING:
    from datasets import Features

__all__ = ["IMAGES", "LABELS", "features"]

IMAGES = "images"
LABELS = "image_labels"


def features(condition: Condition, extras: Sequence[str], *, decode: bool = True) -> Features:
    """The columns of a condition's dataset, with the same types whether or not it shows pictures.

    Args:
        condition: the input condition.
        extras: columns that are passed through, as text.
        decode: whether pictures are decoded when looked at, or stay ``{"bytes", "path"}``.
    """
    from datasets import Features, Image, List, Value

    text = Value("string")
    shown = {"index": text, IMAGES: List(Image(decode=decode)), LABELS: List(text), "prompt": text}
    own = _references()[condition.task]
    assert tuple(own) == references.FIELDS[condition.task]
    return Features({**shown, **own, **dict.fromkeys(extras, text)})


def _references() -> dict[str, dict[str, Any]]:
    from datasets import List, Value

    text, numbers = Value("string"), List(Value("int64"))
    return {
        "diagnosis": {"answer": text, "answer_aliases": List(text)},
        "evidence": {
            "final_diagnosis": text,
            "evidence_points": List({"image": text, "point": text, "category": text, "credit": text}),
            "gold_rationale": text,
            "decisive_image_ids": numbers,
            "supporting_image_ids": numbers,
            "task_type": text,
            "n_images": Value("int64"),
        },
    }
