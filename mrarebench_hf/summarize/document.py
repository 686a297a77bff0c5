"""The summary of one run: a versioned document with equal bytes for equal responses.

It holds nothing that depends on time, host, path, number of processes, batch size, retries or usage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from mrarebench_hf.conditions import Condition
from mrarebench_hf.records import Provenance

__all__ = ["BENCHMARK", "SCHEMA_VERSION", "packages", "summary"]

SCHEMA_VERSION = 1
BENCHMARK = "MRareBench"
_PACKAGES = (
    "mrarebench-hf",
    "accelerate",
    "datasets",
    "numpy",
    "pillow",
    "scikit-learn",
    "sentence-transformers",
    "torch",
    "transformers",
)


def summary(
    condition: Condition,
    *,
    provenance: Provenance,
    limit: int | None,
    prompt_sha256: str,
    model: Mapping[str, Any],
    generation: Mapping[str, Any],
    judge: Mapping[str, Any] | None,
    det_backend: str | None,
    parsed_sha256: str,
    counts: Mapping[str, Any],
    metrics: Mapping[str, Mapping[str, Any]],
    warnings: Sequence[str],
    groups: Mapping[str, Any],
) -> dict[str, Any]:
    """Put one run's facts and scores into the document's form.

    Args:
        condition: what the model was shown.
        provenance: where the cases came from.
        limit: the number of cases the run was cut to, None for all.
        prompt_sha256: hash of the prompt's wording and structure.
        model: identity of the model.
        generation: settings that can change a reply.
        judge: the judge and its rubrics, None without one.
        det_backend: the similarity that ``det_*`` values are made with, None without one.
        parsed_sha256: hash of the scored rows that belong to this summary.
        counts: ``n_total``, ``n_scored``, ``n_unparsed``, ``n_missing`` and reasons.
        metrics: name → value, n, direction, unit.
        warnings: what a reader of the numbers must know.
        groups: further views of the same cases.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "benchmark": BENCHMARK,
        "task": condition.long_name,
        "condition": condition.name,
        "data": {
            "source": provenance.source,
            "revision": provenance.revision,
            "sha256": provenance.sha256,
            "n": provenance.n_rows,
            "limit": limit,
        },
        "prompt_sha256": prompt_sha256,
        "model": dict(model),
        "generation": dict(generation),
        "judge": None if judge is None else dict(judge),
        "det_backend": det_backend,
        "packages": packages(),
        "parsed_sha256": parsed_sha256,
        "counts": dict(counts),
        "metrics": {name: dict(metric) for name, metric in metrics.items()},
        "groups": dict(groups),
        "warnings": list(warnings),
    }


def packages() -> dict[str, str | None]:
    """Versions of the packages that numbers depend on; None for one that is not installed."""
    return {name: _version(name) for name in _PACKAGES}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
