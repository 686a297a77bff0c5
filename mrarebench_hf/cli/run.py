"""Run a model over input conditions: ask, score, and print the table with the contrasts.

  mrarebench run --data Diagnosis Diagnosis_FD Diagnosis_TO --model Qwen/Qwen2.5-VL-7B-Instruct
  accelerate launch --multi_gpu -m mrarebench_hf run --data Diagnosis --model ...     several GPUs
  torchrun --nproc_per_node 2 -m mrarebench_hf run --data Diagnosis --model ...       several CPU processes
  mrarebench run --data Diagnosis --model baseline:random                             no model at all
  mrarebench run --data tasks_MedVision-TL.json --data-dir DIR --model ...            MedVision's tasks

The same command again takes up where it stopped and asks only for what is missing.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from mrarebench_hf.cli._judge_options import add_det_backend, add_judge, judge_settings
from mrarebench_hf.cli._measured_options import add_measured, measured_options, refuse_measured
from mrarebench_hf.cli._shared import end_as_interrupt, show

HELP = "ask a model and score its answers"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    what = parser.add_argument_group("what to run")
    what.add_argument(
        "--data", nargs="+", required=True, metavar="NAME",
        help="input conditions, for example Diagnosis_TO; or MedVision's tasks, or one task list of them (JSON)",
    )  # fmt: skip
    what.add_argument(
        "--model",
        required=True,
        help="checkpoint name or folder, or baseline:oracle|prior|random|center|refusal|scripted=FILE",
    )
    what.add_argument(
        "--mode",
        choices=("all", "infer", "eval"),
        default="all",
        help="infer: only ask; eval: only score what is stored",
    )
    what.add_argument(
        "--limit", type=int, metavar="N",
        help="at most N cases of each condition, or samples of each MedVision task (0: none); default: all, or 1000",
    )  # fmt: skip
    _add_places(parser)
    _add_generation(parser)
    add_measured(parser)
    add_judge(parser)
    add_det_backend(parser.add_argument_group("scoring"))
    _add_stored(parser)


def _add_places(parser: argparse.ArgumentParser) -> None:
    where = parser.add_argument_group("where things are")
    where.add_argument(
        "--data-dir", type=Path, metavar="DIR",
        help="folder of the benchmark files (else $LMUData, else the Hub); of MedVision the one that holds Datasets/",
    )  # fmt: skip
    where.add_argument("--revision", metavar="REV", help="revision of the Hub dataset")
    where.add_argument("--results-dir", type=Path, default=Path("results"), metavar="DIR", help="default: results")


def _add_stored(parser: argparse.ArgumentParser) -> None:
    stored = parser.add_argument_group("stored answers")
    stored.add_argument(
        "--reuse",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="use stored answers (default); --no-reuse starts afresh beside them",
    )
    stored.add_argument(
        "--reuse-aux",
        nargs="?",
        const="all",
        choices=("all", "infer", "none"),
        help="accepted for compatibility; stored answers are always resumed",
    )
    stored.add_argument("--no-cache", action="store_true", help="keep no response cache after the run")
    stored.add_argument(
        "--max-fail-rate",
        type=float,
        metavar="R",
        help="exit with 1 instead of 3 when more than this share of items is missing",
    )
    stored.add_argument(
        "--timeout",
        type=float,
        default=24 * 3600.0,
        metavar="S",
        help="seconds that processes wait for each other (default: a day)",
    )


def _add_generation(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("generation")
    group.add_argument(
        "--batch-size",
        type=int,
        default=4,
        metavar="N",
        help="samples asked at once (default 4; halved when memory runs out)",
    )
    group.add_argument("--max-new-tokens", type=int, default=1024, metavar="N", help="default 1024")
    group.add_argument("--temperature", type=float, default=0.0, metavar="T", help="0 (default) decodes greedily")
    group.add_argument("--system-prompt", metavar="TEXT", help="a system message before the prompt")
    group.add_argument("--seed", type=int, default=0, help="of sampling and of the random baseline")
    group.add_argument("--model-revision", metavar="REV", help="revision of a Hub checkpoint")
    group.add_argument("--dtype", default="auto", help="auto, float32, bfloat16 or float16")
    group.add_argument("--device-map", metavar="MAP", help='for example "auto": spread one model over the GPUs')


def run(args: argparse.Namespace) -> int:
    """Run, print the table to stdout and what is missing to stderr."""
    from mrarebench_hf import pipeline
    from mrarebench_hf.model import Settings
    from mrarebench_hf.source.task_list import is_measured

    end_as_interrupt()
    settings = Settings(
        max_new_tokens=args.max_new_tokens,
        temperature=args.temperature,
        system_prompt=args.system_prompt,
        seed=args.seed,
        revision=args.model_revision,
        dtype=args.dtype,
        device_map=args.device_map,
    )
    if is_measured(args.data):
        from mrarebench_hf.pipeline.measured_run import run_measurements

        return show(run_measurements(measured_options(args, settings)))
    refuse_measured(args)
    options = pipeline.Options(
        data=tuple(args.data),
        model=args.model,
        settings=settings,
        mode=args.mode,
        results_dir=args.results_dir,
        data_dir=args.data_dir,
        data_revision=args.revision,
        limit=args.limit,
        batch_size=args.batch_size,
        reuse=args.reuse,
        cache=not args.no_cache and os.environ.get("MEDVISION_RESP_CACHE") != "0",
        judge=judge_settings(args),
        det_backend=args.det_backend or pipeline.DEFAULT_BACKEND,
        max_fail_rate=args.max_fail_rate,
        timeout_s=args.timeout,
    )
    return show(pipeline.run(options))
