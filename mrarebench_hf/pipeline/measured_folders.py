"""Which folders of a results tree stages 2 and 3 of MedVision work on, and whether their files are of the family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from mrarebench_hf.errors import MRareBenchError, UsageError
from mrarebench_hf.families import Family
from mrarebench_hf.measured_names import looks_like_task, parse_task
from mrarebench_hf.store.sample_files import SampleFile, model_folders

__all__ = ["chosen_folders", "require_family", "require_name"]


def chosen_folders(task_dir: Path | None, model_dir: Path | None, models: Sequence[str] = ()) -> list[Path]:
    """The models' folders that a user's options name.

    Raises:
        UsageError: when there is not exactly one of ``task_dir`` and ``model_dir``.
        StoreError: when ``task_dir`` is no folder of models, or a named model is missing.
    """
    if task_dir is not None and model_dir is not None:
        raise UsageError("give one of --task_dir (one folder per model in it) and --model_dir (one model's folder)")
    if model_dir is not None:
        if models:
            raise UsageError("--models chooses among the models of --task_dir; --model_dir is one model already")
        return [model_dir]
    if task_dir is None:
        raise UsageError("give --task_dir (one folder per model in it) or --model_dir (one model's folder)")
    return model_folders(task_dir, models)


def require_name(parsed_dirname: str) -> None:
    """Refuse a path where the name of the folder with parsed files is asked for.

    Raises:
        UsageError: for anything that is no plain name.
    """
    if parsed_dirname in ("", ".", "..") or Path(parsed_dirname).name != parsed_dirname:
        raise UsageError(f"--parsed_dirname {parsed_dirname!r} must be the name of a folder, not a path")


def require_family(files: Iterable[SampleFile], family: Family) -> None:
    """Refuse files whose names say that something else is measured in them; other names say nothing.

    Raises:
        UsageError: for the first such file.
    """
    for file in files:
        try:
            named = parse_task(file.task).family if looks_like_task(file.task) else family
        except MRareBenchError:  # a name of somebody's own
            continue
        if named != family:
            raise UsageError(f"{file.path} is of another family: use --task_type {named.name}, not {family.name}")
