"""One row of a dataset: its columns, how a case becomes one, and how a row becomes a prompt again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from datasets import Features, Image, List, Value

from mrarebench_hf.conditions import Condition
from mrarebench_hf.prompt import assemble, build
from mrarebench_hf.records import Case, ImagePart, Part, Prompt, TextPart

__all__ = ["IMAGES", "features", "prompt_of", "references_of", "table"]

IMAGES = "images"
_LABELS = "image_labels"
_TEXT = Value("string")
_POINT = {"image": _TEXT, "point": _TEXT, "category": _TEXT, "credit": _TEXT}
_REFERENCES: dict[str, dict[str, Any]] = {
    "diagnosis": {"answer": _TEXT, "answer_aliases": List(_TEXT)},
    "evidence": {
        "final_diagnosis": _TEXT,
        "evidence_points": List(_POINT),
        "gold_rationale": _TEXT,
        "decisive_image_ids": List(Value("int64")),
        "supporting_image_ids": List(Value("int64")),
        "task_type": _TEXT,
    },
}


def features(condition: Condition, extras: Sequence[str]) -> Features:
    """The columns of a condition's dataset, the same types whether or not pictures are shown.

    Args:
        condition: what is shown.
        extras: columns that are passed through as text.
    """
    shown = {"index": _TEXT, IMAGES: List(Image()), _LABELS: List(_TEXT), "prompt": _TEXT}
    passed = {name: _TEXT for name in extras}
    return Features(shown | _REFERENCES[condition.task] | passed)


def table(cases: Sequence[Case], condition: Condition, extras: Sequence[str]) -> pa.Table:
    """Cases as an Arrow table of a condition's columns; pictures go in as the bytes they are."""
    schema = features(condition, extras).arrow_schema
    prompts = [build(case, condition) for case in cases]
    columns: dict[str, pa.Array] = {
        "index": pa.array([case.index for case in cases], pa.string()),
        IMAGES: _images([prompt.images for prompt in prompts], schema.field(IMAGES).type),
        _LABELS: pa.array([_labels(prompt.parts) for prompt in prompts], schema.field(_LABELS).type),
        "prompt": pa.array([prompt.text for prompt in prompts], pa.string()),
    }
    for name in _REFERENCES[condition.task]:
        columns[name] = pa.array([case.references[name] for case in cases], schema.field(name).type)
    for name in extras:
        columns[name] = pa.array([case.extras[name] for case in cases], pa.string())
    return pa.table(columns, schema=schema)


def _images(rows: Sequence[tuple[bytes | None, ...]], kind: pa.DataType) -> pa.Array:
    """Lists of pictures built from their buffers at once, so that each byte is copied once."""
    data = [picture for pictures in rows for picture in pictures]
    offsets = [0]
    for pictures in rows:
        offsets.append(offsets[-1] + len(pictures))
    structs = pa.StructArray.from_arrays(
        [pa.array(data, pa.binary()), pa.nulls(len(data), pa.string())],
        fields=[kind.value_type.field("bytes"), kind.value_type.field("path")],
        mask=pa.array([picture is None for picture in data], pa.bool_()),
    )
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), structs).cast(kind)


def _labels(parts: Sequence[Part]) -> list[str]:
    """The label before each picture, "" where there is none."""
    labels, pending = [], ""
    for part in parts[:-1]:
        if isinstance(part, TextPart):
            pending = part.text.removesuffix(":")
        else:
            assert isinstance(part, ImagePart)
            labels.append(pending)
            pending = ""
    return labels


def prompt_of(row: Mapping[str, Any]) -> Prompt:
    """The prompt that a row with undecoded pictures holds; the same as building it from the case."""
    pictures = [(label, image and image["bytes"]) for label, image in zip(row[_LABELS], row[IMAGES], strict=True)]
    return assemble(row["index"], pictures, row["prompt"])


def references_of(row: Mapping[str, Any], task: str) -> dict[str, Any]:
    """What a row is scored against."""
    return {name: row[name] for name in _REFERENCES[task]}
