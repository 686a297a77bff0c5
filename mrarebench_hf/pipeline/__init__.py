"""One run from benchmark files to scores: the only package that knows all stages, and the owner of their order.

prepare → plan → infer (all processes) → merge → judge → score → summarize → report (the main process alone).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from mrarebench_hf import conditions, tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset import prepare
from mrarebench_hf.errors import MRareBenchError, StoreError
from mrarebench_hf.judge import JudgeSettings
from mrarebench_hf.model import Backend, open_model
from mrarebench_hf.pipeline import crew
from mrarebench_hf.pipeline.grading import grade, read_answers
from mrarebench_hf.pipeline.options import DEFAULT_BACKEND, Options
from mrarebench_hf.pipeline.outcome import ExitCode, Outcome, worst
from mrarebench_hf.pipeline.session import End, Session, conclude, start
from mrarebench_hf.report import markdown
from mrarebench_hf.run.condition_work import ConditionWork
from mrarebench_hf.run.group import Group, join
from mrarebench_hf.run.plan import chunks
from mrarebench_hf.run.work import pack, unpack
from mrarebench_hf.similarity import Similarity, open_similarity
from mrarebench_hf.store import manifest
from mrarebench_hf.store.atomic import write_bytes, write_json
from mrarebench_hf.store.layout import RunFolder, started_folders
from mrarebench_hf.summarize.collect import collect

__all__ = ["DEFAULT_BACKEND", "Options", "Outcome", "judge", "report", "run"]

_NO_BACKEND = "none"


def run(options: Options) -> Outcome:
    """Do one run, together with the processes that a launcher started beside this one.

    Raises:
        MRareBenchError: for a user's mistake or damaged input, before any model call where possible.
    """
    wanted = list(dict.fromkeys(conditions.get(name) for name in options.data))
    group = join(options.timeout_s)
    backend = open_model(options.model, options.settings)
    if group.rank != 0:
        return _help(options, wanted, backend, group)
    with contextlib.ExitStack() as stack, crew.leading(group):
        # What scoring needs is opened before any model call, as its absence should not cost an inference.
        similarity = None if options.mode == "infer" else _similarity(wanted, options.det_backend)
        if options.judge is not None:
            options.judge.endpoint().key()
        works = _open(options, wanted, backend)
        group.publish(crew.DATA, "")
        for work in works:
            stack.enter_context(work.folder.locked())
        return _lead(options, works, backend, group, similarity)


def report(results_dir: Path, *, seed: int = 0) -> str:
    """Write ``summary.json`` and ``report.md`` of all runs below a results folder; return the Markdown.

    Raises:
        StoreError: when there is no such folder or no scored run in it.
    """
    document = collect(results_dir, seed=seed)
    if not document["runs"]:
        why = "".join(f"; {note}" for note in document["notes"])
        raise StoreError(f"no scored run in {results_dir}: mrarebench run … --results-dir {results_dir} makes one{why}")
    text = markdown.render(document)
    write_json(results_dir / "summary.json", document)
    write_bytes(results_dir / "report.md", text.encode())
    return text


def judge(path: Path, settings: JudgeSettings | None, *, det_backend: str | None = None) -> Outcome:
    """Judge and score again the stored answers of every run at or below a folder, and write its report.

    No benchmark file and no model is needed. Verdicts that are stored are not asked for again.

    Args:
        path: a results folder, or a part of one.
        settings: the judge; None scores again without one.
        det_backend: as in ``Options``; None takes what each run was scored with, else the default.

    Raises:
        MRareBenchError: when there is no run, or one cannot be read.
    """
    folders = started_folders(path.resolve())
    if settings is not None:
        settings.endpoint().key()
    codes: list[ExitCode] = []
    notes: list[str] = []
    for folder in folders:
        try:
            answers = read_answers(folder)
        except StoreError as error:  # one unfinished run costs the others nothing
            if len(folders) == 1:
                raise
            codes.append(3)
            notes.append(f"left out: {error}")
            continue
        spec = det_backend or manifest.value(answers.folder.manifest, "det_backend") or DEFAULT_BACKEND
        similarity = _similarity([answers.condition], spec)
        with answers.folder.locked():
            graded = grade(answers, settings, similarity)
            manifest.add(answers.folder.manifest, {**graded.facts, "det_backend": spec})
        codes.append(graded.exit_code)
        notes += graded.notes
    text = report(folders[0].root.parent.parent)
    return Outcome(worst(*codes), text, tuple(notes))


def _similarity(wanted: Sequence[Condition], spec: str) -> Similarity | None:
    if spec == _NO_BACKEND or not any(tasks.get(condition.task).compares_texts for condition in wanted):
        return None
    return open_similarity(spec)


def _open(options: Options, wanted: Sequence[Condition], backend: Backend) -> list[ConditionWork]:
    prepared = prepare([c.name for c in wanted], data_dir=options.data_dir, revision=options.data_revision)
    works = []
    for condition in wanted:
        root = options.results_dir / condition.long_name / backend.slug
        folder = RunFolder(root, condition.long_name, keeps_responses=options.cache or options.mode == "eval")
        works.append(ConditionWork.open(prepared[condition.name], folder, backend, options.limit))
    return works


def _help(options: Options, wanted: Sequence[Condition], backend: Backend, group: Group) -> Outcome:
    """The part of every process but the main one: open the data, wait for the plan, work, go."""
    crew.receive(group, crew.DATA)
    works = _open(options, wanted, backend)
    crew.infer(works, unpack(crew.receive(group, crew.PLAN)), backend, group, "inference")
    group.finish()
    return Outcome(0)


def _lead(
    options: Options, works: Sequence[ConditionWork], backend: Backend, group: Group, similarity: Similarity | None
) -> Outcome:
    """The part of the main process: plan, work, and then merge and score what all have written."""
    sessions: list[Session] = []
    ends: list[End] = []
    try:
        for work in works:
            sessions.append(start(options, work, backend, group.world_size))
        plan = chunks([item for session in sessions for item in session.pending], options.batch_size)
        group.publish(crew.PLAN, pack(plan))
        crew.infer(works, plan, backend, group, "inference")
        group.finish()
        for session in sessions:
            ends.append(conclude(options, session, similarity))
    except (KeyboardInterrupt, MRareBenchError) as error:
        status: manifest.Status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        for session in sessions[len(ends) :]:
            manifest.finish(session.work.folder.manifest, status, {"error": str(error) or None})
        raise
    text = "" if options.mode == "infer" else report(options.results_dir)
    return Outcome(worst(*(end.exit_code for end in ends)), text, tuple(note for end in ends for note in end.notes))
