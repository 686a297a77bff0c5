"""What one run is asked to do, checked as far as it can be without looking at a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from mrarebench_hf.errors import UsageError
from mrarebench_hf.judge import JudgeSettings
from mrarebench_hf.model import Settings

__all__ = ["DEFAULT_BACKEND", "Options"]

DEFAULT_BACKEND = "minilm"


@dataclass(frozen=True, slots=True)
class Options:
    """What one run is asked to do.

    Attributes:
        data: names of input conditions, short or long.
        model: model specification, see ``mrarebench_hf.model.open_model``.
        settings: generation and loading.
        mode: "all", "infer" (collect answers only) or "eval" (score stored answers only).
        results_dir: root of all results.
        data_dir: where the benchmark files are; None looks at ``$LMUData``, then the Hub.
        data_revision: revision of the Hub dataset.
        limit: at most this many cases of each condition; 0 means none, None all.
        batch_size: samples asked at once.
        reuse: whether stored answers are used; false keeps them beside a fresh start.
        cache: whether answers are kept in the response cache after the run.
        judge: the judge of the answers, None for none.
        det_backend: the similarity for tasks that compare texts: "minilm", "tfidf", a sentence-transformers model, or
            "none" to leave out what needs it.
        max_fail_rate: share of missing items above which the run counts as failed, None for no such limit.
        timeout_s: how long processes wait for each other at the start and at the end.
    """

    data: tuple[str, ...]
    model: str
    settings: Settings = field(default_factory=Settings)
    mode: Literal["all", "infer", "eval"] = "all"
    results_dir: Path = Path("results")
    data_dir: Path | None = None
    data_revision: str | None = None
    limit: int | None = None
    batch_size: int = 4
    reuse: bool = True
    cache: bool = True
    judge: JudgeSettings | None = None
    det_backend: str = DEFAULT_BACKEND
    max_fail_rate: float | None = None
    timeout_s: float = 24 * 3600.0

    def __post_init__(self) -> None:
        if not self.data:
            raise UsageError("no condition given: --data Diagnosis")
        if self.mode == "eval" and not self.reuse:
            raise UsageError("--mode eval scores stored answers; --no-reuse would leave it none")
        if self.mode == "infer" and not self.cache:
            raise UsageError("--mode infer only stores answers; --no-cache would lose them")
        if self.mode == "infer" and self.judge is not None:
            raise UsageError("--mode infer only asks; mrarebench judge RESULTS --judge … judges what it has stored")
        if self.batch_size < 1:
            raise UsageError(f"batch_size must be at least 1, got {self.batch_size}")
        if self.limit is not None and self.limit < 0:
            raise UsageError(f"limit must be 0 or more, got {self.limit}")
        if self.max_fail_rate is not None and not 0 <= self.max_fail_rate <= 1:
            raise UsageError(f"max_fail_rate must lie between 0 and 1, got {self.max_fail_rate}")
