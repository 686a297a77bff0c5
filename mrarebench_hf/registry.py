"""A folder is a registry: each public module in it is one entry, named by its file.

Nothing is imported until an entry is asked for, so listing backends costs no torch.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from mrarebench_hf.errors import UnknownNameError

__all__ = ["load", "names"]


def names(package: str) -> tuple[str, ...]:
    """Names of the entries in a package's folder, sorted; names with a leading underscore are not entries."""
    path = importlib.import_module(package).__path__
    return tuple(sorted(m.name for m in pkgutil.iter_modules(path) if not m.name.startswith("_")))


def load(package: str, name: str, *, kind: str) -> ModuleType:
    """Import one entry.

    Args:
        package: dotted name of the folder, for example ``mrarebench_hf.tasks``.
        name: the entry, that is the file's name without ``.py``.
        kind: what an entry is, for the error message ("task", "model backend").

    Raises:
        UnknownNameError: when the folder has no such entry; near matches are offered.
    """
    known = names(package)
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return importlib.import_module(f"{package}.{name}")
