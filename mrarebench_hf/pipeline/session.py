"""One condition of a run on the main process: what is still to be asked, and what becomes of the answers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from mrarebench_hf.errors import StoreError
from mrarebench_hf.model import Backend
from mrarebench_hf.pipeline.grading import Answers, Graded, grade
from mrarebench_hf.pipeline.options import Options
from mrarebench_hf.pipeline.outcome import ExitCode, code_of, worst
from mrarebench_hf.prompt import template_sha256
from mrarebench_hf.records import Response
from mrarebench_hf.run.condition_work import ConditionWork
from mrarebench_hf.run.plan import Item
from mrarebench_hf.similarity import Similarity
from mrarebench_hf.store import journal, manifest
from mrarebench_hf.store.atomic import read_json, write_jsonl
from mrarebench_hf.store.record import sample
from mrarebench_hf.summarize.document import packages

__all__ = ["End", "Session", "conclude", "start"]

_LOG = logging.getLogger(__name__)
_STATUS: Mapping[int, manifest.Status] = {0: "complete", 3: "incomplete", 1: "failed"}


@dataclass(frozen=True)
class Session:
    """One condition between its plan and its scores.

    Attributes:
        work: the condition's rows and folder.
        stamp: the run's name in file names; a resumed run keeps it.
        model: identity of the model.
        generation: settings that can change a reply.
        marks: fingerprint of every row.
        pending: rows that still need an answer.
    """

    work: ConditionWork
    stamp: str
    model: Mapping[str, Any]
    generation: Mapping[str, Any]
    marks: Sequence[str]
    pending: Sequence[Item]


@dataclass(frozen=True, slots=True)
class End:
    """How one condition ended: its exit code, and what to tell the user about it."""

    exit_code: ExitCode
    notes: tuple[str, ...]


def start(options: Options, work: ConditionWork, backend: Backend, world_size: int) -> Session:
    """See what is stored, write the manifest, and list what is still to be asked (nothing under ``--mode eval``).

    Raises:
        StoreError: under ``--mode eval`` when nothing has been asked yet.
    """
    if options.mode == "eval":
        return _stored(work)
    folder = work.folder
    model = dict(backend.identity(work.condition.task))
    generation = dict(backend.generation)
    if not options.reuse or not folder.keeps_responses:
        folder.set_aside_cache()
    journal.repair(folder.cache, folder.tag)
    marks = work.marks(model, generation)
    pending = list(work.pending(marks, work.stored()))
    _LOG.info(
        "%s: %d of %d stored, %d to ask", work.condition.name, len(marks) - len(pending), len(marks), len(pending)
    )
    facts = {
        "task": folder.tag,
        "condition": work.condition.name,
        "model_spec": options.model,
        "model": model,
        "generation": generation,
        "data": asdict(work.prepared.provenance),
        "prompt_sha256": template_sha256(work.condition),
        "warnings": list(work.prepared.warnings),
        "limit": options.limit,
        "det_backend": options.det_backend,
        "batch_size": options.batch_size,
        "n_processes": world_size,
        "n_to_ask": len(pending),
        "packages": packages(),
    }
    stamp = manifest.start(folder.manifest, facts, fresh=not options.reuse)
    return Session(work, stamp, model, generation, marks, pending)


def _stored(work: ConditionWork) -> Session:
    """Take up stored answers under the settings they were made with, whatever flags stand here now."""
    folder = work.folder
    if not folder.manifest.exists():
        raise StoreError(f"nothing to evaluate in {folder.root}: run --mode infer first")
    journal.repair(folder.cache, folder.tag)
    earlier = read_json(folder.manifest)
    model, generation, stamp = earlier.get("model"), earlier.get("generation"), manifest.stamp_of(earlier)
    if not isinstance(model, dict) or not isinstance(generation, dict) or stamp is None:
        raise StoreError(
            f"{folder.manifest} is damaged: the run without --mode eval makes a new one, and asks nothing twice"
        )
    return Session(work, stamp, model, generation, work.marks(model, generation), [])


def conclude(options: Options, session: Session, similarity: Similarity | None) -> End:
    """Merge all answers into one record, judge and score them, and close the manifest."""
    work, folder = session.work, session.work.folder
    found = work.stored()
    responses = [
        replace(found[mark], index=index)
        if mark in found
        else Response(index, "failed", reason="not_run", error="no answer is stored")
        for index, mark in zip(work.ids(), session.marks, strict=True)
    ]
    references = work.references()
    write_jsonl(
        folder.samples(session.stamp),
        (
            sample(row, work.request(row).prompt, references[row], session.marks[row], response)
            for row, response in enumerate(responses)
        ),
    )
    answers = Answers(
        folder=folder,
        stamp=session.stamp,
        condition=work.condition,
        provenance=work.prepared.provenance,
        limit=options.limit,
        prompt_sha256=template_sha256(work.condition),
        model=session.model,
        generation=session.generation,
        warnings=work.prepared.warnings,
        responses=responses,
        references=references,
    )
    graded = Graded(0, (), {}) if options.mode == "infer" else grade(answers, options.judge, similarity)
    if not folder.keeps_responses:
        folder.set_aside_cache()
    return _end(options, answers, graded)


def _end(options: Options, answers: Answers, graded: Graded) -> End:
    failures, n_total = answers.failures, len(answers.responses)
    n_failed = sum(failures.values())
    code = worst(code_of(n_failed, n_total, options.max_fail_rate), graded.exit_code)
    usage = Counter({"prompt_tokens": 0, "completion_tokens": 0})
    for response in answers.responses:
        usage.update({key: value for key, value in asdict(response.usage).items() if value is not None})
    facts = {
        "error": None,
        "limit": options.limit,
        "n_total": n_total,
        "n_failed": n_failed,
        "failures": failures,
        "usage": dict(usage),
        **graded.facts,
    }
    manifest.finish(answers.folder.manifest, _STATUS[code], facts)
    if not n_failed:
        return End(code, graded.notes)
    reasons = ", ".join(f"{reason}: {n}" for reason, n in failures.items())
    remedy = "run it without --mode eval to ask" if options.mode == "eval" else "the same command again asks only"
    note = (
        f"{answers.condition.name} is {_STATUS[code]}: {n_failed} of {n_total} items have no answer ({reasons}); "
        f"{remedy} for those"
    )
    return End(code, (note, *graded.notes))
