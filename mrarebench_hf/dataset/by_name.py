"""Stage dataset: any name in, its rows out: an input condition of MRareBench, or a task of MedVision."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mrarebench_hf.dataset import loading, measured_loading
from mrarebench_hf.errors import UsageError
from mrarebench_hf.measured_names import looks_like_task

if TYPE_CHECKING:
    from datasets import Dataset, IterableDataset

__all__ = ["load"]


def load(
    name: str,
    *,
    data_dir: str | Path | None = None,
    revision: str | None = None,
    release: str | None = None,
    filtered: bool = True,
    float16: bool = False,
    resize_px: tuple[int, int] | None = None,
    split: str | None = None,
    streaming: bool = False,
    cache_dir: str | Path | None = None,
) -> Dataset | IterableDataset:
    """One condition or task as a dataset; edited files are noticed.

    Rows hold ``index``, ``images`` (PIL when looked at), ``image_labels`` (one per picture, "" for none), ``prompt``,
    and what the answer is scored against. A condition's rows also hold further columns of its file, as text; a picture
    that cannot be had is None there, which is logged. A task's rows hold one picture and ``target``, ``unit``,
    ``image_size``, ``pixel_size_mm``, ``diagonal_mm`` and what groups them; every column is in ``docs/data.md``.

    Args:
        name: a condition, short or long; or a task or config of MedVision, such as
            ``KiTS23_TumorLesionSize_Task01_Axial_Test``.
        data_dir: where the files are; None for ``$LMUData``, then the Hub; of MedVision the folder that holds
            ``Datasets/``, None for ``$MedVision_DATA_DIR``.
        revision: of the Hub dataset; conditions only.
        release: a published version of MedVision's data, None for the newest; tasks only, as all that follow:
        filtered: whether MedVision's filters leave samples out.
        float16: whether targets are rounded as MedVision's own rows hold them.
        resize_px: rows and columns that slices are brought to first.
        split: None for the only one: "test", or what the config's name says.
        streaming: make rows as they are asked for; nothing is written to the cache.
        cache_dir: None for datasets' own.

    Raises:
        UnknownNameError: for an unknown name or release, or another split.
        UsageError: for an argument that is not for such a name, or a task that the plan does not have.
        DataError: when files are missing or damaged.
        StoreError: when the cache cannot be written.
    """
    places: dict[str, Any] = {"data_dir": data_dir, "split": split, "streaming": streaming, "cache_dir": cache_dir}
    if looks_like_task(name):
        if revision is not None:
            raise UsageError("revision is for MRareBench's conditions; a task of MedVision has a release")
        reading = measured_loading.Reading(release or "latest", filtered, float16, resize_px)
        return measured_loading.load_task(name, reading=reading, **places)
    if (release, filtered, float16, resize_px) != (None, True, False, None):
        raise UsageError(f"release, filtered, float16 and resize_px are for MedVision's tasks, {name!r} is none")
    return loading.load_condition(name, revision=revision, **places)
