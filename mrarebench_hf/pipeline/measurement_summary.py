"""Stage 3 of MedVision: parsed files to groups, models and a leaderboard.

In: the folder of a task or of a model. Out: per model ``parsed/summary_*.json``; one document over all models, as JSON,
Markdown, CSV and LaTeX.
"""

from __future__ import annotations

import logging
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from mrarebench_hf import __version__
from mrarebench_hf.errors import StoreError, UsageError
from mrarebench_hf.families import Family, Profile
from mrarebench_hf.pipeline.measured_folders import chosen_folders, require_name
from mrarebench_hf.pipeline.measured_table import DEFAULT_KEY, ParsedFile
from mrarebench_hf.pipeline.parsed_model import ParsedModel, read_model
from mrarebench_hf.report.measurement_tables import write_tables
from mrarebench_hf.score.measurement_summary import Columns, select
from mrarebench_hf.score.random_boxes import score_random_boxes
from mrarebench_hf.source.plans import Plans, read_plans
from mrarebench_hf.source.removed_samples import DEFAULT_NAME, read_removed, relative_to_dataset
from mrarebench_hf.store.atomic import write_bytes
from mrarebench_hf.summarize.measurement_groups import Grouper, Grouping
from mrarebench_hf.summarize.measurement_tables import as_columns, group_entry, join, overall_rows, protocol_rows
from mrarebench_hf.summarize.protocol_files import (
    Part,
    all_models,
    anatomy_versus_lesion,
    metrics_document,
    values_document,
)

__all__ = ["Summarizing", "summarize_measurements"]

_LOG = logging.getLogger(__name__)
# What medvision_bm reads of A/D; it passes over everything else without a word.
_PROTOCOL_AD = ("Ceph-Biometrics-400", "FeTA24_BiometricsFromLandmarks_Task01")
_RANDOM = "random boxes (baseline)"


@dataclass(frozen=True, slots=True)
class Summarizing:
    """How results are summarized.

    Attributes:
        family: what was measured.
        profile: by which rules; parsed files of ours must have been made by the same.
        by: the published groups, or classes of box size.
        plans: file with the names of labels.
        data_root: what recorded paths count from, for parsed files that others wrote.
        limit: only so many samples per file, the first by ``doc_id``.
        parsed_dirname: name of the folder with the parsed files.
        resps_key: field of a parsed line that holds the numbers.
        removed_dir: folder of lists of removed samples (T/L).
        removed_name: name of such a list.
        skip_unparsed: pass over models without parsed files.
        random_baseline: add what random boxes score (Detection).
        seed: of the random boxes.
    """

    family: Family
    profile: Profile = "spec"
    by: Grouping = "published"
    plans: Path | None = None
    data_root: Path = Path()
    limit: int | None = None
    parsed_dirname: str = "parsed"
    resps_key: str = DEFAULT_KEY
    removed_dir: Path | None = None
    removed_name: str = DEFAULT_NAME
    skip_unparsed: bool = False
    random_baseline: bool = False
    seed: int = 0


@dataclass(slots=True)
class _Model:
    """One model while it is summarized."""

    parts: dict[str, list[Part]]
    groups: dict[str, Columns]
    warnings: list[str]
    reasons: Counter[str]
    box_convention: str | None
    n_differ: int = 0


def summarize_measurements(
    how: Summarizing, task_dir: Path | None = None, model_dir: Path | None = None, models: Sequence[str] = ()
) -> tuple[dict[str, Any], str]:
    """Summarize one model, or all models of a task; write the files; return the document and its Markdown.

    Raises:
        UsageError: for no folder or two, options that contradict each other, or files of another family.
        StoreError: when there is nothing parsed, or it was parsed by other rules.
    """
    _check(how)
    plans = None if how.plans is None else read_plans(how.plans)
    folders = chosen_folders(task_dir, model_dir, models)
    found: dict[str, Any] = {}
    for folder in folders:
        parsed = _model(folder, how)
        if parsed is None:
            continue
        model = _read(parsed, how, plans)
        name = folder.resolve().name
        found[name] = _model_document(model, how)
        _write_model(folder / how.parsed_dirname, model, found[name], how)
    if not found:
        raise StoreError(f"no model below {task_dir or model_dir} has parsed files: run mrarebench parse first")
    document = {
        "schema_version": 1,
        "version": __version__,
        "task_type": how.family.name,
        "profile": how.profile,
        "grouping": how.by,
        "limit": how.limit,
        "seed": how.seed if _wants_random(how) else None,
        "models": found,
    }
    place = task_dir if task_dir is not None else Path(str(model_dir)) / how.parsed_dirname
    return document, _write_all(place, document, how, over_models=task_dir is not None)


