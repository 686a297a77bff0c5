"""Stage dataset: prepared conditions in, a Hub-ready repository folder out: Parquet, card, evaluation entry.

The folder loads with ``load_dataset`` as it is, beside the caller or from the Hub, with datasets 3.6 and later.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset import card
from mrarebench_hf.dataset.cache import SPLIT
from mrarebench_hf.dataset.loading import prepare
from mrarebench_hf.dataset.prepared import Prepared
from mrarebench_hf.errors import StoreError, UsageError

__all__ = ["MARK", "build"]

MARK = ".mrarebench-build.json"  # says that a folder is ours to replace
_OWN = ("data", "README.md", "eval.yaml", ".gitattributes", MARK)
_FILE = f"{SPLIT}-00000-of-00001.parquet"
_GROUP_ROWS = 100
_GROUP_BYTES = 256 << 20


def build(
    out: str | Path,
    names: Sequence[str] | None = None,
    *,
    data_dir: str | Path | None = None,
    revision: str | None = None,
    cache_dir: str | Path | None = None,
    force: bool = False,
) -> dict[str, Prepared]:
    """Write the repository; the files of an earlier build there are replaced once all new ones are written.

    Whatever else lies in the folder, a ``.git`` or a licence, stays.

    Args:
        out: the folder; called ``mrarebench``, ``load_dataset("mrarebench", …)`` finds it from beside it.
        names: conditions, short or long; None for all.
        data_dir: where the benchmark files are; None for ``$LMUData``, then the Hub.
        revision: of the Hub dataset.
        cache_dir: the cache to prepare in; None for datasets' own.
        force: whether a folder that is no earlier build may be moved aside, to ``<out>.old-1``.

    Returns:
        What went in, as ``prepare`` returns it.

    Raises:
        UsageError: when something else is in the way.
        DataError: when a benchmark file is missing or damaged.
        StoreError: when the folder cannot be written.
    """
    target = Path(out).expanduser().resolve()
    _refuse_foreign(target, force=force)
    prepared = prepare(names, data_dir=data_dir, revision=revision, cache_dir=cache_dir)
    try:
        if target.exists() and any(target.iterdir()) and not (target / MARK).is_file():
            target.rename(_aside(target))
        target.mkdir(parents=True, exist_ok=True)
        # Inside the target, so that every move stays on its file system.
        new = Path(tempfile.mkdtemp(prefix=".building-", dir=target))
        try:
            _write(new, prepared)
            _move(new, target)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error}") from error
    return prepared


def _refuse_foreign(target: Path, *, force: bool) -> None:
    if target == Path(target.anchor):
        raise UsageError(f"{target} is the root of the file system; name a folder in it")
    if force and target in (Path.cwd(), *Path.cwd().parents) and not (target / MARK).is_file():
        raise UsageError(f"{target} holds the current folder and cannot be moved; choose another")
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target} is a file; a repository is a folder")
    if force or not target.exists() or not any(target.iterdir()):
        return
    if not (target / MARK).is_file():
        raise UsageError(
            f"{target} holds something that mrarebench build did not write; choose another folder, or --force to have "
            f"it moved to {_aside(target)}"
        )
    script = target / f"{target.name}.py"
    if script.exists():
        raise UsageError(
            f"{script} makes datasets refuse the folder ('Dataset scripts are no longer supported'): move it away. "
            "Versions before 4 read the Parquet without it"
        )


def _aside(target: Path) -> Path:
    number = 1
    while (aside := target.with_name(f"{target.name}.old-{number}")).exists():
        number += 1
    return aside


def _move(new: Path, target: Path) -> None:
    """Put the new files in place, the mark last; each is there whole, old or new, at any moment."""
    old = new / "old"
    old.mkdir()
    for name in _OWN:
        if (target / name).is_dir():
            (target / name).rename(old / name)
        (new / name).replace(target / name)


def _write(folder: Path, prepared: dict[str, Prepared]) -> None:
    for name, one in prepared.items():
        data = folder / "data" / name
        data.mkdir(parents=True)
        _write_parquet(one.path, data / _FILE)
    (folder / "README.md").write_text(card.render(list(prepared.values()), _pattern), encoding="utf-8")
    (folder / "eval.yaml").write_text(card.evaluation(list(prepared.values())), encoding="utf-8")
    sources = {name: card.identity(one) for name, one in prepared.items()}
    (folder / MARK).write_text(json.dumps(sources, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    (folder / ".gitattributes").write_text("*.parquet filter=lfs diff=lfs merge=lfs -text\n", encoding="utf-8")


def _pattern(condition: Condition) -> str:
    return f"data/{condition.name}/{_FILE}"


def _write_parquet(arrow: Path, parquet: Path) -> None:
    """Copy rows; pictures that several conditions share fall into equal chunks, which the Hub stores once.

    The features that datasets keeps in a schema's metadata are left out, because versions before 4 fail on those of
    later ones; the card states them.
    """
    import pyarrow as pa
    from pyarrow import parquet as pq

    # Read, not mapped: mapped pages would stay with the process until the end.
    with pa.OSFile(str(arrow), "rb") as file, pa.ipc.open_stream(file) as reader:
        schema = reader.schema.remove_metadata()
        options: dict[str, Any] = {"use_content_defined_chunking": True, "use_dictionary": False}
        with pq.ParquetWriter(str(parquet), schema, write_page_index=True, **options) as writer:
            for group in _groups(reader):
                table = pa.Table.from_batches(group).replace_schema_metadata(None)
                writer.write_table(table, row_group_size=_GROUP_ROWS)


def _groups(batches: Any) -> Iterator[list[Any]]:
    group: list[Any] = []
    n_rows = n_bytes = 0
    for batch in batches:
        if group and (n_rows + batch.num_rows > _GROUP_ROWS or n_bytes + batch.nbytes > _GROUP_BYTES):
            yield group
            group, n_rows, n_bytes = [], 0, 0
        group.append(batch)
        n_rows += batch.num_rows
        n_bytes += batch.nbytes
    if group:
        yield group
