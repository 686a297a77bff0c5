"""Markdown tables of a results document: runs with counts and metrics, contrasts with intervals, warnings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mrarebench_hf import conditions, tasks

__all__ = ["cell", "render", "table"]

_STRICT = "strict_"
# What answers were measured with, where it is a choice.
_MEANS = ("judge", "det_backend")
_RUNS_LEGEND = "`a / b`: a by the published protocol's rules, b by the strict ones; – is undefined."
_GROUPS_LEGEND = "Required recall by the judge, by task type (number of cases) and by category (number of points):"
_CONTRASTS_LEGEND = (
    "Mean paired difference over the n cases that both conditions have an answer for, with its 95 % bootstrap interval "
    "and, for hits, the exact McNemar p."
)


def render(document: Mapping[str, Any]) -> str:
    """Markdown text of the document that ``summarize.collect`` gives; the same numbers, rounded to three places."""
    runs = document["runs"]
    if not runs:
        return "# MRareBench results\n\nNo scored runs.\n"
    shown = _model_names([(_task(run["condition"]), run["model"]) for run in runs])
    blocks = ["# MRareBench results"]
    for task in dict.fromkeys(_task(run["condition"]) for run in runs):
        own = [(run, name) for run, name in zip(runs, shown, strict=True) if _task(run["condition"]) == task]
        names = [name for name in tasks.get(task).shown if any(name in run["metrics"] for run, _ in own)]
        means = [name for name in _MEANS if any(run[name] for run, _ in own)]
        header = ["condition", "model", "n", "scored", "unparsed", "missing", *means, *names]
        rows = [_run_row(run, name, means, names) for run, name in own]
        blocks += [f"## {tasks.get(task).title}", table(header, rows), f"{_RUNS_LEGEND} {tasks.get(task).legend}"]
        blocks += _groups(own)
    blocks += _contrasts(document["contrasts"])
    blocks += _agreements(document["judge_agreement"])
    warnings = [*_warnings(runs, shown), *document["notes"]]
    if warnings:
        blocks += ["## Read before you quote these numbers", "\n".join(f"- {cell(text)}" for text in warnings)]
    return "\n\n".join(blocks) + "\n"


def _warnings(runs: Sequence[Mapping[str, Any]], shown: Sequence[str]) -> list[str]:
    """Every warning once, with the run that it is about, or the first of them and how many more."""
    about: dict[str, list[str]] = {}
    for run, name in zip(runs, shown, strict=True):
        for text in run["warnings"]:
            about.setdefault(text, []).append(f"{run['condition']}, {name}")
    return [
        f"{where[0]}{f' and {len(where) - 1} more runs' if len(where) > 1 else ''}: {text}"
        for text, where in about.items()
    ]


def _task(condition: str) -> str:
    return conditions.get(condition).task


def _groups(runs: Sequence[tuple[Mapping[str, Any], str]]) -> list[str]:
    """Judged recall of every run by task type and by category of evidence, each with its number of cases or points."""
    found = []
    for run, model in runs:
        parts = [run["groups"].get(f"required_recall_by_{kind}") or {} for kind in ("task_type", "evidence_category")]
        if any(parts):
            found.append((run["condition"], model, parts[0] | parts[1]))
    names = sorted({name for _, _, groups in found for name in groups})
    rows = [[condition, model, *(_group(groups.get(name)) for name in names)] for condition, model, groups in found]
    return [_GROUPS_LEGEND, table(["condition", "model", *names], rows)] if rows else []


def _group(group: Mapping[str, Any] | None) -> str:
    return "–" if group is None else f"{_number(group['required_recall'])} ({group['n']})"


def _contrasts(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """One table per task: a metric of one task is none of another."""
    models = _model_names([(_task_of(entry), entry["model"]) for entry in entries])
    found: dict[str, list[tuple[Mapping[str, Any], str]]] = {}
    for entry, model in zip(entries, models, strict=True):
        for contrast in entry["contrasts"].values():
            found.setdefault(_task(contrast["minuend"]), []).append((contrast, model))
    blocks = []
    for task, pairs in found.items():
        names = [name for name in tasks.get(task).contrasted if any(name in c["metrics"] for c, _ in pairs)]
        blocks.append(table(["contrast", "model", "n", *names], [_contrast_row(*pair, names) for pair in pairs]))
    return ["## Contrasts", *blocks, _CONTRASTS_LEGEND] if blocks else []


def _agreements(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    models = _model_names([(_task(entry["condition"]), entry["model"]) for entry in entries])
    rows = [
        [
            entry["condition"],
            model,
            " – ".join(entry["judges"]),
            str(entry["n_both"]),
            kind,
            str(found["n"]),
            _number(found["agreement"]),
            _number(found["kappa"]),
        ]
        for entry, model in zip(entries, models, strict=True)
        for kind, found in entry["verdicts"].items()
    ]
    header = ["condition", "model", "judges", "questions", "verdicts", "n", "equal", "Cohen's κ"]
    return ["## Agreement of judges", table(header, rows)] if rows else []


def _task_of(entry: Mapping[str, Any]) -> str:
    return _task(next(iter(entry["contrasts"].values()))["minuend"])


def _model_names(models: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """The models' names, each with the beginning of its revision where two models of one task share a name."""
    revisions: dict[tuple[str, str], set[str]] = {}
    for task, model in models:
        revisions.setdefault((task, str(model["name"])), set()).add(str(model["revision"]))
    return [
        f"{model['name']} @{str(model['revision'])[:8]}"
        if len(revisions[task, str(model["name"])]) > 1
        else str(model["name"])
        for task, model in models
    ]


def _run_row(run: Mapping[str, Any], model: str, means: Sequence[str], names: Sequence[str]) -> list[str]:
    counts = [str(run["counts"][name]) for name in ("n_total", "n_scored", "n_unparsed", "n_missing")]
    if run["counts"]["n_total"] < run["data"]["n"]:
        counts[0] += f" of {run['data']['n']}"
    tools = {"judge": (run["judge"] or {}).get("name"), "det_backend": run["det_backend"]}
    return [
        run["condition"],
        model,
        *counts,
        *(str(tools[name] or "–") for name in means),
        *(_both(run["metrics"], name) for name in names),
    ]


def _both(metrics: Mapping[str, Any], name: str) -> str:
    return " / ".join(_number(metrics[key]["value"]) for key in (name, _STRICT + name) if key in metrics)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _contrast_row(contrast: Mapping[str, Any], model: str, names: Sequence[str]) -> list[str]:
    label = f"{contrast['symbol']} = {contrast['minuend']} − {contrast['subtrahend']}"
    cells = [_difference(contrast["metrics"].get(name)) for name in names]
    return [label, model, str(contrast["n_shared"]), *cells]


def _difference(found: Mapping[str, Any] | None) -> str:
    if found is None or found["value"] is None:
        return "–"
    p = "" if found["p_mcnemar"] is None else f", p {found['p_mcnemar']:.3f}"
    return f"{found['value']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f}{p})"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; every cell is escaped."""
    cells = [[cell(text) for text in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [f"| {' | '.join(cell.ljust(w) for cell, w in zip(row, widths, strict=True))} |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def cell(text: str) -> str:
    """A model's name is a user's text: it must not break out of its cell."""
    text = re.sub(r"<(?!\d)", "&lt;", text.replace("&", "&amp;"))  # before a digit it opens no tag
    escaped = re.sub(r"([\\|`\[\]*])", r"\\\1", text)
    return " ".join(escaped.split())
