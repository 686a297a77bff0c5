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
import pyarrow as pa

from mrarebench_hf import __version__
from mrarebench_hf.errors import StoreError
from mrarebench_hf.families import Family, Profile
from mrarebench_hf.pipeline.diagonals import Diagonals
from mrarebench_hf.pipeline.measured_batch import Batch, Row, read_row, score_rows
from mrarebench_hf.score.box_convention import BoxFormat, BoxOrigin
from mrarebench_hf.store.atomic import read_json, write_bytes
from mrarebench_hf.store.sample_files import Line, SampleFile, lines, sample_files
from mrarebench_hf.store.score_table import ScoreTable, as_table, checksum, read_about
from mrarebench_hf.store.sorted_lines import SortedLines
from mrarebench_hf.summarize.results_file import ResultColumns, results_document

__all__ = ["FileReport", "Reading", "is_parsed", "parse_file"]

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
    try:
        return _parse_file(file, how)
    except OSError as error:
        raise StoreError(f"cannot write in {file.path.parent / how.parsed_dirname}: {error}") from error


def is_parsed(file: SampleFile, how: Reading) -> bool:
    """Whether the parsed file is there and, where our record says how it was made, was made so from these answers."""
    folder = file.path.parent / how.parsed_dirname
    if not (folder / file.path.name).is_file():
        return False
    about = read_about(file.inside(folder, "scores", "parquet"))
    return about is None or {**about, **_rules(file, how)} == about


def _parse_file(file: SampleFile, how: Reading) -> FileReport:
    folder = file.path.parent / how.parsed_dirname
    target = folder / file.path.name
    diagonals = Diagonals(how.family, how.profile, file.is_scaled, how.data_root)
    wanted = None if how.limit is None else _first(file.path, how.limit)
    faults: list[str] = []
    columns = ResultColumns(how.family)
    with SortedLines(target) as parsed, ScoreTable(file.inside(folder, "scores", "parquet")) as table:
        for rows in _batches(file, how, wanted, faults):
            for done, batch, scores in _scored(rows, how, diagonals, faults):
                for row, line in zip(done, batch.lines, strict=True):
                    parsed.write(row.sample.doc_id, line)
                table.write(scores)
                columns.add(batch.columns)
        notes: list[str] = []
        raw = _raw(file, folder, notes)
        report = _report(target, columns, faults, [*notes, *diagonals.faults])
        about = _about(file, how, report)
        results = results_document(raw, file.task, how.family, how.profile, columns.columns, about)
        write_bytes(folder / file.results.name, orjson.dumps(results, option=orjson.OPT_INDENT_2))
        parsed.finish()
        table.finish(about | {"parsed": checksum(target)})
    return report


def _scored(
    rows: list[Row], how: Reading, diagonals: Diagonals, faults: list[str]
) -> Iterator[tuple[list[Row], Batch, pa.Table]]:
    """Scores of rows; one that cannot be written, whatever is in it, is put on the list and left out alone."""
    try:
        batch = score_rows(rows, how.family, how.profile, diagonals)
        found = rows, batch, as_table(batch.columns)
    except (ArithmeticError, LookupError, OSError, RecursionError, TypeError, ValueError, pa.ArrowException) as error:
        if len(rows) == 1:
            faults.append(f"sample {rows[0].sample.doc_id} cannot be scored: {type(error).__name__}: {error!s:.200}")
            return
        half = len(rows) // 2
        yield from _scored(rows[:half], how, diagonals, faults)
        yield from _scored(rows[half:], how, diagonals, faults)
        return
    yield found


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


def _raw(file: SampleFile, folder: Path, notes: list[str]) -> dict[str, Any] | None:
    """The results of stage 1, which those of stage 2 complete; scores do not depend on them.

    Where several tasks share them, those of this package that were parsed before keep their new values.
    """
    found = _document(file.results, notes)
    others = {other.task for other in sample_files(file.path.parent) if other.stamp == file.stamp} - {file.task}
    before = _document(folder / file.results.name, []) if others else None
    if before is None or "mrarebench" not in before or not isinstance(before.get("results"), dict):
        return found
    held = found.get("results") if found is not None else None
    known = held if isinstance(held, dict) else {}
    kept = {task: values for task, values in before["results"].items() if task in others}
    return (found or {}) | {"results": {file.task: {"alias": file.task}} | known | kept}


def _document(path: Path, notes: list[str]) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    try:
        return read_json(path)
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
        **_rules(file, how),
        "counts": report.counts,
        "reasons": report.reasons,
    }


def _rules(file: SampleFile, how: Reading) -> dict[str, Any]:
    return {
        "task_type": how.family.name,
        "profile": how.profile,
        "box_format": how.box_format,
        "box_origin": how.box_origin,
        "limit": how.limit,
        "raw": checksum(file.path),
    }
