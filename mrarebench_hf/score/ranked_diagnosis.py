"""Stage score, T1 Diagnosis: ranked lists of diagnoses against references, by two rules side by side.

In: replies (or ranked lists) and references. Out: one score per item, and sums from which every metric follows.
The headline follows the published protocol's list reading and matching; every ``strict_`` value uses the careful ones.
An item is "scored", "unparsed" (answered without a candidate) or "missing" (no answer): never merged.
With several accepted names a hit is the first candidate that any of them matches; a reference counts once.
Source: specification of the published benchmark, sections 4 to 6 and 10.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from mrarebench_hf.errors import UsageError
from mrarebench_hf.parse.ranked_list import fold_repeats, protocol_list, protocol_ten, strict_list
from mrarebench_hf.score._match_protocol import ProtocolNames, protocol_names
from mrarebench_hf.score._match_strict import StrictNames, strict_names
from mrarebench_hf.score._metric import Metric
from mrarebench_hf.score._ranked_metrics import CUTOFFS, METRICS, Aggregate

__all__ = [
    "METRICS",
    "Aggregate",
    "ItemScore",
    "Metric",
    "Reference",
    "aggregate",
    "case_values",
    "is_failure",
    "loose_only_hits",
    "score_items",
    "score_one",
]

Status: TypeAlias = Literal["scored", "unparsed", "missing"]
Prediction: TypeAlias = "str | Sequence[str] | None"

# What VLMEvalKit stores in place of an answer when a request has failed for good.
FAILURE_MARKER = "Failed to obtain answer"


@dataclass(frozen=True, slots=True)
class Reference:
    """The names that count as right for one item; blank ones are ignored.

    Attributes:
        answer: the diagnosis.
        aliases: other accepted names.
    """

    answer: str
    aliases: Sequence[str] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Distinct names, trimmed, the answer first."""
        trimmed = (name.strip() for name in (self.answer, *self.aliases))
        return tuple(dict.fromkeys(name for name in trimmed if name))


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The score of one item by both rules.

    Attributes:
        ranked: candidates by the protocol's reading, at most ten.
        first_hit_rank: 1-based rank of the first of them that names the reference, None for none.
        match_type: how it hits: "equal", "contained" or "overlap".
        status: outcome by the protocol's reading.
        strict_ranked: candidates by the strict reading, at most ten.
        strict_first_hit_rank: as ``first_hit_rank``, by the strict reading and matching.
        strict_match_type: how it hits: "exact", "spacing", "reworded" or "qualified".
        strict_matched: the reference's name that it agrees with.
        strict_status: outcome by the strict reading.
        reason: why there is no strict candidate; None when there is one.
        refusal: whether the answer declines to diagnose (the headline still reads it as any text).
    """

    ranked: tuple[str, ...]
    first_hit_rank: int | None
    match_type: str | None
    status: Status
    strict_ranked: tuple[str, ...]
    strict_first_hit_rank: int | None
    strict_match_type: str | None
    strict_matched: str | None
    strict_status: Status
    reason: str | None
    refusal: bool

    def as_dict(self) -> dict[str, Any]:
        """All attributes by name, tuples as lists, ready for JSON."""
        found = asdict(self)
        return found | {"ranked": list(self.ranked), "strict_ranked": list(self.strict_ranked)}


_MISSING = ItemScore((), None, None, "missing", (), None, None, None, "missing", "request_failed", False)


def is_failure(text: str) -> bool:
    """Whether a text is the mark that another harness stores for a failed request, not a model's answer.

    >>> is_failure("Failed to obtain answer via API."), is_failure("1. Fabry disease")
    (True, False)
    """
    return text.lstrip().startswith(FAILURE_MARKER)


def score_items(
    predictions: Sequence[Prediction], references: Sequence[Reference], *, foreign: bool = True
) -> list[ItemScore]:
    """Score every item; no items give no scores.

    Args:
        predictions: per item the model's text, or a ready ranked list, or None when the request failed.
        references: per item the accepted names, in the same order.
        foreign: whether another harness may have stored its failure mark as a text; our own runs tell failures by
            their status, and a model that says these words has answered.

    Raises:
        UsageError: for a plain string in place of the items, unequal lengths, or a prediction of another type.

    >>> [s.first_hit_rank for s in score_items(["1. Pompe disease\\n2. Fabry disease"], [Reference("Fabry disease")])]
    [2]
    """
    if isinstance(predictions, str):
        raise UsageError(f"predictions must hold one entry per item, got the single text {predictions[:60]!r}")
    if len(predictions) != len(references):
        raise UsageError(f"{len(predictions)} predictions for {len(references)} references: one of each per item")
    return [score_one(p, r, foreign=foreign) for p, r in zip(predictions, references, strict=True)]


def score_one(prediction: Prediction, reference: Reference, *, foreign: bool = True) -> ItemScore:
    """Score one item.

    A failed request (None, or another harness's failure mark) is "missing" and an empty reply "unparsed" by both rules:
    neither is ever read as a diagnosis. A ready list skips the reading but gets the same cut to ten distinct names.

    Raises:
        UsageError: for a prediction that is neither text, nor a list of texts, nor None.

    >>> score_one("Failed to obtain answer via API.", Reference("Takayasu arteritis", ("TA",))).status
    'missing'
    """
    if prediction is None or (foreign and isinstance(prediction, str) and is_failure(prediction)):
        return _MISSING
    loose, strict, reason, refusal = _candidates(prediction)
    protocol_golds, strict_golds = _golds(reference.names)
    rank, match_type = _first(loose, protocol_golds)
    strict_rank, strict_type, matched = _strict_first(strict, strict_golds)
    return ItemScore(
        ranked=loose,
        first_hit_rank=rank,
        match_type=match_type,
        status="scored" if loose else "unparsed",
        strict_ranked=strict,
        strict_first_hit_rank=strict_rank,
        strict_match_type=strict_type,
        strict_matched=matched,
        strict_status="scored" if strict else "unparsed",
        reason=reason,
        refusal=refusal,
    )


def aggregate(items: Iterable[ItemScore]) -> Aggregate:
    """Sums over items, from which ``Aggregate.metrics()`` makes the metrics; aggregates of shards add up exactly.

    >>> aggregate([]).counts()["n_total"], aggregate([]).values()["MRR"]
    (0, None)
    """
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    ranks = dict.fromkeys(range(1, CUTOFFS[-1] + 1), 0)
    strict_ranks = dict(ranks)
    for item in items:
        counts["n_total"] += 1
        counts[f"n_{item.status}"] += 1
        if item.strict_status != "missing":
            counts[f"n_strict_{item.strict_status}"] += 1
        counts["n_refusals"] += item.refusal
        loose, strict = item.first_hit_rank, item.strict_first_hit_rank
        if loose is not None:
            ranks[loose] += 1
            counts["n_loose_only_hits"] += strict is None
        if strict is not None:
            strict_ranks[strict] += 1
            counts["n_strict_only_hits"] += loose is None
        if item.reason is not None:
            reasons[item.reason] += 1
    return Aggregate(
        **counts,
        ranks=tuple(ranks.values()),
        strict_ranks=tuple(strict_ranks.values()),
        reasons=dict(sorted(reasons.items())),
    )


def loose_only_hits(items: Sequence[ItemScore]) -> list[int]:
    """Positions of the items that hit by the protocol's rule and not by the strict one; for a human to look at."""
    return [i for i, item in enumerate(items) if item.first_hit_rank is not None and item.strict_first_hit_rank is None]


def case_values(item: ItemScore) -> dict[str, float | None]:
    """One item's own value of each headline and strict metric, for paired contrasts; MR is None without a hit.

    A missing item gives a miss everywhere, as the headline counts it; leave it out to compare answered items.

    >>> case_values(score_one("1. Fabry disease", Reference("Fabry disease")))["MRR"]
    1.0
    """
    values: dict[str, float | None] = {}
    for prefix, rank in (("", item.first_hit_rank), ("strict_", item.strict_first_hit_rank)):
        for k in CUTOFFS:
            values[f"{prefix}recall@{k}"] = float(rank is not None and rank <= k)
        values[f"{prefix}MRR"] = 0.0 if rank is None else 1 / rank
        values[f"{prefix}MR"] = None if rank is None else float(rank)
        values[f"{prefix}hit_rate"] = float(rank is not None)
    return values


@lru_cache(maxsize=4_096)
def _golds(names: tuple[str, ...]) -> tuple[ProtocolNames, StrictNames]:
    return protocol_names(names), strict_names(names)


def _candidates(prediction: str | Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...], str | None, bool]:
    """Candidates by the protocol and by the strict reading, the reason for no strict one, and whether it refuses."""
    if isinstance(prediction, str):
        if not prediction or prediction.isspace():
            return (), (), "empty", False
        strict = strict_list(prediction)
        return tuple(protocol_list(prediction)), strict.candidates, strict.reason, strict.refusal
    names = _names(prediction)
    strict_names_ = fold_repeats(names)
    return tuple(protocol_ten(names)), strict_names_, None if strict_names_ else "empty", False


def _names(prediction: Sequence[str]) -> list[str]:
    if not isinstance(prediction, Sequence) or not all(isinstance(name, str) for name in prediction):
        raise UsageError(f"a prediction must be a text, a list of names or None, got {prediction!r:.80}")
    return [name.strip() for name in prediction]


def _first(candidates: Sequence[str], golds: ProtocolNames) -> tuple[int | None, str | None]:
    for rank, candidate in enumerate(candidates, 1):
        kind = golds.hit(candidate)
        if kind is not None:
            return rank, kind
    return None, None


def _strict_first(candidates: Sequence[str], golds: StrictNames) -> tuple[int | None, str | None, str | None]:
    for rank, candidate in enumerate(candidates, 1):
        hit = golds.hit(candidate)
        if hit is not None:
            return rank, hit.kind, hit.name
    return None, None, None
