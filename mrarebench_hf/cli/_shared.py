"""What verbs that run for long have in common: how they are stopped, and how they end."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mrarebench_hf.pipeline import Outcome

__all__ = ["end_as_interrupt", "show"]


def end_as_interrupt() -> None:
    """A scheduler's SIGTERM ends a run as Ctrl-C does: what is finished is on the disk, the manifest says so."""
    signal.signal(signal.SIGTERM, _interrupt)


def show(outcome: Outcome) -> int:
    """Print the table to stdout and the notes to stderr; return the exit code."""
    if outcome.text:
        print(outcome.text)
    for note in outcome.notes:
        print(f"mrarebench: {note}", file=sys.stderr)
    return outcome.exit_code


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
