"""Stage 2 of MedVision over a results tree: every samples file of one model, or of all models of a task."""

from __future__ import annotations

import logging
import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from types import FrameType

from tqdm import tqdm

from mrarebench_hf.errors import StoreError, UsageError
from mrarebench_hf.pipeline.measured_file import FileReport, Reading, is_parsed, parse_file
from mrarebench_hf.pipeline.measured_folders import chosen_folders, require_family, require_name
from mrarebench_hf.score.measured_answers import check_convention
from mrarebench_hf.store.sample_files import SampleFile, sample_files

__all__ = ["parse_measurements"]

_LOG = logging.getLogger(__name__)


def parse_measurements(
    how: Reading,
    task_dir: Path | None = None,
    model_dir: Path | None = None,
    models: Sequence[str] = (),
    skip_existing: bool = False,
    processes: int = 1,
) -> list[FileReport]:
    """Parse every samples file; a file that is done stays, whatever happens to the others.

    Args:
        how: by which rules.
        task_dir: folder with one folder per model.
        model_dir: folder of one model, instead.
        models: only these of the task's.
        skip_existing: leave out files that were parsed by the same rules from the same answers.
        processes: how many files are parsed at once.

    Raises:
        UsageError: for no folder or two, options that contradict each other, or files of another family.
        StoreError: when there is no samples file.
    """
    _check(how, processes)
    files = _files(how, task_dir, model_dir, models)
    if skip_existing:
        todo = [file for file in files if not is_parsed(file, how)]
        if len(todo) < len(files):
            _LOG.info("%d of %d files are parsed already and skipped", len(files) - len(todo), len(files))
        files = todo
    sizes = sum(file.path.stat().st_size for file in files)
    with tqdm(total=sizes, unit="B", unit_scale=True, desc="parse", disable=None) as bar:
        reports = {}
        for file, report in _parsed(files, how, processes):
            reports[file.path] = report
            bar.update(file.path.stat().st_size)
    return [reports[file.path] for file in files]


def _check(how: Reading, processes: int) -> None:
    if processes < 1:
        raise UsageError(f"-p {processes}: give 1 process or more")
    if how.limit is not None and how.limit < 0:
        raise UsageError(f"--limit {how.limit}: give 0 or more; without --limit all samples are parsed")
    check_convention(how.family, how.profile, how.box_format, how.box_origin)
    require_name(how.parsed_dirname)


def _files(how: Reading, task_dir: Path | None, model_dir: Path | None, models: Sequence[str]) -> list[SampleFile]:
    files = [file for folder in chosen_folders(task_dir, model_dir, models) for file in sample_files(folder)]
    if not files:
        raise StoreError(f"no *_samples_*.jsonl below {task_dir or model_dir}: stage 1 writes one per task")
    require_family(files, how.family)
    return files


def _parsed(files: Sequence[SampleFile], how: Reading, processes: int) -> Iterator[tuple[SampleFile, FileReport]]:
    if processes == 1 or len(files) < 2:
        yield from ((file, parse_file(file, how)) for file in files)
        return
    together: dict[Path, list[SampleFile]] = {}
    for file in files:  # tasks that share one document of results are not parsed at once
        together.setdefault(file.results, []).append(file)
    # Started afresh: a copy of this process would copy its threads' locks too.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(files)), context, initializer=_end_quietly) as pool:
        waiting = {pool.submit(_parse_each, group, how): group for group in together.values()}
        try:
            for done in as_completed(waiting):
                yield from zip(waiting[done], done.result(), strict=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _parse_each(files: Sequence[SampleFile], how: Reading) -> list[FileReport]:
    return [parse_file(file, how) for file in files]


def _end_quietly() -> None:
    """Ctrl-C reaches every process: one reports it, the others clear up and go."""
    signal.signal(signal.SIGINT, _leave)


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(130)
