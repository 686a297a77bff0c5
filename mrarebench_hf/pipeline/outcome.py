"""How runs end: exit codes, and what the command line shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["ExitCode", "Outcome", "code_of", "worst"]

ExitCode: TypeAlias = Literal[0, 1, 3]
_FROM_BEST: tuple[ExitCode, ...] = (0, 3, 1)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended on this process.

    Attributes:
        exit_code: 0 complete, 1 failed, 3 incomplete.
        text: the table; empty on all but the main process, and when nothing was scored.
        notes: what is missing and how to get it, one sentence each.
    """

    exit_code: int
    text: str = ""
    notes: tuple[str, ...] = ()


def worst(*codes: ExitCode) -> ExitCode:
    """The exit code of several that says the worst: complete, incomplete, failed.

    >>> worst(3, 0)
    3
    """
    return max(codes, key=_FROM_BEST.index)


def code_of(n_failed: int, n_total: int, max_fail_rate: float | None) -> ExitCode:
    """The exit code of items of which some have no answer.

    >>> code_of(1, 4, None), code_of(1, 4, 0.1), code_of(4, 4, None)
    (3, 1, 1)
    """
    if not n_failed:
        return 0
    over = n_failed == n_total or (max_fail_rate is not None and n_failed > max_fail_rate * n_total)
    return 1 if over else 3
