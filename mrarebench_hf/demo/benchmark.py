"""Writes the synthetic mini-benchmark in the benchmark's own file formats: two TSV files, pictures inside.

A reader cannot tell these files from the published ones by their form, only by their content and size.
"""

from __future__ import annotations

import base64
import csv
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mrarebench_hf import tasks
from mrarebench_hf.demo.content import CASES, NOTICE, DemoCase
from mrarebench_hf.demo.pictures import ENCODINGS, draw, encode

__all__ = ["ROOT", "write_benchmark"]

ROOT = "MRareBench"
_SEED = 20_240_229
_SIZES_PX = ((160, 128), (128, 128), (144, 176), (192, 120))
_TASK_TYPES = ("single_modality_multi_view", "cross_modality", "temporal_followup", "")


def write_benchmark(folder: str | Path) -> Path:
    """Write both tracks of the mini-benchmark and return the folder that holds them.

    Args:
        folder: becomes the data folder, that is what ``--data-dir`` and ``LMUData`` point at; made if absent.

    Returns:
        ``folder / "MRareBench"``. The same Pillow version writes the same bytes every time.
    """
    root = Path(folder) / ROOT
    for name, rows in (("diagnosis", _diagnosis_rows()), ("evidence", _evidence_rows())):
        task = tasks.get(name)
        _write_tsv(root / task.folder / task.filename, task.columns, rows)
    return root


def _write_tsv(path: Path, columns: Sequence[str], rows: Iterator[Mapping[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _images(row: int, case: DemoCase, shift: int) -> list[str]:
    """Base64 files of a case's pictures; the encodings take turns so that all occur in each track."""
    rng = random.Random(_SEED + 1000 * shift + row)
    first = 3 * row + shift
    pictures = []
    for place, view in enumerate(case.views):
        width_px, height_px = _SIZES_PX[(row + place) % len(_SIZES_PX)]
        image = draw(view.scene, rng, width_px=width_px, height_px=height_px)
        pictures.append(base64.b64encode(encode(image, ENCODINGS[(first + place) % len(ENCODINGS)])).decode("ascii"))
    return pictures


def _paths(row: int, case: DemoCase) -> list[str]:
    return [f"images/{row}--{slot}.jpg" for slot, _ in enumerate(case.views, 1)]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _vignette(case: DemoCase) -> str:
    return f"A {case.patient} {case.history}.\n{case.tests}."


def _diagnosis_rows() -> Iterator[dict[str, str]]:
    for row, case in enumerate(CASES):
        paths = _paths(row, case)
        findings = [
            {
                "title": view.study,
                "body": f"{_sentence(view.macro)} {_sentence(view.micro)}",
                "markdown": f"### {view.study}\n{_sentence(view.macro)} {_sentence(view.micro)}",
            }
            for view in case.views
        ]
        labels = [f"Figure {slot} ({view.study})" for slot, view in enumerate(case.views, 1)]
        yield {
            "index": str(row),
            "image": _json(_images(row, case, shift=0)),
            "image_path": _json(paths),
            "question": "What is the most likely diagnosis?",
            "context": f'{NOTICE}\n\n{_vignette(case)}\n\nFamily:\t"nothing of note"; pictures: {len(paths)}.',
            "image findings": _json(findings),
            "answer": case.name,
            "answer_aliases": _json(case.aliases),
            "figure_mapping": _json(dict(zip(labels, paths, strict=True))),
        }


def _evidence_rows() -> Iterator[dict[str, str]]:
    for row, case in enumerate(CASES):
        slots = [f"Image {slot}" for slot, _ in enumerate(case.views, 1)]
        shown = [f"{slot} shows {view.macro}; {view.micro}." for slot, view in zip(slots, case.views, strict=True)]
        decisive = list(range(1, min(2, len(slots)) + 1))
        yield {
            "index": str(row),
            "image": _json(_images(row, case, shift=1)),
            "image_path": _json(_paths(row, case)),
            "image_slot_map": _json([{"public_slot": slot, "source_file": f"{slot[6:]}.jpg"} for slot in slots]),
            "context": f"Established diagnosis: {case.name}. {NOTICE}\n{_vignette(case)}\n"
            f"Relevant images: {', '.join(slots)}.",
            "question_open": "Which visible findings support the diagnosis,\nand how do they fit together?",
            "question": "Which statement is best supported?\nA. The first\nB. The second",
            "final_diagnosis": case.name,
            "acceptable_evidence_points": _json(_points(row, case)),
            "gold_rationale": " ".join([*shown, case.synthesis]),
            "gold_answer_open": shown[0],
            "decisive_image_ids": _json(decisive),
            "supporting_image_ids": _json(list(range(len(decisive) + 1, len(slots) + 1))),
            "task_type": _TASK_TYPES[row % len(_TASK_TYPES)],
        }


def _points(row: int, case: DemoCase) -> list[dict[str, str]]:
    points = []
    for slot, view in enumerate(case.views, 1):
        for category, text, required in (
            ("abstract_modality", f"The study is: {view.study}.", (row + slot) % 3 == 0),
            ("region_or_field" if (row + slot) % 4 == 0 else "macroscopic_pattern", _sentence(view.macro), True),
            ("microstructural_pattern", _sentence(view.micro), (row + slot) % 2 == 0),
        ):
            points.append(_point(f"Image {slot}", text, category, required=required))
    if len(case.views) > 1:
        points.append(_point("", case.synthesis, "cross_image_integration", required=True))
    meaning = f"Together the findings support {case.name}."
    points.append(_point("", meaning, "diagnostic_attribution", required=row % 2 == 0))
    return points


def _point(image: str, text: str, category: str, *, required: bool) -> dict[str, str]:
    return {"image": image, "point": text, "category": category, "credit": "required" if required else "optional"}
