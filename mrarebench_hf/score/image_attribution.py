"""Stage score, T2 Evidence: do an answer's picture numbers fit the case, by two readings side by side; pure.

In: answers and per case its number of pictures, the decisive and the supporting ones. Out: one score per case, and
means over cases. Plain names follow the published protocol's reading; the ``strict_`` ones read what a person would.
An item is "scored", "unparsed" (a blank answer) or "missing" (no answer): never merged. A missing answer counts as
wrong where its case defines a value that should be high, and makes no claim that a rate of wrong claims could count.
Source: specification of the published benchmark, sections 8.3 and 8.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from mrarebench_hf.errors import UsageError
from mrarebench_hf.parse.image_mentions import labelled, mentioned, strict_labelled, strict_mentioned
from mrarebench_hf.score._metric import Metric, Values, mean

__all__ = [
    "METRICS",
    "ItemAttribution",
    "Reference",
    "aggregate",
    "case_values",
    "counts",
    "score_items",
    "score_one",
]

Status: TypeAlias = Literal["scored", "unparsed", "missing"]

_SELECT_RECALL = "det_image_select_recall"
_SELECT_PRECISION = "det_image_select_precision"
_OFFTARGET = "det_image_attribution_offtarget_rate"
_READINGS = {"": "by the published protocol's reading", "strict_": "by the strict reading"}
# A case whose every picture is decisive leaves nothing to select, so these are averaged over the others only.
_NEEDS_DISTRACTORS = frozenset(
    f"{prefix}{name}" for prefix in _READINGS for name in (_SELECT_RECALL, _SELECT_PRECISION, _OFFTARGET)
)

_PICTURES = "over cases with pictures"
_CHOICE = "over cases with decisive pictures and others"
_CHOSEN = f"{_CHOICE} whose answer mentions any picture"
_ROWS: tuple[tuple[str, Literal["higher", "lower"], str, str], ...] = (
    (
        "det_image_coverage",
        "higher",
        f"Share of the case's pictures that the answer mentions, {_PICTURES}",
        "#(M ∩ {1…n}) / n",
    ),
    (
        "det_image_ref_out_of_range_rate",
        "lower",
        f"Share of the mentioned numbers that no picture of the case has, 0 without any, {_PICTURES}",
        "#(M − {1…n}) / #M",
    ),
    (
        "det_image_format_compliance",
        "higher",
        f"Share of the case's pictures that have a label of their own in the answer, {_PICTURES}",
        "#(L ∩ {1…n}) / n",
    ),
    (
        "det_image_attribution_hallucination_rate",
        "lower",
        "Share of the mentioned numbers that are neither decisive nor supporting pictures of the case, over cases with "
        "pictures and any such number whose answer mentions any number",
        "#(M − (S ∩ {1…n})) / #M",
    ),
    (_SELECT_RECALL, "higher", f"Share of the decisive pictures that the answer mentions, {_CHOICE}", "#(M ∩ D) / #D"),
    (_SELECT_PRECISION, "higher", f"Share of the mentioned pictures that are decisive, {_CHOSEN}", "#(M′ ∩ D) / #M′"),
    (
        _OFFTARGET,
        "lower",
        f"Share of the mentioned pictures that are neither decisive nor supporting, {_CHOSEN}",
        "#(M′ − S) / #M′",
    ),
)

METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        f"{prefix}{name}": Metric(direction, "fraction", f"{text}; {reading}.", f"mean of {formula}")
        for prefix, reading in _READINGS.items()
        for name, direction, text, formula in _ROWS
    }
)


@dataclass(frozen=True, slots=True)
class Reference:
    """What the pictures of one case are.

    Attributes:
        n_images: how many pictures the case has, 0 or more; they are numbered from 1.
        decisive: numbers of the pictures that the diagnosis rests on.
        supporting: numbers of those that speak for it; the decisive ones count among them, named or not.

    Raises:
        UsageError: for a negative number.
    """

    n_images: int
    decisive: frozenset[int] = frozenset()
    supporting: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        if self.n_images < 0:
            raise UsageError(f"n_images must be 0 or more, got {self.n_images!r}")
        for name, numbers in (("decisive", self.decisive), ("supporting", self.supporting)):
            if any(number < 0 for number in numbers):
                raise UsageError(f"{name} must hold picture numbers of 0 or more, got {sorted(numbers)!r:.80}")

    @property
    def has_distractors(self) -> bool:
        """Whether some pictures are decisive and others are not, so that there is something to select."""
        return bool(self.decisive) and self.n_images > len(self.decisive)


@dataclass(frozen=True, slots=True)
class ItemAttribution:
    """The score of one item by both readings.

    Attributes:
        referenced: picture numbers that the answer mentions, by the protocol's reading.
        labelled: those that have a label of their own, by the protocol's reading.
        values: fractions and ``det_n_ref_images`` (a count) by name; a name that is undefined for the item is absent.
        strict_values: the same by the strict reading, under ``strict_`` names.
        has_distractors: whether the item enters the means of the metrics about selecting pictures.
        status: "scored", "unparsed" for a blank answer, "missing" for none.
        strict_referenced: as ``referenced``, by the strict reading.
        strict_labelled: as ``labelled``, by the strict reading.
    """

    referenced: frozenset[int]
    labelled: frozenset[int]
    values: Mapping[str, float]
    strict_values: Mapping[str, float]
    has_distractors: bool
    status: Status
    strict_referenced: frozenset[int]
    strict_labelled: frozenset[int]


def score_items(texts: Sequence[str | None], references: Sequence[Reference]) -> list[ItemAttribution]:
    """Score every item; no items give no scores.

    Args:
        texts: per item the model's answer, or None when the request failed.
        references: per item what its pictures are, in the same order.

    Raises:
        UsageError: for a plain string in place of the items, unequal lengths, or an answer of another type.

    >>> [item.status for item in score_items(["Image 1", None], [Reference(2), Reference(2)])]
    ['scored', 'missing']
    """
    if isinstance(texts, str):
        raise UsageError(f"texts must hold one entry per item, got the single text {texts[:60]!r}")
    if len(texts) != len(references):
        raise UsageError(f"{len(texts)} texts for {len(references)} references: one of each per item")
    return [score_one(text, reference) for text, reference in zip(texts, references, strict=True)]


def score_one(text: str | None, reference: Reference) -> ItemAttribution:
    """Score one item.

    Raises:
        UsageError: for an answer that is neither text nor None.

    >>> score_one("Image 1: a ring. Image 3 is blurred.", Reference(2, frozenset({1}))).values["det_image_coverage"]
    0.5
    >>> sorted(score_one(None, Reference(2)).values)
    ['det_image_coverage', 'det_image_format_compliance']
    """
    if text is not None and not isinstance(text, str):
        raise UsageError(f"an answer must be a text or None, got {text!r:.60}")
    loose, loose_labels = (mentioned(text), labelled(text)) if text else (frozenset(), frozenset())
    strict, strict_labels = (strict_mentioned(text), strict_labelled(text)) if text else (frozenset(), frozenset())
    values, strict_values = _values(loose, loose_labels, reference), _values(strict, strict_labels, reference)
    if text is None:
        values, strict_values = _wrong(values), _wrong(strict_values)
    return ItemAttribution(
        referenced=loose,
        labelled=loose_labels,
        values=values,
        strict_values={f"strict_{name}": value for name, value in strict_values.items()},
        has_distractors=reference.has_distractors,
        status="missing" if text is None else "scored" if text.strip() else "unparsed",
        strict_referenced=strict,
        strict_labelled=strict_labels,
    )


def aggregate(items: Iterable[ItemAttribution]) -> Values:
    """Mean and number of items of every metric of ``METRICS``; None over nothing. The order of items does not matter.

    >>> aggregate(score_items(["Image 1", None], [Reference(1), Reference(1)]))["det_image_coverage"]
    (0.5, 2)
    """
    per_case = [case_values(item) for item in items]
    return {name: mean(values[name] for values in per_case) for name in METRICS}


def counts(items: Iterable[ItemAttribution]) -> dict[str, int]:
    """How many items there are by outcome, and how many can enter the means.

    Returns:
        n_total, n_scored, n_unparsed, n_missing; n_image_attribution_scored, the items whose case has pictures;
        n_image_select_scored_distractor_subset, those whose case has decisive pictures and others.

    >>> counts([])["n_total"]
    0
    """
    found = list(items)
    by_status = {f"n_{name}": sum(item.status == name for item in found) for name in ("scored", "unparsed", "missing")}
    return {
        "n_total": len(found),
        **by_status,
        "n_image_attribution_scored": sum("det_image_coverage" in item.values for item in found),
        "n_image_select_scored_distractor_subset": sum(item.has_distractors for item in found),
    }


def case_values(item: ItemAttribution) -> dict[str, float | None]:
    """One item's own value of every metric of ``METRICS``, for paired contrasts; None where it enters no mean.

    >>> case_values(score_one("Image 1", Reference(1, frozenset({1}))))["det_image_select_recall"] is None
    True
    """
    values = {**item.values, **item.strict_values}
    skipped = frozenset() if item.has_distractors else _NEEDS_DISTRACTORS
    return {name: None if name in skipped else values.get(name) for name in METRICS}


def _values(referenced: frozenset[int], labels: frozenset[int], reference: Reference) -> dict[str, float]:
    n, decisive = reference.n_images, reference.decisive
    supporting = reference.supporting | decisive
    real = _within(referenced, n)
    values = {"det_n_ref_images": float(len(referenced))}
    if n:
        values["det_image_coverage"] = len(real) / n
        values["det_image_ref_out_of_range_rate"] = len(referenced - real) / len(referenced) if referenced else 0.0
        values["det_image_format_compliance"] = len(_within(labels, n)) / n
        if referenced and supporting:
            wrong = len(referenced - (real & supporting))
            values["det_image_attribution_hallucination_rate"] = wrong / len(referenced)
    if decisive:
        values[_SELECT_RECALL] = len(referenced & decisive) / len(decisive)
        # The protocol cannot tell real pictures from others where a case has none, and takes all for real.
        chosen = real if n else referenced
        if chosen:
            values[_SELECT_PRECISION] = len(chosen & decisive) / len(chosen)
            values[_OFFTARGET] = len(chosen - supporting) / len(chosen)
    return values


def _within(numbers: frozenset[int], n_images: int) -> frozenset[int]:
    return frozenset(number for number in numbers if 1 <= number <= n_images)


def _wrong(empty: Mapping[str, float]) -> dict[str, float]:
    """Of the values of an empty answer those of a missing one: no credit, and no claim that could be right."""
    return {name: value for name, value in empty.items() if name in METRICS and METRICS[name].direction == "higher"}
