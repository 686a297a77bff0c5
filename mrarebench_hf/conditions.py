"""The input conditions of MRareBench: one row each, the only place that says what a model is shown.

A condition never changes how an answer is scored; differences between conditions are the measurement.
To add one, add a row. Dataset configs, prompts, the command line and the dataset card follow from it.
Structure: specification of the published benchmark, "Input conditions".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mrarebench_hf.errors import UnknownNameError

__all__ = ["CONDITIONS", "CONTRASTS", "Condition", "Contrast", "get"]

_PREFIX = "MRareBench_"


@dataclass(frozen=True, slots=True)
class Condition:
    """What one condition shows and withholds.

    Attributes:
        name: short name, also the dataset config and the value of ``--data``.
        task: entry of ``mrarebench_hf.tasks`` whose cases it shows.
        images: whether the pictures (and their labels) are shown.
        findings: whether the written image findings follow the context (T1).
        diagnosis: whether the established diagnosis stays in the context (T2).
        instruction: which of the task's instructions closes the prompt.
        why: what the condition is for.
    """

    name: str
    task: str
    images: bool
    findings: bool
    diagnosis: bool
    instruction: Literal["images", "text"]
    why: str

    @property
    def long_name(self) -> str:
        """The name that the published dataset list uses; also the tag of the results folder."""
        return _PREFIX + self.name


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference between two conditions on the cases that both scored: ``minuend`` − ``subtrahend``."""

    key: str
    symbol: str
    minuend: str
    subtrahend: str
    why: str


CONDITIONS: tuple[Condition, ...] = (
    Condition(
        name="Diagnosis",
        task="diagnosis",
        images=True,
        findings=False,
        diagnosis=False,
        instruction="images",
        why="the limited context (LC): history and pictures, the setting a clinician starts from",
    ),
    Condition(
        name="Diagnosis_FD",
        task="diagnosis",
        images=True,
        findings=True,
        diagnosis=False,
        instruction="images",
        why="full description: written findings beside the pictures, so what is left is reasoning",
    ),
    Condition(
        name="Diagnosis_TO",
        task="diagnosis",
        images=False,
        findings=False,
        diagnosis=False,
        instruction="text",
        why="text only: history without pictures, so what is gained above it comes from seeing",
    ),
    # T2's instruction is deliberately the same in all three: without pictures it probes fabrication.
    Condition(
        name="EvidenceVerif",
        task="evidence",
        images=True,
        findings=False,
        diagnosis=True,
        instruction="images",
        why="pictures and the established diagnosis: report the visible evidence",
    ),
    Condition(
        name="EvidenceVerif_TO",
        task="evidence",
        images=False,
        findings=False,
        diagnosis=True,
        instruction="images",
        why="the pictures withheld, all else equal: what is reported now was not seen",
    ),
    Condition(
        name="EvidenceVerif_NoDx",
        task="evidence",
        images=True,
        findings=False,
        diagnosis=False,
        instruction="images",
        why="the diagnosis withheld: evidence that is seen rather than inferred from its name",
    ),
)

CONTRASTS: tuple[Contrast, ...] = (
    Contrast("delta_sub", "Δ_sub", "Diagnosis_FD", "Diagnosis", "what written findings add to the pictures"),
    Contrast("delta_vis", "Δ_vis", "Diagnosis", "Diagnosis_TO", "what the pictures add to the history"),
    Contrast("delta_grd", "Δ_grd", "EvidenceVerif", "EvidenceVerif_TO", "evidence that depends on the pictures"),
    Contrast("delta_dx", "Δ_dx", "EvidenceVerif", "EvidenceVerif_NoDx", "evidence that depends on knowing the name"),
)

_BY_NAME = {c.name: c for c in CONDITIONS} | {c.long_name: c for c in CONDITIONS}


def get(name: str) -> Condition:
    """The condition of a short (``Diagnosis_TO``) or long (``MRareBench_Diagnosis_TO``) name.

    Raises:
        UnknownNameError: for any other name, with the nearest ones.

    >>> get("MRareBench_Diagnosis_TO").images
    False
    """
    try:
        return _BY_NAME[name]
    except KeyError:
        raise UnknownNameError("condition", name, (c.name for c in CONDITIONS)) from None
