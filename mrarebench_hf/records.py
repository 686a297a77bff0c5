"""The frozen records that cross from one stage to the next; plain values, no behaviour beyond views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Case", "ImagePart", "Part", "Picture", "Prompt", "Provenance", "Response", "TextPart", "Usage"]


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture of a case, as the source holds it: encoded bytes, never re-encoded.

    Attributes:
        slot: 1-based place in the source's list; an empty place is no picture but keeps its number.
        data: the encoded file, or None when it could not be had (then ``fault`` says why).
        label: what stands before the picture in a prompt, None for nothing.
        fault: why ``data`` is None.
    """

    slot: int
    data: bytes | None
    label: str | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a benchmark file, every cell as text.

    Attributes:
        task: entry of ``mrarebench_hf.tasks``.
        index: the row's id, exact characters.
        cells: the task's own text columns (an absent or empty one is not in the mapping); no picture data.
        pictures: the pictures in slot order.
        references: what scoring compares with, as the dataset's reference columns hold it.
        extras: columns that the task does not know, passed through as text.
    """

    task: str
    index: str
    cells: Mapping[str, str]
    pictures: tuple[Picture, ...]
    references: Mapping[str, Any]
    extras: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of text in a prompt."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture in a prompt: encoded bytes (None when it could not be read from the source)."""

    data: bytes | None


Part = TextPart | ImagePart


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is shown for one case, in order, as one user message.

    Attributes:
        index: id of the case.
        parts: zero or more picture groups (label, picture), then one final text.
    """

    index: str
    parts: tuple[Part, ...]

    @property
    def images(self) -> tuple[bytes | None, ...]:
        """The pictures in order."""
        return tuple(p.data for p in self.parts if isinstance(p, ImagePart))

    @property
    def text(self) -> str:
        """The final text."""
        last = self.parts[-1]
        assert isinstance(last, TextPart)
        return last.text


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request; None where the backend does not tell."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """What came back for one prompt.

    Attributes:
        index: id of the case.
        status: "ok" when the model answered (with whatever text), "failed" when no answer was had.
        text: the answer, None when failed. A model may answer with an empty text.
        finish_reason: "stop", "length" or a backend's own word.
        reason: short machine-readable cause of a failure, for counting ("picture", "out_of_memory", ...).
        error: the cause in words.
        latency_s: seconds this prompt's batch took, divided by its size.
    """

    index: str
    status: Literal["ok", "failed"]
    text: str | None = None
    finish_reason: str | None = None
    reason: str | None = None
    error: str | None = None
    latency_s: float | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a task's cases came from, so that a result can be trusted alone.

    Attributes:
        source: "local", or "hub:<repository id>".
        revision: the commit that a Hub source was resolved to; None for local files.
        sha256: hash of the benchmark file.
        n_rows: rows in it.
    """

    source: str
    revision: str | None
    sha256: str
    n_rows: int
