"""``run.json``: what was run, how, when, where and how far it came; everything that ``summary.json`` must not hold."""

from __future__ import annotations

import platform
import shlex
import socket
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from mrarebench_hf.store.atomic import read_json, write_json

__all__ = ["SCHEMA_VERSION", "Status", "finish", "start"]

SCHEMA_VERSION = 1

Status = Literal["complete", "incomplete", "failed", "interrupted"]


def start(path: Path, facts: Mapping[str, Any]) -> str:
    """Write the manifest as "started" and return the run's stamp; a resumed run keeps its first stamp.

    Args:
        path: the manifest.
        facts: model, settings, data and processes of this run.
    """
    now = datetime.now(UTC)
    earlier = read_json(path) if path.exists() else {}
    stamp = str(earlier.get("stamp") or now.strftime("%Y%m%d_%H%M%S"))
    write_json(
        path,
        {
            "schema_version": SCHEMA_VERSION,
            "status": "started",
            "stamp": stamp,
            "started": now.isoformat(timespec="seconds"),
            "n_starts": int(earlier.get("n_starts", 0)) + 1,
            "command": shlex.join(sys.argv),
            "python": platform.python_version(),
            "platform": platform.platform(),
            "host": socket.gethostname(),
            **facts,
        },
    )
    return stamp


def finish(path: Path, status: Status, facts: Mapping[str, Any] | None = None) -> None:
    """Close the manifest with how the run ended."""
    document = read_json(path)
    document |= {"status": status, "finished": datetime.now(UTC).isoformat(timespec="seconds"), **(facts or {})}
    write_json(path, document)
