"""Stage 2 of MedVision for one file: raw lines in; parsed lines, results and our own record out, as a stream.

Raw files are never written to. Whatever is written is seen complete or not at all, and the parsed lines appear last:
a parsed file that is there is one that was finished.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from mrarebench_hf import __version__
from mrarebench_hf.errors import StoreError
from mrarebench_hf.families import Family, Profile
from mrarebench_hf.pipeline.diagonals import Diagonals
from mrarebench_hf.pipeline.measured_batch import Row, read_row, score_rows
from mrarebench_hf.score.box_convention import BoxFormat, BoxOrigin
from mrarebench_hf.store.atomic import read_json, write_bytes
from mrarebench_hf.store.sample_files import Line, SampleFile, lines
from mrarebench_hf.store.score_table import ScoreTable, checksum
from mrarebench_hf.store.sorted_lines import SortedLines
from mrarebench_hf.summarize.results_file import ResultColumns, results_document

__all__ = ["FileReport", "Reading", "parse_file"]

# Lines that are scored at once; more is hardly faster.
_BATCH = 1024
# Damaged lines that are named one by one.
_NAMED = 20


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read.

    Attributes:
        family: what is measured.
        profile: by which rules.
        box_format: what the numbers of a box are.
        box_origin: where y is 0.
        data_root: what recorded paths count from.
        limit: only so many samples, the first by ``doc_id``; None for all.
        parsed_dirname: name of the folder beside the raw files that is written to.
    """

    family: Family
    profile: Profile = "spec"
    box_format: BoxFormat = "xyxy01"
    box_origin: BoxOrigin = "lower-left"
    data_root: Path = Path()
    limit: int | None = None
    parsed_dirname: str = "parsed"


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file.

    Attributes:
        path: the parsed file.
        counts: by name: ``n_total``, ``n_scored``, ``n_unparsed``, ``n_missing`` and what else was counted.
        reasons: why samples were not scored, by name.
        faults: damaged lines, with file, line and reason.
        notes: what a user should know beside.
    """

    path: Path
    counts: dict[str, int]
    reasons: dict[str, int]
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def parse_file(file: SampleFile, how: Reading) -> FileReport:
    """Parse one raw samples file into ``parsed/`` beside it.

    Raises:
        StoreError: when a file cannot be read or written.
    """
    folder = file.path.parent / how.parsed_dirname
    target = folder / file.path.name
    diagonals = Diagonals(how.family, how.profile, file.is_scaled, how.data_root)
    wanted = None if how.limit is None else _first(file.path, how.limit)
    faults: list[str] = []
    columns = ResultColumns(how.family)
    with SortedLines(target) as parsed, ScoreTable(file.inside(folder, "scores", "parquet")) as table:
        for rows in _batches(file, how, wanted, faults):
            batch = score_rows(rows, how.family, how.profile, diagonals)
            for row, line in zip(rows, batch.lines, strict=True):
                parsed.write(row.sample.doc_id, line)
            table.write(batch.columns)
            columns.add(batch.columns)
        notes: list[str] = []
        raw = _raw(file, notes)
        report = _report(target, columns, faults, [*notes, *diagonals.faults])
        about = _about(file, how, report)
        results = results_document(raw, file.task, how.family, how.profile, columns.columns, about)
        write_bytes(folder / file.results.name, orjson.dumps(results, option=orjson.OPT_INDENT_2))
        parsed.finish()
        table.finish(about | {"parsed": checksum(target)})
    return report


def _batches(file: SampleFile, how: Reading, wanted: set[int] | None, faults: list[str]) -> Iterator[list[Row]]:
    """Rows of up to ``_BATCH`` lines; damaged lines are put on the list and left out."""
    source = lines(file.path)
    while chunk := list(islice(source, _BATCH)):
        rows = []
        for line in chunk:
            if wanted is not None and line.number not in wanted:
                continue
            try:
                rows.append(_row(line, how))
            except ValueError as error:
                faults.append(f"{file.path}:{line.number}: {error}")
        if rows:
            yield rows


def _row(line: Line, how: Reading) -> Row:
    if line.fault is not None:
        raise ValueError(line.fault)
    return read_row(line.record, how.family, how.profile, how.box_format, how.box_origin)


def _first(path: Path, limit: int) -> set[int]:
    """Numbers of the lines that hold the first samples by ``doc_id``."""
    found = [(_doc_id(line), line.number) for line in lines(path) if line.fault is None]
    return {number for _, number in sorted(found)[:limit]}


def _doc_id(line: Line) -> int:
    value = line.record.get("doc_id", 0) if isinstance(line.record, dict) else 0
    return value if isinstance(value, int) else 0


def _raw(file: SampleFile, notes: list[str]) -> dict[str, Any] | None:
    """The results of stage 1, which those of stage 2 complete; scores do not depend on them."""
    if not file.results.is_file():
        return None
    try:
        return read_json(file.results)
    except StoreError as error:
        notes.append(f"{error}; parsed/ has a new one in its place")
        return None


def _report(target: Path, columns: ResultColumns, faults: list[str], notes: Sequence[str]) -> FileReport:
    named = faults[:_NAMED] + ([f"and {len(faults) - _NAMED} more damaged lines"] if len(faults) > _NAMED else [])
    counts = columns.counts() | {"n_damaged_lines": len(faults)}
    return FileReport(target, counts, columns.reasons, tuple(named), tuple(notes))


def _about(file: SampleFile, how: Reading, report: FileReport) -> dict[str, Any]:
    """What a reader of the results must know to trust them."""
    return {
        "version": __version__,
        "task_type": how.family.name,
        "profile": how.profile,
        "box_format": how.box_format,
        "box_origin": how.box_origin,
        "limit": how.limit,
        "raw": checksum(file.path),
        "counts": report.counts,
        "reasons": report.reasons,
    }
