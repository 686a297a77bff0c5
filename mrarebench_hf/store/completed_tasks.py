"""``completed_tasks.json`` of a model's folder: which MedVision tasks are done, and of what.

A task counts as done only for the samples, prompts, pictures, model and settings that it was done with: a run of ten
samples does not stand for one of a thousand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mrarebench_hf.errors import StoreError
from mrarebench_hf.store.atomic import read_json, write_json

__all__ = ["FILE", "completed", "digest", "forget", "record"]

FILE = "completed_tasks.json"


def digest(marks: Sequence[str]) -> str:
    """One fingerprint of the fingerprints of all samples, in their order."""
    return hashlib.sha256("\n".join(marks).encode()).hexdigest()


def completed(folder: Path) -> dict[str, Any]:
    """Name of a task → what is known of its completion; empty without a readable file."""
    try:
        return read_json(folder / FILE)
    except StoreError:
        return {}


def record(folder: Path, task: str, facts: dict[str, Any]) -> None:
    """Add a task, or replace what is known of it."""
    write_json(folder / FILE, completed(folder) | {task: facts})


def forget(folder: Path, task: str) -> None:
    """Take a task out, as long as it is asked anew."""
    known = completed(folder)
    if known.pop(task, None) is not None:
        write_json(folder / FILE, known)
