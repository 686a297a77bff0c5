"""Datasets on disk: built once into the cache of ``datasets``, named by content, found again by the verbatim call.

After ``prepare``, ``datasets.load_dataset("mrarebench", "Diagnosis_TO")`` finds these caches from any folder, by
``datasets``' own route for datasets it has loaded before; nothing inside ``datasets`` is changed.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mrarebench_hf import conditions, tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset.builder import Builder
from mrarebench_hf.dataset.rows import IMAGES
from mrarebench_hf.dataset.withheld import passed_columns
from mrarebench_hf.errors import StoreError, UnknownNameError
from mrarebench_hf.records import Provenance
from mrarebench_hf.source.cases import read_cases
from mrarebench_hf.source.resolve import Located, locate

if TYPE_CHECKING:
    from datasets import Dataset, IterableDataset

__all__ = ["NAME", "SPLIT", "Prepared", "load", "prepare"]

NAME = "mrarebench"
SPLIT = "test"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Prepared:
    """One condition's dataset in the cache.

    Attributes:
        condition: the input condition.
        provenance: where its cases came from.
        path: the benchmark file.
        folder: the cache folder that holds its shards.
        warnings: what a reader of its scores must know.
    """

    condition: Condition
    provenance: Provenance
    path: Path
    folder: Path
    warnings: tuple[str, ...]

    def dataset(self, *, decode: bool = True) -> Dataset:
        """The rows, memory-mapped; pictures are decoded when looked at, or stay bytes."""
        import datasets

        shards = sorted(self.folder.glob("*.arrow"))
        info = datasets.DatasetInfo.from_directory(str(self.folder))
        if not decode:
            info.features[IMAGES] = datasets.List(datasets.Image(decode=False))
        parts = [datasets.Dataset.from_file(str(shard), info=info, split=SPLIT) for shard in shards]
        return parts[0] if len(parts) == 1 else datasets.concatenate_datasets(parts, info=info, split=SPLIT)

    def n_bytes(self) -> int:
        """Size of the shards on disk."""
        return sum(shard.stat().st_size for shard in self.folder.glob("*.arrow"))

    def picture_faults(self, index: str) -> str:
        """Why pictures of a case could not be had, from the benchmark file; "" when all could."""
        task = tasks.get(self.condition.task)
        for case in read_cases(task.name, self.path, task.columns, task.required):
            if case.index == index:
                return "; ".join(f"picture {p.slot}: {p.fault}" for p in case.pictures if p.fault)
        return ""


def prepare(
    names: Sequence[str] | None = None,
    *,
    data_dir: Path | None = None,
    revision: str | None = None,
    cache_dir: Path | None = None,
) -> dict[str, Prepared]:
    """Build datasets into the cache, or find them there, under their short and long names.

    Args:
        names: conditions, short or long; None for all.
        data_dir: where the benchmark files are; None looks at ``$LMUData``, then the Hub.
        revision: revision of the Hub dataset.
        cache_dir: cache of ``datasets``; None for its own.

    Returns:
        short condition name → what was prepared, in the order asked.

    Raises:
        UnknownNameError: for a name that is no condition.
        DataNotFoundError, DataFormatError: when the benchmark file is missing or broken.
        StoreError: when the cache cannot be written.
    """
    wanted = [c for c in conditions.CONDITIONS] if names is None else [conditions.get(name) for name in names]
    found: dict[str, Located] = {}
    prepared = {}
    for condition in wanted:
        task = tasks.get(condition.task)
        if task.name not in found:
            found[task.name] = locate(task.folder, task.filename, data_dir=data_dir, revision=revision)
        prepared[condition.name] = _prepare(condition, found[task.name], cache_dir)
    return prepared


def load(
    name: str,
    *,
    data_dir: str | Path | None = None,
    revision: str | None = None,
    split: str = SPLIT,
    streaming: bool = False,
    cache_dir: str | Path | None = None,
) -> Dataset | IterableDataset:
    """One condition as a dataset; an edited benchmark file is noticed.

    Rows hold ``index``, ``images`` (PIL, None for a picture that the file does not give), ``image_labels``,
    ``prompt``, the references, and columns that the benchmark does not know. Pictures keep the mode they were saved
    in; ``source.picture.to_rgb`` makes of their bytes what a model is shown.

    Args:
        name: condition, short or long.
        data_dir: where the benchmark files are; None looks at ``$LMUData``, then the Hub.
        revision: revision of the Hub dataset.
        split: "test", the only one.
        streaming: rows from the file as they are iterated, nothing cached.
        cache_dir: cache of ``datasets``; None for its own.

    Raises:
        UnknownNameError: for a name that is no condition, or another split.
        DataNotFoundError, DataFormatError: when the benchmark file is missing or broken.
    """
    condition = conditions.get(name)
    if split != SPLIT:
        raise UnknownNameError("split", split, (SPLIT,))
    folder = Path(data_dir) if data_dir is not None else None
    cache = Path(cache_dir) if cache_dir is not None else None
    if not streaming:
        return prepare([name], data_dir=folder, revision=revision, cache_dir=cache)[condition.name].dataset()
    task = tasks.get(condition.task)
    located = locate(task.folder, task.filename, data_dir=folder, revision=revision)
    return _builder(condition, located, cache).as_streaming_dataset(split=SPLIT)


def _builder(condition: Condition, located: Located, cache_dir: Path | None) -> Builder:
    extras = passed_columns(located.path, condition)
    return Builder(condition, located, extras, dataset_name=NAME, cache_dir=str(cache_dir) if cache_dir else None)


def _prepare(condition: Condition, located: Located, cache_dir: Path | None) -> Prepared:
    from datasets.exceptions import DatasetGenerationError

    from mrarebench_hf.errors import MRareBenchError

    builder = _builder(condition, located, cache_dir)
    try:
        builder.download_and_prepare()
        folder = Path(builder.cache_dir)
        # The verbatim call takes the newest cache of a config: make the one just asked for the newest.
        os.utime(folder)
        _add_long_name(folder, condition)
    except DatasetGenerationError as error:
        if isinstance(error.__cause__, MRareBenchError):
            raise error.__cause__ from None
        raise
    except OSError as error:
        raise StoreError(f"cannot write the dataset cache {builder.cache_dir}: {error}; set HF_DATASETS_CACHE") from error
    n_rows = builder.info.splits[SPLIT].num_examples
    provenance = Provenance(located.source, located.revision, located.sha256, n_rows)
    return Prepared(condition, provenance, located.path, folder, tuple(_warnings(condition, provenance)))


def _warnings(condition: Condition, provenance: Provenance) -> list[str]:
    expected = tasks.get(condition.task).expected_rows
    if provenance.source == "local" or provenance.n_rows == expected:
        return []
    warning = f"{provenance.source} gives {provenance.n_rows} rows where the published {condition.task} file has {expected}"
    _LOG.warning("%s", warning)
    return [warning]


def _add_long_name(folder: Path, condition: Condition) -> None:
    """Give the cache its second name: the same shards by hard links, and an info that says the name."""
    target = Path(*folder.parts[:-3], condition.long_name, *folder.parts[-2:])
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent.parent))
        try:
            for shard in folder.glob("*.arrow"):
                _link(shard, made / shard.name)
            info = json.loads((folder / "dataset_info.json").read_bytes())
            (made / "dataset_info.json").write_text(json.dumps(info | {"config_name": condition.long_name}))
            made.chmod(0o755)
            made.rename(target)
        except FileExistsError:  # another process was faster
            shutil.rmtree(made)
        except OSError:
            shutil.rmtree(made, ignore_errors=True)
            if not target.exists():
                raise
    os.utime(target)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links pays for a copy
        shutil.copyfile(source, target)
