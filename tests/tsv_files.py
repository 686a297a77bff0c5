"""Benchmark files and pictures for tests: written by the standard library, not by what is tested."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

T1 = "diagnosis_opened.tsv"
T2 = "evidence_verification_opened_FULL609.tsv"


def write(path: Path, rows: Sequence[Mapping[str, str]], *, quoting: Any = csv.QUOTE_MINIMAL) -> Path:
    """Write rows; columns in the order of the first one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter="\t", lineterminator="\n", quoting=quoting)
        table.writeheader()
        table.writerows(rows)
    return path


def t1(index: str = "0", images: Iterable[str] | str = (), **cells: str) -> dict[str, str]:
    """A T1 row."""
    row = {
        "index": index,
        "image": images if isinstance(images, str) else json.dumps(list(images)),
        "question": "What is it?",
        "context": f"Case {index}.\nA man.",
        "answer": "Fabry disease",
        "answer_aliases": '["FD"]',
    }
    return row | {name.replace("__", " "): cell for name, cell in cells.items()}


def t2(index: str = "0", images: Iterable[str] = (), **cells: str) -> dict[str, str]:
    """A T2 row."""
    row = {
        "index": index,
        "image": json.dumps(list(images)),
        "context": "Established diagnosis: Fabry disease. A man.",
        "question_open": "What is seen?",
        "final_diagnosis": "Fabry disease",
        "acceptable_evidence_points": '[{"image": "Image 1", "point": "A whorl.", "credit": "required"}]',
        "gold_rationale": "Image 1 shows a whorl.",
        "decisive_image_ids": "[1]",
        "supporting_image_ids": "[]",
        "task_type": "cross_modality",
    }
    return row | cells


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    """A picture as a file."""
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def png(color: Any = (255, 0, 0), size: tuple[int, int] = (4, 3), mode: str = "RGB") -> bytes:
    """A PNG of one colour."""
    return encoded(Image.new(mode, size, color))


def b64(data: bytes) -> str:
    """Base64 text of a file."""
    return base64.b64encode(data).decode("ascii")
