"""A MedVision run from plans and volumes to tables: stage 1 task by task, then stages 2 and 3 over the model's folder.

Every task is planned, asked and recorded by itself, so that a task that fails costs the others nothing.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mrarebench_hf.errors import DataError, DataNotFoundError, StoreError, UsageError
from mrarebench_hf.measured_names import TaskName
from mrarebench_hf.model import Backend, open_model
from mrarebench_hf.pipeline import crew
from mrarebench_hf.pipeline.measured_file import FileReport, Reading
from mrarebench_hf.pipeline.measured_options import MeasuredOptions
from mrarebench_hf.pipeline.measured_task import conclude, open_work, start
from mrarebench_hf.pipeline.measurement_summary import Summarizing, summarize_measurements
from mrarebench_hf.pipeline.measurements import parse_measurements
from mrarebench_hf.pipeline.outcome import ExitCode, Outcome, code_of, worst
from mrarebench_hf.run.group import Group, join
from mrarebench_hf.run.plan import chunks
from mrarebench_hf.run.work import pack, unpack
from mrarebench_hf.source.releases import RESTRICTED
from mrarebench_hf.store import manifest
from mrarebench_hf.store.layout import RunFolder
from mrarebench_hf.summarize.document import packages

__all__ = ["run_measurements"]

_LOG = logging.getLogger(__name__)
_LEFT_OUT = "left out"
_STATUS: dict[int, manifest.Status] = {0: "complete", 3: "incomplete", 1: "failed"}


@dataclass(frozen=True, slots=True)
class _End:
    """How one task ended.

    Attributes:
        status: "complete", "incomplete", "failed" or "skipped".
        code: the exit code that it asks for.
        facts: for the manifest.
        note: what to tell the user; None when there is nothing.
    """

    status: str
    code: ExitCode
    facts: dict[str, Any]
    note: str | None = None


def run_measurements(options: MeasuredOptions) -> Outcome:
    """Do one run, together with the processes that a launcher started beside this one.

    Raises:
        MRareBenchError: for a user's mistake that no task is to blame for.
    """
    backend = open_model(options.model, options.settings)
    ends: dict[str, _End] = {}
    folder = RunFolder(options.results_dir / options.tasks.tag / backend.slug, options.tasks.tag, options.cache)
    group = join(options.timeout_s)
    if options.mode == "eval":  # the answers are there: nothing to share
        return _score(options, folder.root, ends) if group.rank == 0 else Outcome(0)
    if group.rank != 0:
        return _help(options, backend, group)
    with crew.leading(group), folder.locked():
        if not options.reuse or not folder.keeps_responses:
            folder.set_aside_cache()
        with _noted(options, folder.manifest, backend.generation, group.world_size, ends):
            for name, expected in options.tasks.tasks:
                ends[name.text] = _lead(options, name, expected, backend, group)
                group = _next(options, group, name)
        return _score(options, folder.root, ends)


def _help(options: MeasuredOptions, backend: Backend, group: Group) -> Outcome:
    """The part of every process but the main one."""
    for name, _ in options.tasks.tasks:
        if crew.receive(group, crew.DATA) != _LEFT_OUT:
            work = open_work(options, name, backend)
            crew.infer([work], unpack(crew.receive(group, crew.PLAN)), backend, group, name.text)
        group.finish()
        group = _next(options, group, name)
    return Outcome(0)


def _next(options: MeasuredOptions, group: Group, done: TaskName) -> Group:
    """The group for the next task, with a plan and messages of its own; the old one after the last."""
    return group if done == options.tasks.tasks[-1][0] else join(options.timeout_s)


def _lead(options: MeasuredOptions, name: TaskName, expected: int | None, backend: Backend, group: Group) -> _End:
    """The part of the main process for one task."""
    with crew.leading(group):
        try:
            work = open_work(options, name, backend)
        except (DataError, UsageError) as error:
            group.publish(crew.DATA, _LEFT_OUT)
            group.finish()
            return _left_out(options, name, error)
        found = work.rows.found
        if expected not in (None, len(found.samples)):
            _LOG.warning("%s: the list says %d samples, this data has %d", name.text, expected, len(found.samples))
        group.publish(crew.DATA, "")
        session = start(work, backend)
        plan = chunks(session.pending, options.batch_size)
        group.publish(crew.PLAN, pack(plan))
        crew.infer([work], plan, backend, group, name.text)
        group.finish()
        failures = conclude(options, session)
    n_total, n_failed = len(session.marks), sum(failures.values())
    facts = {
        "model": dict(session.model),
        "n_total": n_total,
        "n_asked": len(session.pending),
        "n_failed": n_failed,
        "failures": failures,
    }
    code = code_of(n_failed, n_total, options.max_fail_rate)
    if not n_total:
        why = "the plan has no samples of it" + (f" left ({_listed(found.dropped)})" if found.dropped else "")
        return _End("complete", 0, facts, f"{name.text} is empty: {why}" if options.limit != 0 else None)
    if not n_failed:
        return _End("complete", 0, facts)
    note = f"{name.text} is {_STATUS[code]}: {n_failed} of {n_total} samples have no answer ({_listed(failures)})"
    return _End(_STATUS[code], code, facts, f"{note}; the same command again asks only for those")


def _left_out(options: MeasuredOptions, name: TaskName, error: Exception) -> _End:
    """A task that cannot be asked: restricted data that is not there is no failure, anything else is one."""
    absent = not (options.data_dir / "Datasets" / name.dataset).is_dir()
    if isinstance(error, DataNotFoundError) and absent and name.dataset in RESTRICTED and options.data_dir.is_dir():
        return _End("skipped", 0, {"reason": str(error)}, f"{name.text} is skipped: {error}")
    return _End("failed", 1, {"reason": str(error)}, f"{name.text} failed: {error}")


@contextlib.contextmanager
def _noted(
    options: MeasuredOptions, path: Path, generation: Mapping[str, Any], world_size: int, ends: dict[str, _End]
) -> Iterator[None]:
    """Keep the manifest of a run: started, and how its tasks ended, whatever ends it."""
    facts = {
        "task": options.tasks.tag,
        "tasks": [name.text for name, _ in options.tasks.tasks],
        "model_spec": options.model,
        "generation": dict(generation),
        "samples": options.about(),
        "batch_size": options.batch_size,
        "n_processes": world_size,
        "packages": packages(),
    }
    manifest.start(path, facts, fresh=not options.reuse)
    error: BaseException | None = None
    try:
        yield
    except BaseException as raised:
        error = raised
        raise
    finally:
        status: manifest.Status
        if error is None:
            status = _STATUS[worst(0, *(end.code for end in ends.values()))]
        else:
            status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        done = {name: {"status": end.status, **end.facts} for name, end in ends.items()}
        manifest.finish(path, status, {"ended_tasks": done, "error": str(error) if error else None})


def _score(options: MeasuredOptions, root: Path, ends: dict[str, _End]) -> Outcome:
    """Stages 2 and 3 over all that the model's folder holds."""
    notes = [end.note for end in ends.values() if end.note]
    code = worst(0, *(end.code for end in ends.values()))
    asked = [end for end in ends.values() if end.status != "skipped"]
    if options.mode == "infer" or (ends and not any(end.status in ("complete", "incomplete") for end in asked)):
        return Outcome(code if asked or not ends else 1, "", tuple(notes))
    family = options.tasks.family
    try:
        reports = parse_measurements(Reading(family, data_root=options.data_dir), model_dir=root)
    except StoreError as error:
        if options.mode != "eval":
            raise
        raise StoreError(f"nothing to evaluate in {root}: run --mode infer first ({error})") from error
    _, text = summarize_measurements(Summarizing(family, data_root=options.data_dir), model_dir=root)
    if options.mode == "eval":
        missing, total = (sum(report.counts[key] for report in reports) for key in ("n_missing", "n_total"))
        code = code_of(missing, total, options.max_fail_rate)
    return Outcome(code, text, (*notes, *_faults(reports)))


def _faults(reports: list[FileReport]) -> list[str]:
    return [text for report in reports for text in (*report.faults, *report.notes)]


def _listed(counts: Any) -> str:
    return ", ".join(f"{reason}: {n}" for reason, n in counts.items())
