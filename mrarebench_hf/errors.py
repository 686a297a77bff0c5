"""Every exception this package raises on purpose, and the exit code each one means.

A message names the offending value, where it came from, and the way out, so that the command line can
print it alone, without a traceback.

    MRareBenchError                 1
    ├── UsageError                  2   a wrong name or option
    │   └── UnknownNameError        2   a name that no registry holds; near matches are offered
    ├── DataError                   1   a benchmark file is at fault; raised before any model call
    │   ├── DataNotFoundError       1   no file where it was looked for
    │   └── DataFormatError         1   a file that cannot be read as the benchmark
    ├── PictureError                1   one picture cannot be used; fails its own item only
    ├── ModelError                  1   a model cannot be loaded or cannot do what is asked
    │   ├── MissingDependencyError  1   an optional package is not installed
    │   └── EndpointError           1   a server will answer no question (key, name, address, credit)
    ├── ReplyError                  1   one reply of a judge cannot be read; asked again, then its case is missing
    ├── StoreError                  1   a results folder cannot be used
    └── LaunchError                 1   the processes that were started do not form one group
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar

__all__ = [
    "DataError",
    "DataFormatError",
    "DataNotFoundError",
    "EndpointError",
    "LaunchError",
    "MRareBenchError",
    "MissingDependencyError",
    "ModelError",
    "PictureError",
    "ReplyError",
    "StoreError",
    "UnknownNameError",
    "UsageError",
]


class MRareBenchError(Exception):
    """Root of the tree; catch it to catch everything this package raises on purpose."""

    exit_code: ClassVar[int] = 1


class UsageError(MRareBenchError):
    """A wrong option or argument."""

    exit_code: ClassVar[int] = 2


class UnknownNameError(UsageError):
    """A name that does not exist; the message offers the nearest ones and the whole list."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        near = difflib.get_close_matches(name, self.known, n=3, cutoff=0.5)
        hint = f" Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
        super().__init__(f"unknown {kind} {name!r}.{hint} Known: {', '.join(self.known)}.")


class DataError(MRareBenchError):
    """A benchmark file is at fault."""


class DataNotFoundError(DataError):
    """No benchmark file at any of the places that were tried."""


class DataFormatError(DataError):
    """A benchmark file that cannot be read as what it should be."""


class PictureError(MRareBenchError):
    """One picture cannot be used; the item it belongs to fails, the others go on."""


class ModelError(MRareBenchError):
    """A model cannot be loaded, or cannot do what is asked of it."""


class MissingDependencyError(ModelError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}, which is not installed: pip install 'mrarebench-hf[{extra}]'")


class ReplyError(MRareBenchError):
    """One reply of a judge that cannot be read safely.

    Attributes:
        reason: short machine-readable cause, for counting.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class EndpointError(ModelError):
    """A server that will answer no question: a wrong key, name or address, no credit, or nobody there."""


class StoreError(MRareBenchError):
    """A results folder cannot be read or written."""


class LaunchError(MRareBenchError):
    """The processes that were started do not form the group they should."""
