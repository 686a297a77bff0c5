"""``run.json``: what was run, how, when, where and how far it came; everything that ``summary.json`` must not hold."""

from __future__ import annotations

import logging
import platform
import re
import shlex
import socket
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from mrarebench_hf.errors import StoreError
from mrarebench_hf.store.atomic import read_json, write_json

__all__ = ["SCHEMA_VERSION", "Status", "add", "finish", "stamp_of", "start", "value"]

SCHEMA_VERSION = 1

_LOG = logging.getLogger(__name__)
_STAMP = re.compile(r"\d{8}_\d{6}")

Status = Literal["complete", "incomplete", "failed", "interrupted"]


def start(path: Path, facts: Mapping[str, Any], *, fresh: bool = False) -> str:
    """Write the manifest as "started" and return the run's stamp; a resumed run keeps its first stamp.

    A manifest that cannot be read is set aside: nothing in it is needed to go on.

    Args:
        path: the manifest.
        facts: model, settings, data and processes of this run.
        fresh: take a new stamp, so that the files of an earlier run stay beside the new ones.
    """
    now = datetime.now(UTC)
    earlier = _earlier(path)
    stamp = None if fresh else stamp_of(earlier)
    stamp = stamp or now.strftime("%Y%m%d_%H%M%S")
    n_starts = earlier.get("n_starts")
    write_json(
        path,
        {
            "schema_version": SCHEMA_VERSION,
            "status": "started",
            "stamp": stamp,
            "started": now.isoformat(timespec="seconds"),
            "n_starts": (n_starts if isinstance(n_starts, int) else 0) + 1,
            "command": shlex.join(sys.argv),
            "python": platform.python_version(),
            "platform": platform.platform(),
            "host": socket.gethostname(),
            **facts,
        },
    )
    return stamp


def stamp_of(document: Mapping[str, Any]) -> str | None:
    """The stamp of a manifest, None where it has none that could be part of a file's name."""
    stamp = document.get("stamp")
    return stamp if isinstance(stamp, str) and _STAMP.fullmatch(stamp) else None


def _earlier(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        return read_json(path)
    except StoreError as error:
        aside = path.with_name(f"{path.name}.damaged")
        _LOG.warning("%s; kept as %s", error, aside.name)
        path.replace(aside)
        return {}


def value(path: Path, name: str) -> str | None:
    """A text that a manifest holds, None where it does not."""
    found = read_json(path).get(name)
    return found if isinstance(found, str) else None


def add(path: Path, facts: Mapping[str, Any]) -> None:
    """Add facts to a manifest, and leave how its run ended as it is."""
    write_json(path, read_json(path) | dict(facts))


def finish(path: Path, status: Status, facts: Mapping[str, Any] | None = None) -> None:
    """Close the manifest with how the run ended."""
    document = read_json(path)
    document |= {"status": status, "finished": datetime.now(UTC).isoformat(timespec="seconds"), **(facts or {})}
    write_json(path, document)
