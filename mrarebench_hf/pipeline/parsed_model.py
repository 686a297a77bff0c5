"""The parsed files of one model: which of them count, and what a reader of their summary must know.

In: a model's folder. Out: its files with their tables of scores, how their boxes were read, and warnings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mrarebench_hf.families import Family, Profile
from mrarebench_hf.pipeline.measured_folders import require_family
from mrarebench_hf.pipeline.measured_table import ParsedFile, read_parsed
from mrarebench_hf.store.sample_files import SampleFile, sample_files
from mrarebench_hf.store.score_table import checksum

__all__ = ["ParsedModel", "read_model"]

# Ratings of the same samples by other rules, which medvision_bm writes beside them.
_OTHER_RATINGS = ("_proc_acc", "_eq_acc")


@dataclass(frozen=True, slots=True)
class ParsedModel:
    """What one model has.

    Attributes:
        files: its parsed files, one per task under ``spec``.
        box_convention: format and origin that its boxes were read by, "xyxy01 lower-left"; several are joined by
            " and "; None where nothing says so, or there are no boxes.
        warnings: what a reader must know.
    """

    files: tuple[ParsedFile, ...]
    box_convention: str | None
    warnings: tuple[str, ...]


def read_model(parsed: Path, family: Family, profile: Profile, key: str, data_root: Path) -> ParsedModel | None:
    """Read the parsed files in a folder; None when there are none.

    Raises:
        StoreError: when they were made by the other profile, or cannot be read.
        UsageError: for files of another family.
    """
    files = sample_files(parsed) if parsed.is_dir() else []
    files = [file for file in files if not any(word in file.path.name for word in _OTHER_RATINGS)]
    if not files:
        return None
    require_family(files, family)
    kept, warnings = _one_per_task(files, profile)
    found = [read_parsed(file, family, profile, key, data_root) for file in kept]
    for entry in found:
        warnings += _warnings(entry)
    conventions = sorted({_convention(entry) for entry in found if entry.about is not None}) if family.is_box else []
    if len(conventions) > 1:
        warnings.append(f"boxes were read by several conventions: {', '.join(conventions)}")
    return ParsedModel(tuple(found), " and ".join(conventions) or None, tuple(warnings))


def _one_per_task(files: Sequence[SampleFile], profile: Profile) -> tuple[list[SampleFile], list[str]]:
    """The newest file of every task; medvision_bm counts them all, and every sample in them once more."""
    newest = {file.task: file for file in sorted(files, key=lambda file: file.stamp)}
    older = [file for file in files if newest[file.task] is not file]
    if profile == "medvision_bm":
        return list(files), [f"{file.path.name} is a second file of its task and counts too" for file in older]
    warnings = [
        f"{file.path.name} is left out: {newest[file.task].path.name} is a newer file of the task" for file in older
    ]
    return [file for file in files if newest[file.task] is file], warnings


def _warnings(parsed: ParsedFile) -> Iterator[str]:
    name, about = parsed.file.path.name, parsed.about
    yield from parsed.faults
    if about is None:
        return
    damaged = about.get("counts", {}).get("n_damaged_lines")
    if damaged:
        yield f"{damaged} damaged lines of {name} were left out when it was parsed"
    if about.get("limit") is not None:
        yield f"{name} holds no more than {about['limit']} samples: it was parsed with --limit"
    raw = parsed.file.path.parent.parent / name
    try:
        if about.get("raw") != checksum(raw):
            yield f"the answers in {raw} have changed since they were parsed: run mrarebench parse again"
    except OSError:  # parsed files may travel alone
        return


def _convention(parsed: ParsedFile) -> str:
    about = parsed.about or {}
    return f"{about.get('box_format')} {about.get('box_origin')}"
