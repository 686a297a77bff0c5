"""Stage score, T1: what is reported about ranked diagnoses, and the sums it is made of.

In: item scores. Out: counts that add up exactly over shards, and from them every metric.
``METRICS`` is the only list of metrics; reports, cards and documents derive names, directions and formulas from it.
Source: specification of the published benchmark, section 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from mrarebench_hf.parse._protocol_list import MAX_CANDIDATES
from mrarebench_hf.score._metric import Metric, as_metrics

__all__ = ["CUTOFFS", "METRICS", "MISS_RANK", "Aggregate"]

CUTOFFS = (1, 3, 5, 10)
MISS_RANK = MAX_CANDIDATES + 1
GAP_WORTH_A_WARNING = Fraction(2, 100)


def _family(prefix: str, rule: str) -> dict[str, Metric]:
    table = {}
    for suffix, over, n in (("", "all items", "n_total"), ("_answered", "answered items", "n_total − n_missing")):
        for k in CUTOFFS:
            text = f"Share of {over} whose first {k} candidates hold the diagnosis, {rule}."
            table[f"{prefix}recall@{k}{suffix}"] = Metric("higher", "fraction", text, f"#{{i: r(i) ≤ {k}}} / ({n})")
        text = f"Mean over {over} of 1 / rank of the first hit, 0 for a miss, {rule}."
        table[f"{prefix}MRR{suffix}"] = Metric("higher", "fraction", text, f"Σ 1/r(i) / ({n})")
        text = f"Share of {over} with a hit among the ten candidates kept, {rule}."
        table[f"{prefix}hit_rate{suffix}"] = Metric("higher", "fraction", text, f"#{{i: r(i) exists}} / ({n})")
    text = f"Mean rank of the first hit over items that have one, {rule}; null without any hit."
    table[f"{prefix}MR"] = Metric("lower", "rank", text, "Σ r(i) / #{i: r(i) exists}")
    text = f"Mean rank of the first hit with a miss counted as rank {MISS_RANK}, {rule}."
    table[f"{prefix}MR_penalised"] = Metric("lower", "rank", text, f"Σ (r(i), or {MISS_RANK} for a miss) / (n_total)")
    return table


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        **_family("", "by the published protocol's list reading and matching"),
        **_family("strict_", "by the strict list reading and matching"),
        "parse_fail_rate": Metric(
            "lower",
            "fraction",
            "Share of all items that were answered without a candidate by the protocol's list reading.",
            "n_unparsed / (n_total)",
        ),
        "strict_parse_fail_rate": Metric(
            "lower",
            "fraction",
            "Share of all items that were answered without a candidate by the strict list reading.",
            "n_strict_unparsed / (n_total)",
        ),
        "infer_fail_rate": Metric(
            "lower",
            "fraction",
            "Share of all items without an answer (the request failed); a wrong answer in every metric above that "
            "is not *_answered.",
            "n_missing / (n_total)",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Sums over items; two of them add up to that of both item sets, exactly and in any order.

    Attributes:
        n_total: items.
        n_scored: items with at least one candidate by the protocol's reading.
        n_unparsed: items answered without a candidate by the protocol's reading.
        n_missing: items without an answer.
        n_strict_scored: as ``n_scored``, by the strict reading.
        n_strict_unparsed: as ``n_unparsed``, by the strict reading.
        n_refusals: answers that decline to diagnose.
        n_loose_only_hits: items that hit by the protocol's rule and not by the strict one.
        n_strict_only_hits: items that hit by the strict rule and not by the protocol's.
        ranks: how many items have their first hit at rank 1, 2, … 10 by the protocol's rule.
        strict_ranks: the same by the strict rule.
        reasons: how many items are missing or unparsed in the strict reading, by reason.

    >>> (Aggregate(n_total=1, reasons={"empty": 1}) + Aggregate(n_total=2)).counts()["n_total"]
    3
    """

    n_total: int = 0
    n_scored: int = 0
    n_unparsed: int = 0
    n_missing: int = 0
    n_strict_scored: int = 0
    n_strict_unparsed: int = 0
    n_refusals: int = 0
    n_loose_only_hits: int = 0
    n_strict_only_hits: int = 0
    ranks: tuple[int, ...] = (0,) * MAX_CANDIDATES
    strict_ranks: tuple[int, ...] = (0,) * MAX_CANDIDATES
    reasons: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Aggregate) -> Aggregate:
        numbers = {name: getattr(self, name) + getattr(other, name) for name in _NUMBERS}
        names = sorted({*self.reasons, *other.reasons})
        return Aggregate(
            **numbers,
            ranks=tuple(a + b for a, b in zip(self.ranks, other.ranks, strict=True)),
            strict_ranks=tuple(a + b for a, b in zip(self.strict_ranks, other.strict_ranks, strict=True)),
            reasons={name: self.reasons.get(name, 0) + other.reasons.get(name, 0) for name in names},
        )

    def counts(self) -> dict[str, Any]:
        """Every ``n_…`` of the attributes, and ``reasons``."""
        return {**{name: getattr(self, name) for name in _NUMBERS}, "reasons": dict(self.reasons)}

    def values(self) -> dict[str, float | None]:
        """Every metric of ``METRICS`` by name; None where there is nothing to average.

        >>> Aggregate().values()["recall@1"] is None
        True
        """
        return {name: None if value is None else float(value) for name, (value, _) in self._ratios().items()}

    def metrics(self) -> dict[str, dict[str, Any]]:
        """Every metric of ``METRICS``: its ``value`` (None over nothing), ``n`` it is over, ``direction``, ``unit``."""
        values = {name: (None if value is None else float(value), n) for name, (value, n) in self._ratios().items()}
        return as_metrics(METRICS, values)

    def warnings(self) -> tuple[str, ...]:
        """What a reader of the numbers must know: where the two rules differ by more than two points."""
        values = self._ratios()
        gaps = []
        for k in CUTOFFS:
            loose, strict = values[f"recall@{k}"][0], values[f"strict_recall@{k}"][0]
            if loose is not None and strict is not None and abs(loose - strict) > GAP_WORTH_A_WARNING:
                gaps.append((f"recall@{k}", f"{float(loose):.3f}/{float(strict):.3f}"))
        if not gaps:
            return ()
        names = [name for name, _ in gaps]
        listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        pairs = ", ".join(pair for _, pair in gaps)
        return (
            f"{listed} differ by more than two points between the published rule and the strict one ({pairs}); "
            f"{self.n_loose_only_hits} items hit only by the published rule: look at them",
        )

    def _ratios(self) -> dict[str, tuple[Fraction | None, int]]:
        rates = {
            "parse_fail_rate": self.n_unparsed,
            "strict_parse_fail_rate": self.n_strict_unparsed,
            "infer_fail_rate": self.n_missing,
        }
        found = {
            **self._family("", self.ranks),
            **self._family("strict_", self.strict_ranks),
            **{name: _ratio(Fraction(count), self.n_total) for name, count in rates.items()},
        }
        return {name: found[name] for name in METRICS}

    def _family(self, prefix: str, ranks: tuple[int, ...]) -> dict[str, tuple[Fraction | None, int]]:
        n_hit = sum(ranks)
        reciprocal = sum((Fraction(count, rank) for rank, count in enumerate(ranks, 1)), Fraction(0))
        total = Fraction(sum(rank * count for rank, count in enumerate(ranks, 1)))
        found = {}
        for suffix, n in (("", self.n_total), ("_answered", self.n_total - self.n_missing)):
            for k in CUTOFFS:
                found[f"{prefix}recall@{k}{suffix}"] = _ratio(Fraction(sum(ranks[:k])), n)
            found[f"{prefix}MRR{suffix}"] = _ratio(reciprocal, n)
            found[f"{prefix}hit_rate{suffix}"] = _ratio(Fraction(n_hit), n)
        found[f"{prefix}MR"] = _ratio(total, n_hit)
        found[f"{prefix}MR_penalised"] = _ratio(total + MISS_RANK * (self.n_total - n_hit), self.n_total)
        return found


_NUMBERS = tuple(f.name for f in fields(Aggregate) if f.name.startswith("n_"))


def _ratio(total: Fraction, n: int) -> tuple[Fraction | None, int]:
    return (total / n if n else None), n
