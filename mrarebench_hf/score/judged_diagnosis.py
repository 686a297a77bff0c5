"""Stage score, T1: a judge's verdicts on ranked lists and on candidates in, their metrics out; pure.

A list that the judge failed on is left out of the means and counted; a case without a list scores 0 unjudged.
Source: specification of the published benchmark, section 6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from mrarebench_hf.parse.judge_reply import DIMENSIONS
from mrarebench_hf.score._metric import Metric, Values, mean

__all__ = ["METRICS", "RARE_METRICS", "dimensions", "rare"]

_HIGHEST = {"type_match": 3}
_LISTED = 10
# The published harness writes one of the five names without its underscore.
_NAMES = {name: f"judge_dim_{name.replace('_', '')}" for name in DIMENSIONS}

METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "judge_avg_score": Metric(
            "higher", "fraction", "Mean of the five dimensions, type_match divided by 3.", "Σ d / 5"
        ),
        **{
            _NAMES[name]: Metric(
                "higher",
                "grade" if name in _HIGHEST else "fraction",
                f"Mean of the judge's {name}" + (", 0 to 3." if name in _HIGHEST else "."),
                "Σ d / n",
            )
            for name in DIMENSIONS
        },
        "judge_fail_rate": Metric(
            "lower", "fraction", "Share of the lists without a usable verdict.", "failed / asked"
        ),
    }
)
RARE_METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "rare_candidate_ratio@10": Metric(
            "higher", "fraction", "Candidates judged rare, of ten per case whatever the list's length.", "Σ rare / 10"
        ),
        **{
            f"rare_candidate_{label}count@10_mean": Metric(
                "higher" if not label else "lower", "count", f"Candidates judged {words} per case.", "Σ / n"
            )
            for label, words in (("", "rare"), ("generic_", "generic"), ("unknown_", "unknown"))
        },
        "rare_candidate_judge_fail_rate": Metric(
            "lower", "fraction", "Share of the distinct candidates without a usable verdict.", "failed / asked"
        ),
    }
)


def dimensions(listed: Sequence[bool], verdicts: Sequence[Mapping[str, int] | None]) -> tuple[Values, list[Any]]:
    """The five dimensions over all cases, and per case its values (None where the judge failed).

    Args:
        listed: per case whether its answer holds a list.
        verdicts: per case the verdict; not looked at without a list.
    """
    rows = [_row(has, verdict) for has, verdict in zip(listed, verdicts, strict=True)]
    values: Values = {name: mean(None if row is None else row[name] for row in rows) for name in _MEANS}
    asked = [verdict is None for has, verdict in zip(listed, verdicts, strict=True) if has]
    values["judge_fail_rate"] = mean(map(float, asked))
    return values, rows


_MEANS = ("judge_avg_score", *_NAMES.values())


def _row(listed: bool, verdict: Mapping[str, int] | None) -> dict[str, float] | None:
    if listed and verdict is None:
        return None
    found = {name: float(verdict[name]) if listed and verdict else 0.0 for name in DIMENSIONS}
    average, _ = mean(value / _HIGHEST.get(name, 1) for name, value in found.items())
    return {"judge_avg_score": average or 0.0, **{_NAMES[name]: value for name, value in found.items()}}


def rare(candidates: Sequence[Sequence[str]], labels: Mapping[str, str | None]) -> Values:
    """How many candidates of a case are rare diseases.

    Args:
        candidates: per case its candidates, as the questions name them.
        labels: candidate → label, None where the judge failed; a case with such a candidate is left out.
    """
    rows = []
    for names in candidates:
        own = [labels.get(name) for name in names]
        if None not in own:
            rows.append(Counter(own))
    asked = [label is None for label in labels.values()]
    return {
        "rare_candidate_ratio@10": mean(row["rare"] / _LISTED for row in rows),
        "rare_candidate_count@10_mean": mean(float(row["rare"]) for row in rows),
        "rare_candidate_generic_count@10_mean": mean(float(row["generic"]) for row in rows),
        "rare_candidate_unknown_count@10_mean": mean(float(row["unknown"]) for row in rows),
        "rare_candidate_judge_fail_rate": mean(map(float, asked)),
    }
