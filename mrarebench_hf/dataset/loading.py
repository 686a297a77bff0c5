"""Stage dataset: the name of a condition in, its rows out: from the cache, filled when needed, or as a stream."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mrarebench_hf import conditions, tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset.arrow_folder import NAME, cache_root
from mrarebench_hf.dataset.cache import SPLIT, Slot
from mrarebench_hf.dataset.columns import features
from mrarebench_hf.dataset.notes import Notes
from mrarebench_hf.dataset.prepared import Prepared
from mrarebench_hf.dataset.rows import Layout
from mrarebench_hf.dataset.withheld import passed_columns
from mrarebench_hf.errors import DataNotFoundError, UnknownNameError
from mrarebench_hf.source import tsv
from mrarebench_hf.source.cases import read_cases
from mrarebench_hf.source.resolve import Located, locate, sha256_of

if TYPE_CHECKING:
    from datasets import Dataset, IterableDataset

__all__ = ["load_condition", "prepare"]

_LOG = logging.getLogger(__name__)


def prepare(
    names: Sequence[str] | None = None,
    *,
    data_dir: str | Path | None = None,
    revision: str | None = None,
    cache_dir: str | Path | None = None,
) -> dict[str, Prepared]:
    """Write conditions into the cache of datasets, or find them there.

    Afterwards ``datasets.load_dataset("mrarebench", NAME, split="test")`` gives the same rows from any folder, under
    short and long names, until another file is prepared. Each file is read anew for its hash, so an edited one is
    noticed. Two processes may do this at once; an interrupted one leaves nothing half-written.

    Args:
        names: conditions, short or long names; None for all.
        data_dir: where the benchmark files are; None for ``$LMUData``, then the Hub.
        revision: of the Hub dataset.
        cache_dir: None for datasets' own.

    Returns:
        Short name → what was prepared, in the order asked, each once.

    Raises:
        UnknownNameError: for a name that is no condition.
        DataError: when a benchmark file is missing or damaged.
        StoreError: when the cache cannot be written.
    """
    wanted = conditions.CONDITIONS if names is None else [conditions.get(name) for name in names]
    files: dict[str, tuple[Located, str]] = {}
    told: set[tuple[str, str]] = set()
    for task in dict.fromkeys(condition.task for condition in wanted):
        try:
            located = locate(task, data_dir=data_dir, revision=revision)
        except DataNotFoundError as error:
            others = " ".join(condition.name for condition in wanted if condition.task != task)
            hint = f". Without it: --data {others}" if others else ""
            raise DataNotFoundError(f"{error}{hint}") from None
        files[task] = located, sha256_of(located.path)
        _mention_script(located.path, data_dir)
    return {c.name: _prepare(c, *files[c.task], cache_dir, told) for c in dict.fromkeys(wanted)}


def load_condition(
    condition: str,
    *,
    data_dir: str | Path | None = None,
    revision: str | None = None,
    split: str | None = None,
    streaming: bool = False,
    cache_dir: str | Path | None = None,
) -> Dataset | IterableDataset:
    """One condition as a dataset; an edited benchmark file is noticed.

    Rows hold ``index``, ``images`` (PIL when looked at; None for one that cannot be had, which is logged),
    ``image_labels`` (one per picture, "" for none), ``prompt``, the task's references, and further columns of the
    file as text.

    Args:
        condition: short or long name.
        data_dir: where the benchmark files are; None for ``$LMUData``, then the Hub.
        revision: of the Hub dataset.
        split: "test", the only one, or None.
        streaming: read rows from the file as they are asked for; nothing is written to the cache.
        cache_dir: None for datasets' own.

    Raises:
        UnknownNameError: for a name that is no condition, or another split.
        DataError: when the benchmark file is missing or damaged.
    """
    chosen = conditions.get(condition)
    if split not in (None, SPLIT):
        raise UnknownNameError("split", str(split), (SPLIT,))
    if streaming:
        return _stream(chosen, locate(chosen.task, data_dir=data_dir, revision=revision))
    found = prepare([condition], data_dir=data_dir, revision=revision, cache_dir=cache_dir)
    return found[chosen.name].dataset()


def _prepare(
    condition: Condition, located: Located, sha256: str, cache_dir: str | Path | None, told: set[tuple[str, str]]
) -> Prepared:
    slot = Slot(cache_root(cache_dir), condition, sha256)
    notes = slot.fill(located.path)
    unexpected = _row_count(condition, located, notes.n_rows)
    _tell(condition, (*notes.lines(), *unexpected), told)
    warnings = notes.warnings + unexpected
    provenance = located.provenance(sha256, notes.n_rows)
    return Prepared(condition, provenance, slot.folder, located.path, warnings, notes.faults)


def _row_count(condition: Condition, located: Located, n_rows: int) -> tuple[str, ...]:
    expected = tasks.get(condition.task).expected_rows
    if located.source == "local" or n_rows == expected:
        return ()
    return (f"{located.source} gives {n_rows} rows; the published file of this track has {expected}",)


def _tell(condition: Condition, lines: Sequence[str], told: set[tuple[str, str]]) -> None:
    """Log lines, each once for a track: its conditions share most of what there is to say."""
    for line in lines:
        if (condition.task, line) not in told:
            told.add((condition.task, line))
            _LOG.warning("%s: %s", condition.name, line)


def _mention_script(file: Path, data_dir: str | Path | None) -> None:
    """Say that a loading script beside the data does nothing, to those who kept one for older versions of datasets."""
    for folder in dict.fromkeys((file.parent, Path(data_dir or file.parent))):
        for script in folder.glob("*.py") if folder.is_dir() else ():
            if script.stem.lower() == NAME:
                _LOG.warning("%s is not used: datasets runs no scripts since version 4, and none is needed", script)


def _stream(condition: Condition, located: Located) -> IterableDataset:
    from datasets import IterableDataset, NamedSplit

    # The faults that end everything are found now, as without streaming, not in the middle of a run.
    tsv.check(located.path, tasks.get(condition.task).required)
    extras, left_out = passed_columns(located.path, condition)
    for line in Notes(condition, left_out).lines():
        _LOG.warning("%s: %s", condition.name, line)
    return IterableDataset.from_generator(
        _stream_rows,
        features=features(condition, extras),
        gen_kwargs={"path": str(located.path), "condition": condition.name, "extras": extras},
        split=NamedSplit(SPLIT),
    )


def _stream_rows(path: str, condition: str, extras: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    layout = Layout(conditions.get(condition), extras)
    told: set[tuple[str, str]] = set()
    for cases in read_cases(Path(path), layout.condition.task, pictures=layout.condition.images):
        notes = Notes(layout.condition)
        notes.take(cases)
        _tell(layout.condition, notes.lines(), told)
        yield from (layout.row(case) for case in cases)
