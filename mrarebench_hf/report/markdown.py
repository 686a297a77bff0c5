"""Markdown tables of a results document: runs with counts and metrics, contrasts with intervals, warnings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["render"]

_COLUMNS = (
    "recall@1",
    "recall@3",
    "recall@5",
    "recall@10",
    "MRR",
    "MR",
    "hit_rate",
    "strict_recall@1",
    "strict_recall@3",
    "strict_recall@5",
    "strict_recall@10",
    "strict_MRR",
    "strict_MR",
    "parse_fail_rate",
    "infer_fail_rate",
)
_CONTRAST_METRICS = ("recall@1", "recall@10", "MRR", "strict_recall@1", "strict_recall@10", "strict_MRR")


def render(document: Mapping[str, Any]) -> str:
    """Markdown text of the document that ``summarize.collect`` gives; the same numbers, rounded to three places."""
    runs = document["runs"]
    names = [name for name in _COLUMNS if any(name in run["metrics"] for run in runs)]
    header = ["condition", "model", "n", "scored", "unparsed", "missing", *names]
    rows = [_run_row(run, names) for run in runs]
    blocks = ["# MRareBench results", _table(header, rows) if rows else "No scored runs."]
    contrast_rows = [row for entry in document["contrasts"] for row in _contrast_rows(entry)]
    if contrast_rows:
        blocks += [
            "## Contrasts",
            "Mean paired difference over the cases both conditions have, with its 95 % bootstrap interval and the "
            "exact McNemar p of hits.",
            _table(["contrast", "model", "metric", "n", "difference", "95 % interval", "p"], contrast_rows),
        ]
    warnings = [
        f"- {_cell(run['condition'])}, {_cell(_name(run['model']))}: {w}" for run in runs for w in run["warnings"]
    ]
    if warnings:
        blocks += ["## Read before you quote these numbers", "\n".join(warnings)]
    return "\n\n".join(blocks) + "\n"


def _run_row(run: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    counts = run["counts"]
    numbers = [str(counts[name]) for name in ("n_total", "n_scored", "n_unparsed", "n_missing")]
    values = [_number(run["metrics"].get(name, {}).get("value")) for name in names]
    return [run["condition"], _name(run["model"]), *numbers, *values]


def _contrast_rows(entry: Mapping[str, Any]) -> Iterable[list[str]]:
    for contrast in entry["contrasts"].values():
        label = f"{contrast['symbol']} = {contrast['minuend']} − {contrast['subtrahend']}"
        for metric in _CONTRAST_METRICS:
            found = contrast["metrics"].get(metric)
            if found is not None:
                interval = f"{_number(found['low'], sign=True)} to {_number(found['high'], sign=True)}"
                yield [
                    label,
                    _name(entry["model"]),
                    metric,
                    str(found["n"]),
                    _number(found["value"], sign=True),
                    interval,
                    _number(found["p_mcnemar"]),
                ]


def _name(model: Mapping[str, Any]) -> str:
    return str(model["name"])


def _number(value: float | None, *, sign: bool = False) -> str:
    if value is None:
        return "–"
    return f"{value:+.3f}" if sign else f"{value:.3f}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = [list(map(_cell, row)) for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _cell(text: str) -> str:
    """A model's name is a user's text: it must not break out of its cell."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
