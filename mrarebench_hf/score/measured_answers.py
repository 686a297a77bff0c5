"""Stage score: texts of a MedVision family to numbers and scores, by one of the two profiles; pure.

In: replies, targets and physical diagonals, one per sample. Out: per sample what was read, and the columns that an
aggregate takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from mrarebench_hf import families
from mrarebench_hf.errors import UnknownNameError, UsageError
from mrarebench_hf.families import Family, Profile
from mrarebench_hf.parse.answer_block import first_block
from mrarebench_hf.parse.measurement import read, read_protocol
from mrarebench_hf.score.box_convention import (
    BOX_FORMATS,
    BOX_ORIGINS,
    BoxFormat,
    BoxOrigin,
    out_of_range,
    to_fractions,
)
from mrarebench_hf.score.measurement import SampleScores, score_samples
from mrarebench_hf.score.measurement_summary import Columns, near_zero

__all__ = [
    "Answer",
    "check_convention",
    "fitting_target",
    "has_diagonal",
    "read_answer",
    "score_answers",
    "summary_columns",
]

Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Answer:
    """What was read in one reply.

    Attributes:
        values: the k numbers, boxes as fractions from the lower left; None when there are none.
        reason: why not: one of ``parse.measurement.REASONS``, "no_size" (a box in pixels of a picture whose size is
            not known), or "no_answer" (the request failed).
        response: the numbers as text, comma-joined, "" when there are none.
        differ: whether the other profile reads other numbers, or none.
    """

    values: tuple[float, ...] | None
    reason: str | None
    response: str
    differ: bool


def read_answer(
    reply: str | None,
    family: Family,
    profile: Profile = "spec",
    box_format: BoxFormat = "xyxy01",
    origin: BoxOrigin = "lower-left",
    size_px: Pair | None = None,
    metric_type: str | None = None,
) -> Answer:
    """Read one reply; None is a failed request.

    Args:
        reply: the model's text.
        family: what is measured.
        profile: by which rules; ``medvision_bm`` knows one box convention.
        box_format: what the numbers of a box are.
        origin: where y is 0.
        size_px: rows and columns of the picture, for boxes in pixels.
        metric_type: "distance" or "angle" where a family has both; None when it is not known.

    >>> from mrarebench_hf.families import get
    >>> read_answer("<answer>[100, 200, 500, 600]</answer>", get("Detection"), box_format="xyxy1000").values
    (0.1, 0.2, 0.5, 0.6)
    """
    if reply is None:
        return Answer(None, "no_answer", "", False)
    by_spec = read(reply, family, metric_type)
    text = read_protocol(reply, family.n_values)
    by_protocol = tuple(map(float, text.split(","))) if text else None
    differ = by_spec.values != by_protocol
    if profile == "medvision_bm":
        why = None if by_protocol else "no_tag" if first_block(reply) is None else "too_few"
        return Answer(by_protocol, why, text, differ)
    values = by_spec.values
    if values is None:
        return Answer(None, by_spec.reason, "", differ)
    if family.is_box and (box_format, origin) != ("xyxy01", "lower-left"):
        if box_format == "xyxy_px" and size_px is None:
            return Answer(None, "no_size", "", differ)
        values = tuple(to_fractions([values], box_format, origin, size_px)[0].tolist())
    return Answer(values, None, ",".join(map(repr, values)), differ)


def check_convention(family: Family, profile: str, box_format: str, origin: str) -> None:
    """Raise UnknownNameError for a name that is none, UsageError for a box convention where there is nothing for it."""
    families.profile(profile)
    for kind, name, names in (("box format", box_format, BOX_FORMATS), ("box origin", origin, BOX_ORIGINS)):
        if name not in names:
            raise UnknownNameError(kind, name, names)
    if (box_format, origin) == ("xyxy01", "lower-left"):
        return
    if not family.is_box:
        raise UsageError(f"box format {box_format} and origin {origin} are for boxes; {family.name} has none")
    if profile == "medvision_bm":
        raise UsageError("profile medvision_bm knows one box convention: leave out the box format and origin")


def fitting_target(target: tuple[float, ...], family: Family, profile: Profile) -> tuple[float, ...] | None:
    """The target as k numbers.

    Raises:
        ValueError: when there are not k. ``medvision_bm`` repeats a single number, and has None otherwise, which fails
            the answer.
    """
    if len(target) == family.n_values:
        return target
    if profile == "spec":
        raise ValueError(f"target {list(target)} has {len(target)} numbers, {family.title} needs {family.n_values}")
    return target * family.n_values if len(target) == 1 and not family.is_box else None


def has_diagonal(family: Family, metric_type: str | None) -> bool:
    """Whether a sample is a length, which the picture's diagonal can be compared with: T/L, and distances of A/D."""
    return not family.is_box and (not family.metric_types or metric_type == "distance")


def score_answers(
    family: Family,
    profile: Profile,
    answers: Sequence[Answer],
    targets: Sequence[tuple[float, ...] | None],
    diagonal_mm: npt.ArrayLike,
) -> tuple[SampleScores, npt.NDArray[np.bool_]]:
    """Score n samples at once; and which of them are flagged: a box out of range, a negative length or angle.

    Args:
        family: what is measured.
        profile: by which rules.
        answers: what was read.
        targets: k numbers each; None fails the answer.
        diagonal_mm: shape (n,); NaN where it is unknown or means nothing.
    """
    nothing = (np.nan,) * family.n_values
    values = np.array([answer.values or nothing for answer in answers], np.float64).reshape(-1, family.n_values)
    of_targets = np.array([target or nothing for target in targets], np.float64).reshape(-1, family.n_values)
    parsed = [answer.values is not None and bool(target) for answer, target in zip(answers, targets, strict=True)]
    success = np.array(parsed, np.bool_)
    flagged = success & (out_of_range(values) if family.is_box else (values < 0).any(axis=1))
    return score_samples(family, profile, values, success, of_targets, diagonal_mm), flagged


def summary_columns(
    family: Family,
    answers: Sequence[Answer],
    targets: Sequence[tuple[float, ...] | None],
    scores: SampleScores,
    flagged: npt.NDArray[np.bool_],
    no_diagonal: npt.ArrayLike,
) -> Columns:
    """What ``measurement_summary.aggregate`` takes, from scored answers.

    Args:
        family: what is measured.
        answers: what was read.
        targets: as ``score_answers`` took them.
        scores: as it gave them.
        flagged: likewise.
        no_diagonal: shape (n,), whether nMAE would apply and the diagonal is unknown.
    """
    metrics = {field.name: getattr(scores, field.name) for field in fields(SampleScores) if field.name != "success"}
    first = np.array([target[0] if target else np.nan for target in targets], np.float64)
    return Columns(
        **metrics,
        scored=scores.success,
        missing=np.array([answer.reason == "no_answer" for answer in answers], np.bool_),
        near_zero=near_zero(family, first),
        flagged=flagged,
        no_diagonal=np.asarray(no_diagonal, np.bool_),
    )
