"""Markdown tables of a results document: runs with counts and metrics, contrasts with intervals, warnings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["render"]

_STRICT = "strict_"
_COLUMNS = (
    "recall@1",
    "recall@3",
    "recall@5",
    "recall@10",
    "MRR",
    "MR",
    "parse_fail_rate",
    "infer_fail_rate",
)
_CONTRAST_COLUMNS = ("recall@1", "recall@10", "MRR", "strict_recall@1", "strict_recall@10", "strict_MRR")
_RUNS_LEGEND = (
    "`a / b`: a by the published protocol's list reading and matching, b by the strict ones. MR is the mean rank of "
    "the first hit, lower is better; – is undefined."
)
_CONTRASTS_LEGEND = (
    "Mean paired difference over the n cases that both conditions have an answer for, with its 95 % bootstrap interval "
    "and, for hits, the exact McNemar p."
)


def render(document: Mapping[str, Any]) -> str:
    """Markdown text of the document that ``summarize.collect`` gives; the same numbers, rounded to three places."""
    runs = document["runs"]
    if not runs:
        return "# MRareBench results\n\nNo scored runs.\n"
    shown = _model_names([run["model"] for run in runs])
    names = [name for name in _COLUMNS if any(name in run["metrics"] for run in runs)]
    header = ["condition", "model", "n", "scored", "unparsed", "missing", *names]
    blocks = [
        "# MRareBench results",
        _table(header, [_run_row(*pair, names) for pair in zip(runs, shown, strict=True)]),
        _RUNS_LEGEND,
    ]
    models = _model_names([entry["model"] for entry in document["contrasts"]])
    pairs = zip(document["contrasts"], models, strict=True)
    rows = [row for entry, name in pairs for row in _contrast_rows(entry, name)]
    if rows:
        header = ["contrast", "model", "n", *_CONTRAST_COLUMNS]
        blocks += ["## Contrasts", _table(header, rows), _CONTRASTS_LEGEND]
    warnings = [
        f"{run['condition']}, {name}: {w}" for run, name in zip(runs, shown, strict=True) for w in run["warnings"]
    ]
    warnings += document["notes"]
    if warnings:
        blocks += ["## Read before you quote these numbers", "\n".join(f"- {_cell(text)}" for text in warnings)]
    return "\n\n".join(blocks) + "\n"


def _model_names(models: Sequence[Mapping[str, Any]]) -> list[str]:
    """The models' names, each with the beginning of its revision where two models share a name."""
    revisions: dict[str, set[str]] = {}
    for model in models:
        revisions.setdefault(str(model["name"]), set()).add(str(model["revision"]))
    return [
        f"{model['name']} @{str(model['revision'])[:8]}"
        if len(revisions[str(model["name"])]) > 1
        else str(model["name"])
        for model in models
    ]


def _run_row(run: Mapping[str, Any], model: str, names: Sequence[str]) -> list[str]:
    counts = [str(run["counts"][name]) for name in ("n_total", "n_scored", "n_unparsed", "n_missing")]
    if run["counts"]["n_total"] < run["data"]["n"]:
        counts[0] += f" of {run['data']['n']}"
    return [run["condition"], model, *counts, *(_both(run["metrics"], name) for name in names)]


def _both(metrics: Mapping[str, Any], name: str) -> str:
    values = [metrics[key]["value"] for key in (name, _STRICT + name) if key in metrics]
    return " / ".join("–" if value is None else f"{value:.3f}" for value in values)


def _contrast_rows(entry: Mapping[str, Any], model: str) -> Iterable[list[str]]:
    for contrast in entry["contrasts"].values():
        label = f"{contrast['symbol']} = {contrast['minuend']} − {contrast['subtrahend']}"
        cells = [_difference(contrast["metrics"].get(name)) for name in _CONTRAST_COLUMNS]
        yield [label, model, str(contrast["n_shared"]), *cells]


def _difference(found: Mapping[str, Any] | None) -> str:
    if found is None or found["value"] is None:
        return "–"
    p = "" if found["p_mcnemar"] is None else f", p {found['p_mcnemar']:.3f}"
    return f"{found['value']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f}{p})"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = [[_cell(text) for text in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [f"| {' | '.join(cell.ljust(w) for cell, w in zip(row, widths, strict=True))} |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _cell(text: str) -> str:
    """A model's name is a user's text: it must not break out of its cell."""
    escaped = re.sub(r"([\\|`\[\]*])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))
    return " ".join(escaped.split())
