"""Stage dataset: the name of a MedVision task in, its rows out: from the cache, filled when needed, or as a stream."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mrarebench_hf.dataset.arrow_folder import ArrowFolder, cache_root
from mrarebench_hf.dataset.measured_cache import MeasuredSlot
from mrarebench_hf.dataset.measured_columns import MeasuredLayout, measured_features
from mrarebench_hf.dataset.measured_rows import MeasuredRows, resize_of
from mrarebench_hf.errors import DataFormatError, UnknownNameError
from mrarebench_hf.measured_names import TaskName, parse_task
from mrarebench_hf.source.measured_samples import SampleSet, read_samples
from mrarebench_hf.source.releases import LATEST, data_folder
from mrarebench_hf.source.volume import Volumes

if TYPE_CHECKING:
    from datasets import Dataset, IterableDataset

__all__ = ["PreparedTask", "Reading", "load_task", "prepare_tasks"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reading:
    """How MedVision's data are read.

    Attributes:
        release: a published version, or "latest".
        filtered: whether MedVision's filters leave samples out.
        float16: whether targets are rounded as MedVision's own rows hold them.
        resize_px: rows and columns that slices are brought to first; None leaves them.
    """

    release: str = LATEST
    filtered: bool = True
    float16: bool = False
    resize_px: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PreparedTask:
    """One task's dataset in the cache.

    Attributes:
        folder: where its rows lie.
        found: its samples, the plan that they come from, and what was left out.
    """

    folder: ArrowFolder
    found: SampleSet

    def dataset(self) -> Dataset:
        """The rows, memory-mapped."""
        return self.folder.dataset()

    def n_bytes(self) -> int:
        """What the rows take on disk."""
        return self.folder.shard.stat().st_size


def prepare_tasks(
    names: Sequence[str],
    *,
    data_dir: str | Path | None = None,
    reading: Reading | None = None,
    cache_dir: str | Path | None = None,
) -> dict[str, PreparedTask]:
    """Write tasks into the cache of datasets, or find them there.

    Afterwards ``datasets.load_dataset("mrarebench", NAME, split=…)`` gives the same rows from any folder, under the
    name as given and under that of the config.

    Args:
        names: tasks or configs, such as ``KiTS23_TumorLesionSize_Task01_Axial_Test``.
        data_dir: the folder that holds ``Datasets/``; None for ``$MedVision_DATA_DIR``.
        reading: None for the newest release, filtered, in double precision.
        cache_dir: None for datasets' own.

    Returns:
        Name → what was prepared, in the order asked.

    Raises:
        UsageError: for a name of another form, a task that the plan does not have, or without a data folder.
        UnknownNameError: for a name whose parts are none of the known ones, or an unknown release.
        DataError: when plan, volumes or landmarks are missing or damaged; nothing is written then.
        StoreError: when the cache cannot be written.
    """
    reading = reading or Reading()
    root, cache = data_folder(data_dir), cache_root(cache_dir)
    found = {}
    for name in dict.fromkeys(names):
        rows = _rows(name, root, reading)
        found[name] = PreparedTask(MeasuredSlot(cache, rows, reading.filtered).fill(), rows.found)
    return found


def load_task(
    name: str,
    *,
    data_dir: str | Path | None = None,
    reading: Reading | None = None,
    split: str | None = None,
    streaming: bool = False,
    cache_dir: str | Path | None = None,
) -> Dataset | IterableDataset:
    """One task as a dataset, or as a stream that renders a row when it is asked for; see ``prepare_tasks``.

    Raises:
        UnknownNameError: also for a split that is not the task's.
    """
    own = parse_task(name).split.lower()
    if split not in (None, own):
        raise UnknownNameError("split", str(split), (own,))
    if not streaming:
        return prepare_tasks([name], data_dir=data_dir, reading=reading, cache_dir=cache_dir)[name].dataset()
    from datasets import IterableDataset, NamedSplit

    root, reading = data_folder(data_dir), reading or Reading()
    rows = _rows(name, root, reading)
    rows.require_volumes(rows.found.samples)  # found now, as without streaming, not in the middle of a run
    return IterableDataset.from_generator(
        _stream_rows,
        features=measured_features(),
        gen_kwargs={"name": name, "root": str(root), "reading": asdict(reading)},
        split=NamedSplit(own),
    )


def _stream_rows(name: str, root: str, reading: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    rows = _rows(name, Path(root), Reading(**reading))
    layout = MeasuredLayout(rows)
    for number in range(len(rows.found.samples)):
        yield layout.row(number)


def _rows(text: str, root: Path, reading: Reading) -> MeasuredRows:
    name: TaskName = parse_task(text)
    found = read_samples(root, name, reading.release, filtered=reading.filtered)
    dropped = ", ".join(f"{reason}: {n}" for reason, n in found.dropped.items())
    if not found.samples:
        raise DataFormatError(f"{text} has no samples in {found.plan.path}" + (f" ({dropped})" if dropped else ""))
    if dropped:
        _LOG.info("%s: left out: %s", text, dropped)
    return MeasuredRows(found, Volumes(root), resize_of(name, reading.resize_px), float16=reading.float16)
