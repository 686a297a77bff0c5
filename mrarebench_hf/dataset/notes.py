"""Stage dataset: cases as they are written in, what a user must know about them out, kept beside the rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset.withheld import aliases, shows_findings
from mrarebench_hf.prompt import final_text, leaks, shown_label, statement_of
from mrarebench_hf.records import Case
from mrarebench_hf.source import references
from mrarebench_hf.source.cells import findings
from mrarebench_hf.tasks import get

__all__ = ["Notes"]

_FILE = "mrarebench_notes.json"
_SHOWN = 5
_LOGGED = 20


class Notes:
    """Counts, faults and warnings of one condition's rows.

    Attributes:
        n_rows: rows taken so far.
        faults: per id the pictures that could not be had, as (slot, reason).
    """

    def __init__(self, condition: Condition, left_out: Mapping[str, str] | None = None) -> None:
        self._condition = condition
        self.n_rows = 0
        self.faults: dict[str, list[tuple[int, str]]] = {}
        self._files: dict[str, tuple[int, int] | None] = {}
        self._folder = ""
        self._remarks: dict[str, list[str]] = {
            f"column {name!r} {reason} and is left out": [] for name, reason in (left_out or {}).items()
        }

    def depends_on(self, file: Path) -> None:
        """Remember a picture file that the rows were made from, or would have been."""
        self._files[str(file)] = _state(file)

    def take(self, cases: Sequence[Case]) -> None:
        """Look through cases."""
        self.n_rows += len(cases)
        for case in cases:
            faults = [(p.slot, p.fault) for p in case.pictures if p.fault]
            if faults:
                self.faults[case.index] = faults
            for remark in self._about(case):
                self._remarks.setdefault(remark, []).append(case.index)

    def _about(self, case: Case) -> list[str]:
        condition = self._condition
        remarks = references.warnings_of(case.task, case.cells)
        if condition.images and not case.pictures:
            remarks.append("no picture in a condition that shows pictures")
        if condition.findings and not findings(case.cells.get("image findings", "")):
            remarks.append("no written findings in a condition that shows them")
        if case.task == "evidence" and not condition.diagnosis:
            remarks += self._about_diagnosis(case)
        if case.task == "diagnosis" and not condition.findings:
            remarks += self._about_findings(case)
        return remarks

    def _shown(self, case: Case) -> str:
        """Every text of the prompt."""
        labels = [shown_label(case, self._condition, picture) or "" for picture in case.pictures]
        return " ".join([*labels, final_text(case, self._condition, get(case.task))])

    def _about_findings(self, case: Case) -> Iterator[str]:
        if shows_findings(self._shown(case), case.cells.get("image findings", "")):
            yield "the withheld findings stand in the prompt, word for word"

    def _about_diagnosis(self, case: Case) -> Iterator[str]:
        name = case.cells.get("final_diagnosis", "")
        if leaks(self._shown(case), [name, *aliases(case.extras)]):
            yield "the withheld diagnosis, or another name of it, stands in the prompt"
        found = statement_of(case.cells.get("context", ""), name)
        if found == "none":
            yield "no statement of the diagnosis was found at the beginning of the context, so none was taken away"
        elif found == "full_stop":
            yield "the statement of the diagnosis names it otherwise than final_diagnosis; it was cut at a full stop"

    @property
    def warnings(self) -> tuple[str, ...]:
        """The remarks, each once, with the ids it holds for; free of paths."""
        return tuple(_with_ids(remark, ids) for remark, ids in self._remarks.items())

    def outdated(self, source: Path) -> bool:
        """Whether a picture file beside the benchmark file is another one, or has changed, come or gone since."""
        elsewhere = bool(self._files) and self._folder != _folder_of(source)
        return elsewhere or any(_state(Path(path)) != state for path, state in self._files.items())

    def lines(self) -> tuple[str, ...]:
        """What a user must know, for the log: the warnings, then the pictures that cannot be used."""
        faults = [(index, slot, reason) for index, found in self.faults.items() for slot, reason in found]
        lines = [f"id {index}: picture {slot} cannot be used: {reason}" for index, slot, reason in faults[:_LOGGED]]
        more = [f"{len(faults) - _LOGGED} more pictures cannot be used"] if len(faults) > _LOGGED else []
        return (*self.warnings, *lines, *more)

    def write(self, folder: Path, source: Path) -> None:
        """Keep the notes in a folder, with where the benchmark file lies that they are about."""
        content = {"n_rows": self.n_rows, "faults": self.faults, "files": self._files, "remarks": self._remarks}
        content["folder"] = _folder_of(source)
        text = json.dumps({"condition": self._condition.name, **content}, ensure_ascii=False, indent=1)
        (folder / _FILE).write_text(text, encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Notes | None:
        """The notes of a folder, None when there is no complete one."""
        from mrarebench_hf import conditions

        try:
            content: dict[str, Any] = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        if "folder" not in content:
            return None
        notes = cls(conditions.get(content["condition"]))
        notes.n_rows = content["n_rows"]
        notes.faults = {index: [(slot, reason) for slot, reason in f] for index, f in content["faults"].items()}
        notes._files = {path: tuple(state) if state else None for path, state in content["files"].items()}
        notes._remarks = content["remarks"]
        notes._folder = content["folder"]
        return notes


def _folder_of(source: Path) -> str:
    return str(source.parent.resolve())


def _with_ids(remark: str, ids: Sequence[str]) -> str:
    if not ids:
        return remark
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return f"{remark} (id {', '.join(ids[:_SHOWN])}{more})"


def _state(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns
