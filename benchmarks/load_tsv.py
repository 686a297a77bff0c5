"""How fast a TSV becomes a dataset, and what memory that takes, against the least and the usual way of doing it.

    python benchmarks/load_tsv.py [--rows 300] [--pictures 3] [--kilobytes 150]

Writes a T1 file with pictures of that size, then runs each way three times in a process of its own and prints the
best. Clocks start after the imports and end when rows can be read. Peak memory is the process's own high-water mark
(`ru_maxrss`) less what it was after the imports.

Last run (two idle cores, CPython 3.11, pyarrow 26): ours is 1.6 x least and 8.9 x faster than usual; peak memory 0.48 x
file; see docs/data.md.

- least: read the file, base64-decode each picture at a place known beforehand; no parsing, nothing kept.
- ours: `prepare` of one condition into an empty cache: hash, parse, check, decode, write Arrow, memory-map.
- usual: pandas, then Pillow decodes each picture and encodes it again as JPEG (once: it is slow).
"""

from __future__ import annotations

import argparse
import base64
import binascii
import csv
import io
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER, FILE = "diagnosis", "diagnosis_opened.tsv"


def write(folder: Path, rows: int, pictures: int, kilobytes: int) -> Path:
    """Write the file and beside it where its base64 texts lie."""
    from PIL import Image

    path = folder / FOLDER / FILE
    path.parent.mkdir(parents=True)
    buffer = io.BytesIO()
    side = 64
    while buffer.tell() < kilobytes * 1000:
        buffer = io.BytesIO()
        side += 64
        # Soft shapes under a little grain: about as many bytes per pixel as a photograph of that quality.
        soft = Image.merge("RGB", [Image.effect_noise((16, 16), 90) for _ in range(3)]).resize((side, side))
        grain = Image.effect_noise((side, side), 12).convert("RGB")
        Image.blend(soft, grain, 0.3).save(buffer, "JPEG", quality=88)
    jpeg = buffer.getvalue()
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(["index", "image", "question", "context", "answer", "answer_aliases"])
        for row in range(rows):
            # Bytes behind the end of a JPEG are ignored by readers; they make each picture its own.
            texts = [base64.b64encode(jpeg + b"%06d%02d" % (row, k)).decode() for k in range(pictures)]
            table.writerow([row, json.dumps(texts), "What is it?", f"Case {row}.\nA man.", "Fabry disease", "[]"])
    spans = [match.span() for match in re.finditer(rb"[A-Za-z0-9+/=]{1000,}", path.read_bytes())]
    (folder / "spans.json").write_text(json.dumps(spans))
    print(f"{rows} rows x {pictures} pictures of {len(jpeg):,} bytes ({side} px): {path.stat().st_size:,} bytes of TSV")
    return path


def least(folder: Path) -> int:
    """Read and decode."""
    spans = json.loads((folder / "spans.json").read_bytes())
    start(folder)
    text = (folder / FOLDER / FILE).read_bytes()
    return sum(len(binascii.a2b_base64(text[begin:end])) for begin, end in spans)


def ours(folder: Path) -> int:
    """Prepare into an empty cache."""
    import datasets  # noqa: F401
    import pyarrow.csv  # noqa: F401

    from mrarebench_hf.dataset import prepare
    from mrarebench_hf.dataset.rows import prompt_of
    from mrarebench_hf.source.picture import size_px

    size_px(_pixel())  # Pillow loads its plugins on first use
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        start(folder)
        prepared = prepare(["Diagnosis"], data_dir=folder, cache_dir=cache)["Diagnosis"]
        rows = prepared.dataset(decode=False)
        assert prompt_of(rows[len(rows) - 1]).images[0]
        report(folder)
        return prepared.n_bytes()


def costs(folder: Path) -> None:
    """Print what each condition of the track takes in the cache."""
    from mrarebench_hf.conditions import CONDITIONS
    from mrarebench_hf.dataset import prepare

    names = [condition.name for condition in CONDITIONS if condition.task == "diagnosis"]
    size = (folder / FOLDER / FILE).stat().st_size
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        for name, one in prepare(names, data_dir=folder, cache_dir=cache).items():
            print(f"{name:<13} {one.n_bytes():>12,} bytes in the cache, {one.n_bytes() / size:.3f} x file")
        blocks = {file.stat().st_ino: file.stat().st_blocks * 512 for file in Path(cache).rglob("*.arrow")}
        print(f"short and long names of all three together: {sum(blocks.values()):,} bytes on disk")


def _pixel() -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.new("L", (1, 1)).save(buffer, "PNG")
    return buffer.getvalue()


def usual(folder: Path) -> int:
    """pandas, decode, encode again."""
    import pandas as pd
    from PIL import Image

    start(folder)
    table = pd.read_csv(folder / FOLDER / FILE, sep="\t")
    total = 0
    for cell in table["image"]:
        for text in json.loads(cell):
            buffer = io.BytesIO()
            Image.open(io.BytesIO(base64.b64decode(text))).convert("RGB").save(buffer, "JPEG")
            total += buffer.tell()
    return total


_BEGUN: list[float] = []


def start(_folder: Path) -> None:
    """Remember the clock and the memory after the imports."""
    _BEGUN[:] = [time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]


def report(_folder: Path) -> None:
    """Print seconds and peak bytes since the start, once."""
    if _BEGUN:
        seconds = time.perf_counter() - _BEGUN[0]
        peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - _BEGUN[1]) * 1024
        print(json.dumps({"seconds": seconds, "peak": peak}))
        _BEGUN.clear()


def measure(way: str, folder: Path, times: int) -> dict[str, float]:
    """The fastest of some runs, each in a new process."""
    runs = []
    for _ in range(times):
        command = [sys.executable, __file__, "--way", way, "--folder", str(folder)]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        runs.append(json.loads(out.splitlines()[-1]))
    return min(runs, key=lambda run: run["seconds"])


def main() -> None:
    """Measure all ways, or be one of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--pictures", type=int, default=3)
    parser.add_argument("--kilobytes", type=int, default=150)
    parser.add_argument("--way", choices=("least", "ours", "usual"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way:
        globals()[args.way](args.folder)
        report(args.folder)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = write(folder, args.rows, args.pictures, args.kilobytes).stat().st_size
        found = {way: measure(way, folder, times) for way, times in (("least", 3), ("ours", 3), ("usual", 1))}
        for way, run in found.items():
            ratio, memory = run["seconds"] / found["least"]["seconds"], run["peak"] / size
            print(f"{way:<6} {run['seconds']:7.2f} s  {ratio:5.1f} x least  peak memory {memory:.2f} x file")
        costs(folder)
        print(f"ours is {found['usual']['seconds'] / found['ours']['seconds']:.1f} x faster than usual")


if __name__ == "__main__":
    main()