def _check(how: Summarizing) -> None:
    if how.limit is not None and how.limit < 0:
        raise UsageError(f"--limit {how.limit}: give 0 or more; without --limit all samples count")
    if how.by == "box-size" and not how.family.is_box:
        raise UsageError(f"--by box-size is for Detection; {how.family.name} has no boxes")
    if how.by == "published" and how.plans is None and how.profile == "medvision_bm" and how.family.name != "AD":
        raise UsageError(f"profile medvision_bm groups {how.family.name} by names of labels: give --plans FILE")
    if how.removed_dir is not None and how.family.name != "TL":
        raise UsageError("--removed_samples_dir is for TL")
    if how.removed_dir is not None and not how.removed_dir.is_dir():
        raise UsageError(f"--removed_samples_dir {how.removed_dir}: no such folder, so nothing would be removed")
    if how.random_baseline and not how.family.is_box:
        raise UsageError(f"--random-baseline is for Detection; {how.family.name} has no boxes")
    if not 0 <= how.seed < 2**32:
        raise UsageError(f"--seed {how.seed}: give a number from 0 to {2**32 - 1}")
    require_name(how.parsed_dirname)


def _model(folder: Path, how: Summarizing) -> ParsedModel | None:
    """The parsed files of a model; None when it has none and that is to be passed over."""
    found = read_model(folder / how.parsed_dirname, how.family, how.profile, how.resps_key, how.data_root)
    if found is None:
        if not how.skip_unparsed:
            raise StoreError(
                f"{folder} has no parsed files in {how.parsed_dirname!r}: run mrarebench parse --task_type "
                f"{how.family.name} --model_dir {folder}, or pass over such models with --skip_model_wo_parsed_files"
            )
        _LOG.warning("%s has no parsed files and is passed over", folder)
    return found


def _read(found: ParsedModel, how: Summarizing, plans: Plans | None) -> _Model:
    """All samples of a model, by group."""
    protocol = how.profile == "medvision_bm"
    grouper = Grouper(how.family, plans, how.by, drops_unknown=protocol)
    model = _Model({}, {}, list(found.warnings), Counter(), found.box_convention)
    columns: dict[str, list[Columns]] = {}
    for parsed in found.files:
        if protocol and how.family.name == "AD" and not any(name in parsed.file.path.name for name in _PROTOCOL_AD):
            model.warnings.append(f"{parsed.file.path.name} is left out, as medvision_bm does")
            continue
        table = parsed.table if how.limit is None else parsed.table.slice(0, how.limit)
        table = _without_removed(parsed, table, how, model.warnings)
        model.reasons.update(filter(None, (*table["reason"].to_pylist(), *table["no_diagonal"].to_pylist())))
        model.n_differ += int(np.sum(table["profiles_differ"].to_numpy()))
        of_file = as_columns(how.family, table)
        for name, rows in grouper.rows(parsed.file, table).items():
            model.parts.setdefault(name, []).append((parsed.file, table, rows))
            columns.setdefault(name, []).append(select(of_file, rows))
    model.groups = {name: join(parts) for name, parts in columns.items()}
    model.warnings += [f"{what}: {n} samples" for what, n in sorted(grouper.unknown.items())]
    if not model.groups:
        model.warnings.append("no samples")
    if grouper.n_unnamed:
        model.warnings.append("without --plans labels have no names, and every label is a group of its own")
    return model


def _without_removed(parsed: ParsedFile, table: pa.Table, how: Summarizing, warnings: list[str]) -> pa.Table:
    """The samples that no list of removed ones names; how many are left out is said, none of them too."""
    if how.removed_dir is None:
        return table
    dataset = parsed.file.dataset
    removed = read_removed(how.removed_dir / dataset / how.removed_name)
    if not removed:
        return table
    columns = zip(
        *(table[name].to_pylist() for name in ("image_file", "slice_dim", "slice_idx", "task_id")), strict=True
    )
    kept = [
        (relative_to_dataset(image or "", dataset), axis, _whole(index), _whole(task)) not in removed
        for image, axis, index, task in columns
    ]
    warnings.append(f"{len(kept) - sum(kept)} samples of {parsed.file.path.name} are removed ones and left out")
    return table.filter(pa.array(kept, pa.bool_()))


