"""All runs below a results folder in one document: their summaries, and the contrasts between their conditions.

What cannot be read or compared is left out and said in ``notes``; a neighbour's damaged file costs nobody a report.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mrarebench_hf.conditions import CONTRASTS, Contrast
from mrarebench_hf.errors import StoreError
from mrarebench_hf.store.atomic import dumps, read_json
from mrarebench_hf.store.layout import RunFolder, run_folders
from mrarebench_hf.summarize.agreement import agreement
from mrarebench_hf.summarize.contrasts import CaseValues, contrasts
from mrarebench_hf.summarize.document import BENCHMARK, SCHEMA_VERSION

__all__ = ["collect"]

_JUDGED = ("t2_", "judge_")
_NEEDED = (
    "condition",
    "counts",
    "data",
    "det_backend",
    "generation",
    "groups",
    "judge",
    "metrics",
    "model",
    "parsed_sha256",
    "warnings",
)


@dataclass(frozen=True, slots=True)
class _Run:
    folder: RunFolder
    document: Mapping[str, Any]

    @property
    def where(self) -> str:
        return f"{self.folder.tag}/{self.folder.root.name}"

    @property
    def kind(self) -> str:
        """Runs of one kind differ in their condition only: same model, settings, benchmark file and limit."""
        data = self.document["data"]
        return dumps([self.document["model"], self.document["generation"], data["sha256"], data["limit"]])


def collect(results_dir: Path, *, seed: int = 0) -> dict[str, Any]:
    """Read every run below a results folder.

    Args:
        results_dir: the folder that ``--results-dir`` named.
        seed: of the bootstrap intervals.

    Returns:
        ``runs`` (their summaries), ``contrasts`` (per model), ``judge_agreement`` (per run, of every two judges or
        passes) and ``notes`` (what was left out, and why).

    Raises:
        StoreError: when the folder does not exist.
    """
    runs: list[_Run] = []
    notes: list[str] = []
    for folder in run_folders(results_dir):
        try:
            runs.append(_read(folder))
        except StoreError as error:
            notes.append(f"left out {folder.tag}/{folder.root.name}: {_without_paths(error, results_dir)}")
    found = list(_contrasts(runs, notes, seed))
    agreements = list(_agreements(runs, notes))
    return {
        "schema_version": SCHEMA_VERSION,
        "benchmark": BENCHMARK,
        "runs": [run.document for run in runs],
        "contrasts": found,
        "judge_agreement": agreements,
        "notes": [*notes, *_not_compared(runs, found)],
    }


def _without_paths(error: StoreError, results_dir: Path) -> str:
    return str(error).replace(f"{results_dir}/", "")


def _read(folder: RunFolder) -> _Run:
    document = read_json(folder.summary)
    version = document.get("schema_version")
    if version != SCHEMA_VERSION:
        raise StoreError(f"its summary has schema version {version!r}, this package reads {SCHEMA_VERSION}")
    missing = [name for name in _NEEDED if name not in document]
    if missing:
        raise StoreError(f"its summary lacks {', '.join(missing)}; score the run again with --mode eval")
    return _Run(folder, document)


def _contrasts(runs: Sequence[_Run], notes: list[str], seed: int) -> Iterator[dict[str, Any]]:
    kinds: dict[str, dict[str, _Run]] = {}
    for run in runs:
        known = kinds.setdefault(run.kind, {}).setdefault(run.document["condition"], run)
        if known is not run:
            notes.append(f"{run.where} is a copy of {known.where}; contrasts use the latter")
    for by_condition in kinds.values():
        values = {}
        for condition, run in by_condition.items():
            try:
                values[condition] = _case_values(run)
            except StoreError as error:
                notes.append(f"no contrasts with {run.where}: {error}")
        measured = _Measured(by_condition, notes)
        found = contrasts(values, seed=seed, comparable=measured.alike)
        if found:
            yield {"model": next(iter(by_condition.values())).document["model"], "contrasts": found}


def _case_values(run: _Run) -> CaseValues:
    """The values of the cases that have an answer, from the rows that belong to the run's summary."""
    try:
        data = run.folder.parsed.read_bytes()
    except OSError as error:
        raise StoreError(
            f"its scored rows cannot be read ({error.strerror}); score it again with --mode eval"
        ) from error
    if hashlib.sha256(data).hexdigest() != run.document["parsed_sha256"]:
        raise StoreError("its scored rows are not those of its summary; score it again with --mode eval")
    rows = [json.loads(line) for line in data.splitlines()]
    return {row["index"]: row["values"] for row in rows if row["status"] != "missing"}


class _Measured:
    """Tells which metrics of two runs were measured in the same way, and notes once per contrast which were not."""

    def __init__(self, by_condition: Mapping[str, _Run], notes: list[str]) -> None:
        self._by_condition = by_condition
        self._notes = notes

    def alike(self, contrast: Contrast, metric: str) -> bool:
        a, b = (self._by_condition[name].document for name in (contrast.minuend, contrast.subtrahend))
        if metric.startswith(_JUDGED) and a.get("judge") != b.get("judge"):
            return self._unlike(contrast, "judged metrics", "judge")
        if _backend(a, metric) != _backend(b, metric):
            return self._unlike(contrast, "det_ metrics", "det_backend")
        return True

    def _unlike(self, contrast: Contrast, metrics: str, what: str) -> bool:
        note = f"no {contrast.symbol} of {metrics}: the two runs differ in their {what}"
        if note not in self._notes:
            self._notes.append(note)
        return False


def _backend(document: Mapping[str, Any], metric: str) -> object:
    return document["metrics"].get(metric, {}).get("det_backend")


def _agreements(runs: Sequence[_Run], notes: list[str]) -> Iterator[dict[str, Any]]:
    for run in runs:
        documents = []
        for path in sorted(run.folder.judged.glob("*.json")):
            try:
                documents.append(read_json(path))
            except StoreError as error:
                notes.append(f"no agreement with {path.name} of {run.where}: {error}")
        for a, b in itertools.combinations(documents, 2):
            try:
                found = agreement(a, b) if a.get("rubric_sha256") == b.get("rubric_sha256") else None
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                notes.append(f"no agreement of judges of {run.where}: their files are damaged ({error!r:.80})")
                continue
            if found is not None:
                yield {"condition": run.document["condition"], "model": run.document["model"], **found}


def _not_compared(runs: Sequence[_Run], found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Contrasts that a reader would expect, as both conditions are there, and that were not made."""
    made = {(entry["model"]["name"], key) for entry in found for key in entry["contrasts"]}
    shown: dict[str, set[str]] = {}
    for run in runs:
        shown.setdefault(str(run.document["model"]["name"]), set()).add(run.document["condition"])
    for name, names in shown.items():
        for contrast in CONTRASTS:
            if {contrast.minuend, contrast.subtrahend} <= names and (name, contrast.key) not in made:
                yield (
                    f"no {contrast.symbol} for {name}: its runs under {contrast.minuend} and {contrast.subtrahend} "
                    "differ in the model's files, the settings, the data or the limit, or their rows cannot be read"
                )
