"""Contrasts between input conditions, paired on the cases that both have an answer for; pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from mrarebench_hf.conditions import CONTRASTS, Contrast
from mrarebench_hf.summarize.paired import difference

__all__ = ["contrasts"]

_HITS = re.compile(
    r"(?:strict_)?(?:recall@\d+|hit_rate)|t2_full_(?:hierarchical_)?required_coverage|t2_hier_\w+_gate_pass_rate"
)

CaseValues = Mapping[str, Mapping[str, float | None]]


def contrasts(
    by_condition: Mapping[str, CaseValues],
    *,
    seed: int = 0,
    comparable: Callable[[Contrast, str], bool] = lambda _contrast, _metric: True,
) -> dict[str, dict[str, Any]]:
    """Every contrast of the conditions table whose two conditions are both there.

    Args:
        by_condition: condition → case id → metric → that case's value; cases without an answer are left out.
        seed: of the bootstrap.
        comparable: whether a metric of the two conditions of a contrast was measured in the same way.

    Returns:
        contrast key → symbol, conditions, counts and, per metric, value, interval and p.
    """
    return {
        contrast.key: _one(
            contrast, by_condition[contrast.minuend], by_condition[contrast.subtrahend], seed, comparable
        )
        for contrast in CONTRASTS
        if contrast.minuend in by_condition and contrast.subtrahend in by_condition
    }


def _one(
    contrast: Contrast,
    minuend: CaseValues,
    subtrahend: CaseValues,
    seed: int,
    comparable: Callable[[Contrast, str], bool],
) -> dict[str, Any]:
    shared = [index for index in minuend if index in subtrahend]
    names = {name for index in shared for name in minuend[index] if name in subtrahend[index]}
    names = {name for name in names if comparable(contrast, name)}
    return {
        "symbol": contrast.symbol,
        "minuend": contrast.minuend,
        "subtrahend": contrast.subtrahend,
        "n_shared": len(shared),
        "n_only_minuend": len(minuend) - len(shared),
        "n_only_subtrahend": len(subtrahend) - len(shared),
        "metrics": {name: _metric(name, shared, minuend, subtrahend, seed) for name in sorted(names)},
    }


def _metric(name: str, shared: list[str], minuend: CaseValues, subtrahend: CaseValues, seed: int) -> dict[str, Any]:
    pairs = [(minuend[i].get(name), subtrahend[i].get(name)) for i in shared]
    kept = [(a, b) for a, b in pairs if a is not None and b is not None]
    values = np.array(kept, dtype=np.float64).reshape(-1, 2)
    return asdict(difference(values[:, 0], values[:, 1], hits=_HITS.fullmatch(name) is not None, seed=seed))
