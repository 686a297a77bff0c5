"""The main job on small invented benchmarks: written, run and scored on the spot, offline.

Writes the benchmark in the real file formats, builds a tiny random-weight vision-language model when the extra
'transformers' is installed, runs it and the baselines over all six conditions, lets a stand-in for a judge grade the
answers over HTTP on this machine, and prints the tables. With the extra 'medvision' it does the same for boxes,
lesion sizes, angles and distances on computer-made volumes.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import os
from collections.abc import Sequence
from pathlib import Path

from mrarebench_hf.cli._demo_measurements import MISSING, can_measure, measure

HELP = "run everything on small built-in benchmarks"

_BASELINES = ("oracle", "prior", "random", "refusal")
_MAX_NEW_TOKENS = 32
_DET_BACKEND = "tfidf"  # needs no model


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--out", type=Path, default=Path("demo"), metavar="DIR", help="where to write (default: demo)")


def run(args: argparse.Namespace) -> int:
    """Write, run, print the table and where the files are."""
    from mrarebench_hf import demo, pipeline
    from mrarebench_hf.dataset import prepare
    from mrarebench_hf.errors import UsageError

    if os.environ.get("WORLD_SIZE", "1") != "1":
        raise UsageError("the demo runs as one process; mrarebench run shares its work among several")
    logging.getLogger("mrarebench_hf").setLevel(logging.WARNING)
    data = demo.write_benchmark(args.out / "data")
    results = args.out / "results"
    models = [f"baseline:{name}" for name in _BASELINES]
    if all(importlib.util.find_spec(package) for package in ("accelerate", "torch", "transformers")):
        models.append(str(demo.write_tiny_vlm(args.out / "tiny-vlm")))
    prepare(data_dir=data)
    codes = _score(models, data, results)
    tables = [pipeline.report(results)]
    if can_measure():
        more_codes, more_tables = measure(args.out)
        codes += more_codes
        tables += more_tables
    print()
    print("\n\n".join(text.strip() for text in tables) + "\n")
    print(_whereabouts(args.out, data, results, built=len(models) > len(_BASELINES)))
    return max(codes)


def _score(models: Sequence[str], data: Path, results: Path) -> list[int]:
    """Run the models over all conditions, with the stand-in for a judge; return the exit codes."""
    from mrarebench_hf import conditions, demo, pipeline
    from mrarebench_hf.judge import JudgeSettings
    from mrarebench_hf.model import Settings

    codes = []
    with demo.judge_server() as base_url:
        judge = JudgeSettings(demo.JUDGE_NAME, base_url, key_variable="MRAREBENCH_DEMO_KEY")
        for number, model in enumerate(models, 1):
            print(f"[{number}/{len(models)}] {model}", flush=True)
            outcome = pipeline.run(
                pipeline.Options(
                    data=tuple(condition.name for condition in conditions.CONDITIONS),
                    model=model,
                    settings=Settings(max_new_tokens=_MAX_NEW_TOKENS),
                    results_dir=results,
                    data_dir=data,
                    judge=judge,
                    det_backend=_DET_BACKEND,
                )
            )
            codes.append(outcome.exit_code)
    return codes


def _whereabouts(out: Path, data: Path, results: Path, *, built: bool) -> str:
    lines = [
        "These cases are invented, the tiny model's weights are random and the judge compares words: the numbers mean "
        "nothing.",
        f"benchmark   {data}",
        f"results     {results} (report.md, summary.json, one folder per condition and model)",
        'dataset     load_dataset("mrarebench", "Diagnosis_TO", split="test") gives these demo rows, from any folder,',
        "            until mrarebench prepare or run reads other data",
    ]
    if can_measure():
        lines.append(f"volumes     {out / 'volumes'} (try mrarebench validate-data {out / 'volumes'})")
    else:
        lines.append(MISSING)
    if not built:
        lines.append(
            "no model    pip install 'mrarebench-hf[transformers]' adds a tiny vision-language model to the demo"
        )
    model = out / "tiny-vlm" if built else "baseline:random"
    lines.append(
        f"try         mrarebench run --data Diagnosis --data-dir {data} --model {model} --results-dir {out / 'try'} "
        "--max-new-tokens 32"
    )
    return "\n".join(lines)
