"""Stage report: tables of a MedVision summary as Markdown, CSV and LaTeX; the same numbers, rounded where people read.

In: the document that ``mrarebench summarize`` makes. Out: text. A model's name is a user's text: it is escaped.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mrarebench_hf.families import Family
from mrarebench_hf.report.markdown import cell, table
from mrarebench_hf.store.atomic import write_bytes

__all__ = ["as_csv", "as_latex", "as_markdown", "write_tables"]

_COUNTS = ("n_total", "n_scored", "n_unparsed", "n_missing")
# Spreadsheets read a cell that begins with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_tables(stem: Path, family: Family, document: Mapping[str, Any]) -> str:
    """Write the three files beside each other; return the Markdown."""
    markdown = as_markdown(family, document)
    for suffix, text in ((".md", markdown), (".csv", as_csv(document)), (".tex", as_latex(family, document))):
        write_bytes(stem.with_name(stem.name + suffix), text.encode())
    return markdown


def as_markdown(family: Family, document: Mapping[str, Any], *, groups: bool = True) -> str:
    """A leaderboard over models, the groups of every model unless left out, and what to read before quoting."""
    names = [*family.metrics, *_shown_shares(family)]
    blocks = [f"# MedVision: {family.title}, profile {document['profile']}", "## Models"]
    header = ["model", "samples", *_header(document), *names]
    ranked = _leaderboard(family, document)
    blocks.append(table(header, [_row(document, [model, label], row, names) for model, label, row in ranked]))
    blocks.append(_legend(family, document))
    for model, found in document["models"].items() if groups else ():
        rows = [_row(document, [name], row, names) for name, row in found["groups"].items()]
        blocks += [f"## {cell(model)}", table(["group", *_header(document), *names], rows)]
    warnings = [f"- {cell(model)}: {cell(text)}" for model, text in _warnings(document)]
    return (
        "\n\n".join(blocks + (["## Read before you quote these numbers", "\n".join(warnings)] if warnings else []))
        + "\n"
    )


def as_csv(document: Mapping[str, Any]) -> str:
    """One line per model and row, every value at full precision; an undefined one is empty."""
    rows = list(_rows(document))
    names = list(dict.fromkeys(name for *_, row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["model", "kind", "row", *names])
    for model, kind, label, row in rows:
        values = ["" if row.get(name) is None else row[name] for name in names]
        writer.writerow([_no_formula(model), kind, _no_formula(label), *values])
    return text.getvalue()


def as_latex(family: Family, document: Mapping[str, Any]) -> str:
    """The leaderboard as a ``booktabs`` table."""
    names = [*family.metrics, *_shown_shares(family)]
    lines = [
        f"% {_latex(family.title)}, profile {_latex(document['profile'])}; needs \\usepackage{{booktabs}}",
        f"\\begin{{tabular}}{{ll{'r' * (len(names) + 1)}}}",
        "\\toprule",
        " & ".join(map(_latex, ["model", "samples", "n", *names])) + " \\\\",
        "\\midrule",
    ]
    for model, label, row in _leaderboard(family, document):
        cells = [model, label, str(row["n_total"]), *(_number(row.get(name)) for name in names)]
        lines.append(" & ".join(map(_latex, cells)) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"]) + "\n"


def _leaderboard(family: Family, document: Mapping[str, Any]) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Rows over groups, best model first within each; baselines last."""
    by_label: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for model, found in document["models"].items():
        for label, row in found["overall"].items():
            by_label.setdefault(label, []).append((model, row))
    main = "IoU" if family.is_box else "MRE"
    ranked = []
    for label, rows in by_label.items():
        rows.sort(key=lambda pair: _rank(pair[1].get(main), higher_is_better=family.is_box))
        ranked += [(model, label, row) for model, row in rows]
    return ranked + [
        (name, f"all, targets of {model}", rows["all"])
        for model, found in document["models"].items()
        for name, rows in found.get("baselines", {}).items()
        if "all" in rows
    ]


def _rank(value: float | None, higher_is_better: bool) -> tuple[bool, float]:
    return value is None, 0.0 if value is None else (-value if higher_is_better else value)


def _rows(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    for model, found in document["models"].items():
        yield from ((model, "overall", label, row) for label, row in found["overall"].items())
        yield from ((model, "group", label, row) for label, row in found["groups"].items())
        for name, rows in found.get("baselines", {}).items():
            yield from ((model, name, label, row) for label, row in rows.items())


def _warnings(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for model, found in document["models"].items():
        if found["reasons"]:
            yield (
                model,
                "not scored, or without nMAE: " + ", ".join(f"{why} {n}" for why, n in found["reasons"].items()),
            )
        if found["box_convention"] not in (None, "xyxy01 lower-left"):
            yield model, f"boxes were read as {found['box_convention']}, not as they were asked for"
        if found["n_profiles_differ"]:
            yield model, f"{found['n_profiles_differ']} answers are read differently by the two profiles"
        for label, row in found["overall"].items():
            if row.get("n_missing"):
                yield model, f"{row['n_missing']} of {row['n_total']} samples ({label}) have no answer"
            if row.get("n_no_diagonal"):
                yield model, f"nMAE of {label} lacks {row['n_no_diagonal']} samples whose spacing is not known"
        yield from ((model, text) for text in found["warnings"])


def _legend(family: Family, document: Mapping[str, Any]) -> str:
    unit = "a fraction of the picture" if family.is_box else "mm" if family.name == "TL" else "mm or degrees"
    mixed = " An AD row over both kinds mixes the two." if family.name == "AD" else ""
    return (
        f"MAE is in {unit}.{mixed} – is undefined. MAE, MRE and nMAE are over parsed answers, everything else over all "
        f"samples. Grouping: {document['grouping']}."
    )


def _shown_shares(family: Family) -> tuple[str, ...]:
    return ("IoU>0.5",) if family.is_box else ("MRE<0.1", "MRE<0.2", "MRE<0.3")


def _header(document: Mapping[str, Any]) -> list[str]:
    """Counts; rows of medvision_bm over several groups know only their total."""
    return ["n", "scored", "unparsed", "missing"] if document["profile"] == "spec" else ["n"]


def _row(document: Mapping[str, Any], labels: Sequence[str], row: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    counts = [str(row[name]) for name in _COUNTS[: len(_header(document))]]
    return [*labels, *counts, *(_number(row.get(name)) for name in names)]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}" if abs(value) < 1000 else f"{value:.4g}"


def _no_formula(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _latex(text: str) -> str:
    text = " ".join(text.split())  # an empty line ends a paragraph, which a table cannot hold
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"}
    special |= {"<": r"$<$", ">": r"$>$"}
    return re.sub(r"[\\&%$#_{}~^<>–]", lambda found: special.get(found[0], f"\\{found[0]}"), text)
