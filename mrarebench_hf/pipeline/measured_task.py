"""One MedVision task of a run: its samples as they are shown, what is still to be asked, and the record of answers."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mrarebench_hf import __version__
from mrarebench_hf.dataset.measured_rows import MeasuredRows, resize_of
from mrarebench_hf.measured import View
from mrarebench_hf.measured_names import TaskName
from mrarebench_hf.model import Backend
from mrarebench_hf.pipeline.measured_options import MeasuredOptions
from mrarebench_hf.prompt.measurement_template import TEMPLATE_VERSION, template_hash
from mrarebench_hf.records import Response
from mrarebench_hf.run.measured_work import MeasuredWork
from mrarebench_hf.run.plan import Item
from mrarebench_hf.run.sample_policy import choose
from mrarebench_hf.source.measured_samples import read_samples
from mrarebench_hf.source.rendering import RENDERING_VERSION
from mrarebench_hf.source.volume import Volumes
from mrarebench_hf.store import completed_tasks, journal
from mrarebench_hf.store.atomic import write_json, write_jsonl
from mrarebench_hf.store.layout import RunFolder
from mrarebench_hf.store.measured_record import measured_line
from mrarebench_hf.store.task_stamp import replace_stamp

__all__ = ["TaskSession", "conclude", "open_work", "start"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class TaskSession:
    """One task between its plan and its record.

    Attributes:
        work: the task's rows and folder.
        model: identity of the model.
        generation: settings that can change a reply.
        marks: fingerprint of every row.
        pending: rows that still need an answer.
    """

    work: MeasuredWork
    model: Mapping[str, Any]
    generation: Mapping[str, Any]
    marks: Sequence[str]
    pending: Sequence[Item]


def open_work(options: MeasuredOptions, name: TaskName, backend: Backend) -> MeasuredWork:
    """A task's samples, capped; the same on every process.

    Raises:
        DataError: when plan or volumes are missing or damaged.
        UsageError: when the plan has no such task.
    """
    found = read_samples(options.data_dir, name, options.release, filtered=options.filtered)
    fixed = options.perceived_px and View(options.perceived_px, options.perceived_px)
    rows = MeasuredRows(
        found,
        Volumes(options.data_dir),
        resize_of(name, options.resize_px),
        (lambda _size: fixed) if fixed else backend.view,
        options.float16,
    )
    chosen = choose(len(found.samples), options.limit, options.policy, options.settings.seed)
    keeps = options.cache or options.mode == "eval"
    folder = RunFolder(options.results_dir / options.tasks.tag / backend.slug, name.text, keeps_responses=keeps)
    return MeasuredWork.open(rows, chosen, folder, backend)


def start(work: MeasuredWork, backend: Backend) -> TaskSession:
    """See what is stored, and list what is still to be asked."""
    folder = work.folder
    model, generation = dict(backend.identity(work.name)), dict(backend.generation)
    journal.repair(folder.cache, folder.tag)
    marks = work.marks(model, generation)
    pending = list(work.pending(marks, work.stored()))
    _LOG.info("%s: %d of %d stored, %d to ask", work.name, len(marks) - len(pending), len(marks), len(pending))
    if pending:
        completed_tasks.forget(folder.root, work.name)
    return TaskSession(work, model, generation, marks, pending)


def conclude(options: MeasuredOptions, session: TaskSession) -> dict[str, int]:
    """Merge all answers into the task's samples file, note whether it is complete; return failures by reason."""
    work, root = session.work, session.work.folder.root
    found = work.stored()
    responses = [
        replace(found[mark], index=index)
        if mark in found
        else Response(index, "failed", reason="not_run", error="no answer is stored")
        for index, mark in zip(work.ids(), session.marks, strict=True)
    ]
    about = _about(options, work)
    stamp = replace_stamp(root, work.name, fresh=not options.reuse)
    write_jsonl(
        root / f"{stamp}_samples_{work.name}.jsonl",
        (
            measured_line(work.record(row), session.marks[row], response, about)
            for row, response in enumerate(responses)
        ),
    )
    failures = Counter(response.reason or "?" for response in responses if response.status == "failed")
    n_total, n_failed = len(responses), sum(failures.values())
    write_json(root / f"{stamp}_results.json", _results(session, stamp, n_total - n_failed, about))
    if not n_failed:
        facts = {"fingerprint": completed_tasks.digest(session.marks), "n_samples": n_total, "stamp": stamp, **about}
        completed_tasks.record(root, work.name, facts)
    if not work.folder.keeps_responses:
        work.folder.set_aside_cache()
    return dict(failures)


def _about(options: MeasuredOptions, work: MeasuredWork) -> dict[str, Any]:
    found = work.rows.found
    return {
        **options.about(),
        "plan_version": found.plan.version,
        "plan_sha256": found.plan_sha256,
        "prompt_version": TEMPLATE_VERSION,
        "prompt_sha256": template_hash(),
        "rendering_version": RENDERING_VERSION,
    }


def _results(session: TaskSession, stamp: str, n_answered: int, about: Mapping[str, Any]) -> dict[str, Any]:
    """The results file, in the layout that MedVision's users have; stage 2 adds the scores."""
    work = session.work
    name, found = work.name, work.rows.found
    return {
        "results": {name: {"alias": name}},
        "configs": {name: {"task": name, "dataset_config": found.name.config, "split": work.split, **about}},
        "versions": {name: found.plan.version},
        "n-samples": {name: {"original": len(found.samples), "effective": n_answered}},
        "dropped": {name: dict(found.dropped)},
        "config": {"model": dict(session.model), "generation": dict(session.generation), "version": __version__},
        "date": stamp,
        "model_name": session.model["name"],
    }
