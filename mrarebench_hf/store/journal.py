"""The response journal: one append-only JSON-lines file per process, each line written and synced at once.

A kill loses at most the samples in flight. ``repair`` runs once, before anybody writes: it takes out lines
that are no records (a torn tail, zero bytes after a power cut) and keeps them beside the journal.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mrarebench_hf.errors import StoreError
from mrarebench_hf.records import Response, Usage
from mrarebench_hf.store.atomic import dumps, write_bytes

__all__ = ["Entry", "Journal", "journal_files", "read", "repair"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """One finished sample.

    Attributes:
        key: readable key (``store.fingerprint.cache_key``).
        fingerprint: what a hit needs in full.
        response: what came back, failed or not.
    """

    key: str
    fingerprint: str
    response: Response


class Journal:
    """Appends entries to one process's file; use it as a context manager."""

    def __init__(self, folder: Path, tag: str, rank: int) -> None:
        self._path = folder / f"{tag}_rank{rank}.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Unbuffered: nothing is left to be written, and to fail, when the file is closed.
            self._file = self._path.open("ab", buffering=0)
        except OSError as error:
            raise StoreError(f"cannot write {self._path}: {error.strerror}; choose another --results-dir") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def append(self, entry: Entry) -> None:
        """Write one line; when this returns, the line is on the disk.

        Raises:
            StoreError: when the disk takes no more.
        """
        try:
            data = (dumps(_to_line(entry)) + "\n").encode()
            while data:
                data = data[self._file.write(data) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StoreError(f"cannot append to {self._path}: {error.strerror}; finished samples are kept") from error


def journal_files(folder: Path, tag: str) -> list[Path]:
    """Every process's journal of a task, whatever the number of processes was, in the order of their ranks."""
    pattern = re.compile(re.escape(tag) + r"_rank(\d+)\.jsonl")
    found = [(int(m[1]), p) for p in folder.glob("*.jsonl") if (m := pattern.fullmatch(p.name))]
    return [p for _, p in sorted(found)]


def read(folder: Path, tag: str) -> Iterator[Entry]:
    """The entries of all processes; lines that are no records are passed over (``repair`` reports them)."""
    for path in journal_files(folder, tag):
        for line in path.read_bytes().splitlines():
            entry = _from_line(line)
            if entry is not None:
                yield entry


def repair(folder: Path, tag: str) -> int:
    """Take lines that are no records out of the journals, and return how many there were.

    They are kept in ``<journal>.rejected``. Call it only while no process writes.
    """
    n_bad = 0
    for path in journal_files(folder, tag):
        data = path.read_bytes()
        lines = data.splitlines()
        bad = [n for n, line in enumerate(lines, 1) if _from_line(line) is None]
        if not bad and (not data or data.endswith(b"\n")):
            continue
        if bad:
            _LOG.warning(
                "%s: line %s not readable (a process was killed while writing, or the disk was full); set aside, "
                "those samples are asked again",
                path,
                ", ".join(map(str, bad)),
            )
            with path.with_suffix(".jsonl.rejected").open("ab") as rejected:
                rejected.writelines(lines[n - 1] + b"\n" for n in bad)
        dropped = set(bad)
        write_bytes(path, b"".join(line + b"\n" for n, line in enumerate(lines, 1) if n not in dropped))
        n_bad += len(bad)
    return n_bad


def _to_line(entry: Entry) -> dict[str, Any]:
    line = asdict(entry.response)
    line["response"] = line.pop("text")
    return {"key": entry.key, "fingerprint": entry.fingerprint, **line}


def _from_line(line: bytes) -> Entry | None:
    try:
        record = json.loads(line)
        usage = record["usage"]
        response = Response(
            index=record["index"],
            status=record["status"],
            text=record["response"],
            finish_reason=record["finish_reason"],
            reason=record["reason"],
            error=record["error"],
            latency_s=record["latency_s"],
            usage=Usage(usage["prompt_tokens"], usage["completion_tokens"]),
        )
        entry = Entry(record["key"], record["fingerprint"], response)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return entry if _well_formed(entry) else None


def _well_formed(entry: Entry) -> bool:
    response = entry.response
    texts = (entry.key, entry.fingerprint, response.index)
    optional = (response.finish_reason, response.reason, response.error)
    tokens = (response.usage.prompt_tokens, response.usage.completion_tokens)
    return (
        all(isinstance(text, str) for text in texts)
        and all(text is None or isinstance(text, str) for text in optional)
        and all(number is None or isinstance(number, int) for number in tokens)
        and (response.latency_s is None or isinstance(response.latency_s, int | float))
        and response.status in ("ok", "failed")
        and isinstance(response.text, str) == (response.status == "ok")
        and (response.text is None or isinstance(response.text, str))
    )
