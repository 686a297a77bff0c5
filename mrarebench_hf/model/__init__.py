"""Model backends: one file each, requests in, responses out; no loop, retry or cache inside.

A backend's module defines ``open_model(name, settings) -> Backend``. Opening reads at most a configuration, so that
a run whose responses are all stored loads no weights.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from mrarebench_hf import registry
from mrarebench_hf.errors import UsageError
from mrarebench_hf.measured import View
from mrarebench_hf.records import Prompt, Response

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Backend", "Request", "Settings", "names", "open_model"]

_DEFAULT = "transformers"
_PREFIX = re.compile(r"([a-z][a-z0-9_]+):(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may say about generation and loading.

    Attributes:
        max_new_tokens: most tokens of an answer, at least 1.
        temperature: 0 for greedy decoding, above 0 for sampling.
        system_prompt: a system message before the prompt, None for none.
        seed: seed of sampling and of the random baseline.
        revision: revision of a Hub checkpoint.
        dtype: "auto" (bfloat16 on an accelerator, float32 on a CPU), or a torch dtype's name.
        device_map: passed to the checkpoint loader, None to use the process's own device.
    """

    max_new_tokens: int = 1024
    temperature: float = 0.0
    system_prompt: str | None = None
    seed: int = 0
    revision: str | None = None
    dtype: str = "auto"
    device_map: str | None = None

    def __post_init__(self) -> None:
        if self.max_new_tokens < 1:
            raise UsageError(f"max_new_tokens must be at least 1, got {self.max_new_tokens}")
        if not 0 <= self.temperature < float("inf"):
            raise UsageError(f"temperature must be 0 or more, got {self.temperature}")


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt on its way to a model.

    Attributes:
        prompt: what is shown.
        task: the benchmark task it belongs to.
        pictures: the prompt's pictures in order, decoded to RGB.
        references: the case's references, or of a measurement its numbers as ``target``; only for backends that say
            ``needs_references``, None for all others.
    """

    prompt: Prompt
    task: str
    pictures: tuple[Image, ...] = ()
    references: Mapping[str, Any] | None = field(default=None)


class Backend(Protocol):
    """What every backend offers.

    Attributes:
        slug: folder name of the model's results.
        generation: the settings that can change a reply; part of every cache key.
        needs_references: true for baselines only.
    """

    slug: str
    generation: Mapping[str, Any]
    needs_references: bool

    def identity(self, task: str) -> Mapping[str, str | None]:
        """``backend``, ``name`` and ``revision``: part of every cache key, free of local paths."""

    def fit(self, task: str, references: Sequence[Mapping[str, Any]]) -> None:
        """Take in all references of a task; called only where ``needs_references``, before anything else."""

    def generate(self, requests: Sequence[Request]) -> list[Response]:
        """Answer a batch, one response per request in order. May raise; the loop then tries smaller batches."""

    def view(self, size_px: tuple[int, int]) -> View:
        """At what size the model sees a picture of so many rows and columns; loads no weights.

        Raises:
            ModelError: when it cannot be told.
        """


def names() -> tuple[str, ...]:
    """Names of the backends."""
    return registry.names(__name__)


def open_model(spec: str, settings: Settings) -> Backend:
    """Open a model: ``backend:name``, or a checkpoint's name or folder for transformers.

    Raises:
        UnknownNameError: for a backend that does not exist.
        ModelError: when the backend cannot open the name.
    """
    if not spec:
        raise UsageError("the model's name is empty")
    match = _PREFIX.fullmatch(spec)
    backend, name = (match[1], match[2]) if match and not Path(spec).exists() else (_DEFAULT, spec)
    return cast(Backend, registry.load(__name__, backend, kind="model backend").open_model(name, settings))
