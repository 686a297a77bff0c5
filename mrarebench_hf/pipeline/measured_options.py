"""What one MedVision run is asked to do, checked as far as it can be without looking at a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mrarebench_hf.errors import UsageError
from mrarebench_hf.model import Settings
from mrarebench_hf.run.sample_policy import Policy, choose
from mrarebench_hf.source.releases import LATEST, resolve_release
from mrarebench_hf.source.task_list import TaskList

__all__ = ["DEFAULT_LIMIT", "MeasuredOptions"]

# Samples per task of an open model, as MedVision's own runs take; its detection tasks hold up to a million.
DEFAULT_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class MeasuredOptions:
    """What one run is asked to do.

    Attributes:
        tasks: the tasks, all of one family.
        model: model specification, see ``mrarebench_hf.model.open_model``.
        data_dir: the folder that holds ``Datasets/``.
        settings: generation and loading; its seed also draws the samples of the policy "random".
        mode: "all", "infer" (collect answers only) or "eval" (score stored answers only).
        results_dir: root of all results.
        release: a published version of the data, or "latest".
        limit: at most this many samples of each task; None for all.
        policy: which ones.
        resize_px: rows and columns that slices are brought to first; None leaves them.
        perceived_px: rows and columns of the picture that the model sees; None asks its processor.
        filtered: whether MedVision's filters leave samples out.
        float16: whether targets are rounded as MedVision's own rows hold them.
        batch_size: samples asked at once.
        reuse: whether stored answers are used; false keeps them beside a fresh start.
        cache: whether answers are kept in the response cache after the run.
        max_fail_rate: share of missing answers above which a task counts as failed, None for no such limit.
        timeout_s: how long processes wait for each other.
    """

    tasks: TaskList
    model: str
    data_dir: Path
    settings: Settings = field(default_factory=Settings)
    mode: Literal["all", "infer", "eval"] = "all"
    results_dir: Path = Path("results")
    release: str = LATEST
    limit: int | None = DEFAULT_LIMIT
    policy: Policy = "first"
    resize_px: tuple[int, int] | None = None
    perceived_px: tuple[int, int] | None = None
    filtered: bool = True
    float16: bool = False
    batch_size: int = 4
    reuse: bool = True
    cache: bool = True
    max_fail_rate: float | None = None
    timeout_s: float = 24 * 3600.0

    def __post_init__(self) -> None:
        resolve_release(self.release)
        choose(0, self.limit, self.policy)
        if self.mode == "eval" and not self.reuse:
            raise UsageError("--mode eval scores stored answers; --no-reuse would leave it none")
        if self.mode == "infer" and not self.cache:
            raise UsageError("--mode infer only stores answers; --no-cache would lose them")
        if self.batch_size < 1:
            raise UsageError(f"batch_size must be at least 1, got {self.batch_size}")
        if self.max_fail_rate is not None and not 0 <= self.max_fail_rate <= 1:
            raise UsageError(f"max_fail_rate must lie between 0 and 1, got {self.max_fail_rate}")

    def about(self) -> dict[str, Any]:
        """How samples are chosen and shown, for the records of a run."""
        return {
            "release": resolve_release(self.release),
            "limit": self.limit,
            "sample_policy": self.policy,
            "sample_seed": self.settings.seed if self.policy == "random" else None,
            "filtered": self.filtered,
            "reshape_image_hw": self.resize_px and list(self.resize_px),
            "perceived_size": self.perceived_px and list(self.perceived_px),
            "float16_targets": self.float16,
        }
