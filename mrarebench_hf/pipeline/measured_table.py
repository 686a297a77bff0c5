"""The table of scores of one parsed file: our own record where it still fits, the parsed lines themselves elsewhere.

In: a parsed samples file, ours or medvision_bm's. Out: an Arrow table in the order of the lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from mrarebench_hf.errors import StoreError
from mrarebench_hf.families import Family, Profile
from mrarebench_hf.parse.sample import read_sample
from mrarebench_hf.pipeline.diagonals import Diagonals
from mrarebench_hf.pipeline.measured_batch import Row, score_columns
from mrarebench_hf.score.measured_answers import Answer, fitting_target, read_answer
from mrarebench_hf.store.sample_files import Line, SampleFile, lines
from mrarebench_hf.store.score_table import SCHEMA, as_table, checksum, read_scores

__all__ = ["DEFAULT_KEY", "ParsedFile", "read_parsed"]

DEFAULT_KEY = "filtered_resps"
_BATCH = 4096


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """One parsed file.

    Attributes:
        file: where it is and what its name says.
        table: one row per sample.
        about: what our record says of its making; None when the lines themselves were read.
        faults: damaged lines, with file, line and reason.
    """

    file: SampleFile
    table: pa.Table
    about: Mapping[str, Any] | None
    faults: tuple[str, ...]


def read_parsed(file: SampleFile, family: Family, profile: Profile, key: str, data_root: Path) -> ParsedFile:
    """Read one parsed file.

    Raises:
        StoreError: when our record was made by the other profile, or of another family, or cannot be read.
    """
    found = read_scores(file.inside(file.path.parent, "scores", "parquet")) if key == DEFAULT_KEY else None
    if found is not None and found[0].get("parsed") == checksum(file.path):
        about, table = found
        made = (about.get("task_type"), about.get("profile"))
        if made != (family.name, profile):
            raise StoreError(
                f"{file.path} was parsed as {made[0]} by profile {made[1]}, not as {family.name} by {profile}: "
                f"run mrarebench parse --profile {profile} again, or give --profile {made[1]} here"
            )
        return ParsedFile(file, table, about, ())
    faults: list[str] = []
    tables = list(_tables(file, family, profile, key, data_root, faults))
    return ParsedFile(file, pa.concat_tables(tables) if tables else SCHEMA.empty_table(), None, tuple(faults))


def _tables(
    file: SampleFile, family: Family, profile: Profile, key: str, data_root: Path, faults: list[str]
) -> Iterator[pa.Table]:
    diagonals = Diagonals(family, profile, file.is_scaled, data_root)
    source = lines(file.path)
    while chunk := list(islice(source, _BATCH)):
        rows = []
        for line in chunk:
            try:
                rows.append(_row(line, family, profile, key, file))
            except ValueError as error:
                faults.append(f"{file.path}:{line.number}: {error}")
        if rows:
            yield as_table(score_columns(rows, family, profile, diagonals))


def _row(line: Line, family: Family, profile: Profile, key: str, file: SampleFile) -> Row:
    """A row whose numbers are those that the line holds already."""
    if line.fault is not None:
        raise ValueError(line.fault)
    sample = read_sample(line.record, family)
    if key not in line.record:
        raise StoreError(f"{file.path}:{line.number} has no {key!r}: give the right one as --resps_key")
    held = line.record[key]
    held = held[0] if isinstance(held, list) and held else held
    text = held if isinstance(held, str) else ""
    target = fitting_target(sample.target, family, profile)
    if profile == "spec" and key == DEFAULT_KEY and "parse_reason" not in line.record and sample.reply is not None:
        # Parsed by the other profile or package: what it took for the answer is not what this one does.
        answer = read_answer(sample.reply, family, profile, metric_type=sample.metric_type)
        return Row(line.record, sample, target, answer)
    values = _numbers(text, family.n_values, finite=profile == "spec")
    why = line.record.get("parse_reason")
    why = why if isinstance(why, str) and why else "unparsed"
    return Row(line.record, sample, target, Answer(values, None if values else why, text, False))


def _numbers(text: str, n_values: int, finite: bool) -> tuple[float, ...] | None:
    """Exactly k numbers between commas; None for anything else."""
    parts = text.split(",")
    if len(parts) != n_values:
        return None
    try:
        values = tuple(map(float, parts))
    except ValueError:
        return None
    return None if finite and not all(map(math.isfinite, values)) else values