def _whole(text: str | None) -> int | None:
    try:
        return int(orjson.loads(text or "null"))
    except (TypeError, ValueError):
        return None


def _wants_random(how: Summarizing) -> bool:
    return how.family.is_box and (how.random_baseline or how.by == "box-size")


def _model_document(model: _Model, how: Summarizing) -> dict[str, Any]:
    groups = {name: group_entry(how.family, how.profile, columns) for name, columns in sorted(model.groups.items())}
    if how.profile == "spec":
        overall = overall_rows(how.family, model.groups)
    elif how.by == "box-size":
        overall = {}
    else:
        overall = protocol_rows(how.family, groups)
    document = {
        "overall": overall,
        "groups": groups,
        "reasons": dict(sorted(model.reasons.items())),
        "box_convention": model.box_convention,
        "n_profiles_differ": model.n_differ,
        "warnings": model.warnings,
    }
    if _wants_random(how):
        document["baselines"] = {_RANDOM: _random_rows(model, how)}
    return document


def _random_rows(model: _Model, how: Summarizing) -> dict[str, Any]:
    """What random boxes score on the targets of each group, and of all; the draw depends on group and seed alone."""
    drawn = {}
    for name, parts in sorted(model.parts.items()):
        targets = [
            list(target) for _, table, rows in parts for target in table["target"].take(pa.array(rows)).to_pylist()
        ]
        found, mae = score_random_boxes(targets, seed=zlib.crc32(name.encode()) ^ how.seed)
        columns = model.groups[name]
        drawn[name] = replace(
            columns, iou=found.iou, f1=found.f1, precision=found.precision, recall=found.recall, mae=mae,
            scored=np.ones(len(columns), np.bool_), missing=np.zeros(len(columns), np.bool_),
            flagged=np.zeros(len(columns), np.bool_),
        )  # fmt: skip
    rows = {name: group_entry(how.family, how.profile, columns) for name, columns in drawn.items()}
    return {"all": group_entry(how.family, how.profile, join(list(drawn.values())))} | rows if drawn else {}


def _write_model(parsed: Path, model: _Model, found: Mapping[str, Any], how: Summarizing) -> None:
    """The files of one model."""
    stem = how.family.summary + _qualifier(how, full=how.family.name == "TL")
    groups, overall = found["groups"], found["overall"]
    if how.by == "box-size":
        stem = f"box_size_{stem}"
    if how.profile == "spec" or how.by == "box-size":
        _write(parsed / f"summary_metrics_{stem}.json", groups)
        return
    _write(parsed / f"summary_metrics_{stem}.json", metrics_document(groups))
    _write(parsed / f"summary_values_{stem}.json", values_document(how.family, model.parts))
    if how.family.is_box:
        path = parsed / f"summary_metrics_anatomy_vs_lesion_{stem}.json"
        _write(path, anatomy_versus_lesion(groups, overall))


def _write_all(place: Path, document: Mapping[str, Any], how: Summarizing, over_models: bool) -> str:
    stem = ("box_size_" if how.by == "box-size" else "") + how.family.summary + _qualifier(how, full=True)
    if over_models and how.profile == "medvision_bm" and how.family.is_box and how.by == "published":
        _write(
            place / f"summary_metrics_all_models_{stem}.json",
            all_models({name: found["overall"] for name, found in document["models"].items()}),
        )
    _write(place / f"summary_{stem}.json", document)
    return write_tables(place / f"summary_{stem}", how.family, document)


def _qualifier(how: Summarizing, full: bool) -> str:
    """What tells files of another selection apart; the order is medvision_bm's."""
    filtered = "_filtered" if how.removed_dir is not None else ""
    limited = "" if how.limit is None else f"_limit{how.limit}"
    folder = f"__{how.parsed_dirname}" if full and how.parsed_dirname != "parsed" else ""
    return filtered + limited + folder


def _write(path: Path, document: Any) -> None:
    write_bytes(path, orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
