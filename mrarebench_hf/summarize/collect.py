"""All runs below a results folder in one document: their summaries, and the contrasts between their conditions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mrarebench_hf.errors import StoreError
from mrarebench_hf.store.atomic import dumps, read_json
from mrarebench_hf.store.layout import RunFolder, run_folders
from mrarebench_hf.summarize.contrasts import CaseValues, contrasts
from mrarebench_hf.summarize.document import BENCHMARK, SCHEMA_VERSION

__all__ = ["collect"]


def collect(results_dir: Path, *, seed: int = 0) -> dict[str, Any]:
    """Read every run below a results folder.

    Contrasts pair runs of one model with equal identity, settings and data; runs that differ there are not compared.

    Args:
        results_dir: the folder that ``--results-dir`` named.
        seed: of the bootstrap intervals.

    Raises:
        StoreError: when the folder does not exist or a file in it cannot be read.
    """
    runs = [(folder, _read(folder)) for folder in run_folders(results_dir)]
    return {
        "schema_version": SCHEMA_VERSION,
        "benchmark": BENCHMARK,
        "runs": [document for _, document in runs],
        "contrasts": _contrasts(runs, seed),
    }


def _read(folder: RunFolder) -> dict[str, Any]:
    document = read_json(folder.summary)
    version = document.get("schema_version")
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{folder.summary} has schema version {version!r}, this package reads {SCHEMA_VERSION}: score the run "
            "again with --mode eval, or move the folder away"
        )
    return document


def _contrasts(runs: Sequence[tuple[RunFolder, Mapping[str, Any]]], seed: int) -> list[dict[str, Any]]:
    comparable: dict[str, dict[str, RunFolder]] = {}
    identities: dict[str, Mapping[str, Any]] = {}
    for folder, document in runs:
        alike = dumps([document["model"], document["generation"], document["data"]])
        comparable.setdefault(alike, {})[document["condition"]] = folder
        identities[alike] = document["model"]
    found = []
    for alike, folders in comparable.items():
        values = {condition: _case_values(folder) for condition, folder in folders.items()}
        per_model = contrasts(values, seed=seed)
        if per_model:
            found.append({"model": identities[alike], "contrasts": per_model})
    return found


def _case_values(folder: RunFolder) -> CaseValues:
    try:
        rows = [json.loads(line) for line in folder.parsed.read_bytes().splitlines()]
    except (OSError, ValueError) as error:
        raise StoreError(f"{folder.parsed} is not readable: {error}; score the run again with --mode eval") from error
    return {row["index"]: row["values"] for row in rows if row["status"] != "missing"}
