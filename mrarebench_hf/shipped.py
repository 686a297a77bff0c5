"""Folders that ship with the package but are not code of it: evaluate modules and repository templates.

In an installed wheel they lie inside the package, in a checkout beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from mrarebench_hf.errors import DataNotFoundError, UnknownNameError

__all__ = ["metric_path", "path"]

_PACKAGE = Path(__file__).resolve().parent


def path(folder: Literal["metrics", "loading_script"]) -> Path:
    """Absolute path of a shipped folder.

    Raises:
        DataNotFoundError: when the installation lacks it.
    """
    for candidate in (_PACKAGE / f"_{folder}", _PACKAGE.parent / folder):
        if candidate.is_dir():
            return candidate
    raise DataNotFoundError(f"this installation lacks the folder {folder!r}: reinstall mrarebench-hf")


def metric_path(name: str) -> str:
    """Path of one of our evaluate modules, for ``evaluate.load``.

    Raises:
        UnknownNameError: when there is no such metric; the known ones are listed.

    >>> metric_path("ranked_diagnosis").endswith("ranked_diagnosis")
    True
    """
    folder = path("metrics")
    known = sorted(p.name for p in folder.iterdir() if (p / f"{p.name}.py").is_file())
    if name not in known:
        raise UnknownNameError("metric", name, known)
    return str(folder / name)
