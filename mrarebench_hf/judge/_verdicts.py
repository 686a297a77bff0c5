"""Stage judge: all questions of one rubric in, a verdict or a reason for each out; stored ones are not asked again.

A stored reply is known by the judge's name and temperature, the rubric's hash, the content and the pass. Failures stay
pending.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from mrarebench_hf.errors import ReplyError, StoreError
from mrarebench_hf.judge._ask import Asked, ask_all
from mrarebench_hf.judge._rubric import Question, Rubric, Verdict
from mrarebench_hf.judge._settings import JudgeSettings
from mrarebench_hf.model._chat import added
from mrarebench_hf.model._slug import slug
from mrarebench_hf.records import Response, Usage
from mrarebench_hf.store import journal, merge
from mrarebench_hf.store.atomic import dumps, read_json, write_json
from mrarebench_hf.store.fingerprint import cache_key

__all__ = ["SCHEMA_VERSION", "Verdicts", "judge"]

SCHEMA_VERSION = 1
_NOT_ASKED = "not_asked"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What became of one rubric's questions in one pass.

    Attributes:
        rubric: its name.
        by_index: per question its verdict, None where it failed.
        reasons: how many failed, by reason.
        n_asked: questions that were sent now; the others were stored.
        usage: tokens spent now.
        stopped: why asking stopped early, None otherwise.
        dropped: parameters that the server did not take when these verdicts were made.
    """

    rubric: str
    by_index: Mapping[str, Verdict | None]
    reasons: Mapping[str, int] = field(default_factory=dict)
    n_asked: int = 0
    usage: Usage = field(default_factory=Usage)
    stopped: str | None = None
    dropped: tuple[str, ...] = ()


def judge(rubric: Rubric, questions: Sequence[Question], settings: JudgeSettings, folder: Path) -> Verdicts:
    """Judge every question once per pass, and write the merged verdicts of each pass beside the journal.

    Args:
        rubric: what is asked.
        questions: with distinct indices.
        settings: the judge; the verdicts of its first pass are returned.
        folder: where journals and verdicts lie.

    Returns:
        The first pass's verdicts; tokens, questions asked and the reason for stopping are over all passes.
    """
    passes = []
    for number in range(1, settings.passes + 1):
        passes.append(_pass(rubric, questions, settings, folder, number))
        if passes[-1].stopped:
            break
    first = passes[0]
    usage = Usage()
    for one in passes:
        usage = added(usage, one.usage)
    n_asked = sum(one.n_asked for one in passes)
    return replace(first, n_asked=n_asked, usage=usage, stopped=passes[-1].stopped)


def _pass(
    rubric: Rubric, questions: Sequence[Question], settings: JudgeSettings, folder: Path, number: int
) -> Verdicts:
    tag = f"{rubric.name}__{slug(settings.model)}" + (f"__pass{number}" if number > 1 else "")
    rubric_sha256 = rubric.sha256
    marks = [_mark(rubric_sha256, question, settings, number) for question in questions]
    journal.repair(folder, tag)
    stored = merge.latest(journal.read(folder, tag))
    pending = [n for n, mark in enumerate(marks) if mark not in stored or stored[mark].status == "failed"]
    spent = [Usage()]

    with journal.Journal(folder, tag, 0) as book, _bar(len(pending), rubric.name) as bar:

        def store(n: int, response: Response) -> None:
            question, mark = questions[pending[n]], marks[pending[n]]
            book.append(journal.Entry(cache_key(tag, "judge", question.index, question.sha256), mark, response))
            spent[0] = added(spent[0], response.usage)
            bar.update()

        asked = [questions[n] for n in pending]
        how = ask_all(rubric, asked, settings, store) if asked else Asked(None, frozenset())
    stored = merge.latest(journal.read(folder, tag))
    outcomes = [_outcome(rubric, question, stored.get(mark)) for question, mark in zip(questions, marks, strict=True)]
    path = folder / f"{tag}.json"
    dropped = sorted({*_dropped_before(path), *how.dropped})
    _write(path, rubric, questions, outcomes, {"judge": settings.model, "pass": number, "dropped_parameters": dropped})
    by_index = {question.index: verdict for question, (verdict, _, _) in zip(questions, outcomes, strict=True)}
    reasons = dict(sorted(Counter(reason for _, reason, _ in outcomes if reason).items()))
    return Verdicts(rubric.name, by_index, reasons, len(asked), spent[0], how.stopped, tuple(dropped))


def _bar(n: int, name: str) -> tqdm[Any]:
    return tqdm(total=n, unit="verdict", desc=f"judge {name}", disable=None if n else True)


def _mark(rubric_sha256: str, question: Question, settings: JudgeSettings, number: int) -> str:
    payload = [settings.model, settings.temperature, rubric_sha256, question.content, number]
    return hashlib.sha256(dumps(payload).encode()).hexdigest()


def _outcome(
    rubric: Rubric, question: Question, response: Response | None
) -> tuple[Verdict | None, str | None, str | None]:
    """Verdict, reason and error of one question."""
    if response is None:
        return None, _NOT_ASKED, None
    if response.text is None:
        return None, str(response.reason), response.error
    try:
        return rubric.read(response.text, question.content), None, None
    except ReplyError as error:  # stored by an earlier version, whose reading was another
        return None, error.reason, str(error)


def _dropped_before(path: Path) -> tuple[str, ...]:
    """What the server did not take when the stored verdicts were made: they are not asked for again to find out."""
    try:
        names = read_json(path).get("dropped_parameters")
    except StoreError:
        return ()
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def _write(
    path: Path,
    rubric: Rubric,
    questions: Sequence[Question],
    outcomes: Sequence[tuple[Verdict | None, str | None, str | None]],
    facts: Mapping[str, Any],
) -> None:
    rows = [
        {"index": q.index, "content_sha256": q.sha256, "verdict": verdict, "reason": reason, "error": error}
        for q, (verdict, reason, error) in zip(questions, outcomes, strict=True)
    ]
    document = {
        "schema_version": SCHEMA_VERSION,
        "rubric": rubric.name,
        "rubric_sha256": rubric.sha256,
        **facts,
        "verdicts": rows,
    }
    write_json(path, document)
