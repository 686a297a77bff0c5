"""The options of the judge and of the similarity, shared by the verbs that score."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mrarebench_hf.judge import JudgeSettings

__all__ = ["add_det_backend", "add_judge", "judge_settings"]

_PEER_VARIABLE = "T2_EMBED_MODEL"
_PEER_TFIDF = ("tfidf", "none", "off")


def add_det_backend(group: argparse._ArgumentGroup) -> None:
    """Declare ``--det-backend``; the published harness's variable sets its default."""
    asked = os.environ.get(_PEER_VARIABLE, "").strip()
    group.add_argument(
        "--det-backend",
        metavar="NAME",
        default=("tfidf" if asked.lower() in _PEER_TFIDF else asked) or None,
        help="similarity behind T2's det_* metrics: minilm (default), tfidf, none, or a sentence-transformers model "
        "(folder or Hub name)",
    )


def add_judge(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Declare the judge's options; keys are no options, they come from the environment."""
    group = parser.add_argument_group("judge (its key comes from the environment)")
    group.add_argument("--judge", metavar="NAME", required=required, help="model on an OpenAI-compatible server")
    group.add_argument("--judge-base-url", metavar="URL", help="its server (else $OPENAI_BASE_URL, else OpenAI's)")
    group.add_argument(
        "--judge-key-env",
        metavar="VAR",
        default="OPENAI_API_KEY",
        help="environment variable with the key (default: OPENAI_API_KEY)",
    )
    group.add_argument(
        "--judge-format",
        choices=("json", "lines"),
        default="json",
        help="json: by a schema where the server takes one; lines: one verdict a line",
    )
    group.add_argument("--judge-concurrency", type=int, default=16, metavar="N", help="requests at a time (default 16)")
    group.add_argument("--judge-timeout", type=float, default=120.0, metavar="S", help="per request (default 120)")
    group.add_argument("--judge-retries", type=int, default=5, metavar="N", help="of a failed request (default 5)")
    group.add_argument("--judge-temperature", type=float, default=0.0, metavar="T", help="default 0")
    group.add_argument("--judge-max-tokens", type=int, default=8192, metavar="N", help="of a reply (default 8192)")
    group.add_argument(
        "--judge-passes", type=int, default=1, metavar="N", help="ask everything N times, for agreement (first counts)"
    )
    group.add_argument("--judge-rare", action="store_true", help="T1: classify every candidate as rare or not too")
    group.add_argument("--judge-prices", type=Path, metavar="FILE", help="JSON: name → input, output dollars/1M tokens")
    group.add_argument(
        "--judge-max-fail-rate", type=float, metavar="R", help="exit 1 when more than this share has no verdict"
    )


def judge_settings(args: argparse.Namespace) -> JudgeSettings | None:
    """The judge that the options describe, None without ``--judge``."""
    from mrarebench_hf.judge import JudgeSettings

    if args.judge is None:
        return None
    return JudgeSettings(
        name=args.judge,
        base_url=args.judge_base_url,
        key_variable=args.judge_key_env,
        form=args.judge_format,
        concurrency=args.judge_concurrency,
        timeout_s=args.judge_timeout,
        retries=args.judge_retries,
        temperature=args.judge_temperature,
        max_tokens=args.judge_max_tokens,
        passes=args.judge_passes,
        rare=args.judge_rare,
        prices=args.judge_prices,
        max_fail_rate=args.judge_max_fail_rate,
    )
