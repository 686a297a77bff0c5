"""Many journals in, one response per item out, whatever the number of processes was."""

from __future__ import annotations

from collections.abc import Iterable

from mrarebench_hf.records import Response
from mrarebench_hf.store.journal import Entry

__all__ = ["latest"]


def latest(entries: Iterable[Entry]) -> dict[str, Response]:
    """The response of every fingerprint: an answer beats a failure, the first answer beats later ones.

    The first, because a second answer can only come of two runs side by side, and a score must not change when
    nothing was missing. Of several failures the last one is kept, as the newest reason.
    """
    found: dict[str, Response] = {}
    for entry in entries:
        known = found.get(entry.fingerprint)
        if known is None or known.status == "failed":
            found[entry.fingerprint] = entry.response
    return found
