"""The builder that ``datasets`` runs: a benchmark file into Arrow shards, streamed, in small batches."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
from datasets.builder import Key

from mrarebench_hf import tasks
from mrarebench_hf.conditions import Condition, get
from mrarebench_hf.dataset.rows import features, table
from mrarebench_hf.prompt import template_sha256
from mrarebench_hf.records import Case
from mrarebench_hf.source.cases import read_cases
from mrarebench_hf.source.resolve import Located

__all__ = ["Builder", "content_hash"]

_LOG = logging.getLogger(__name__)
_VERSION = "1.0.0"  # of the columns' form; part of the cache's path
_MAX_TABLE_BYTES = 128 << 20
_MAX_TABLE_ROWS = 100


class Builder(datasets.ArrowBasedBuilder):
    """One condition of one benchmark file."""

    VERSION = datasets.Version(_VERSION)
    BUILDER_CONFIG_CLASS = datasets.BuilderConfig

    def __init__(self, condition: Condition, located: Located, extras: Sequence[str], **kwargs: Any) -> None:
        self._condition = condition
        self._located = located
        self._extras = tuple(extras)
        super().__init__(
            config_name=condition.name, version=_VERSION, hash=content_hash(condition, located, extras), **kwargs
        )

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(description=self._condition.why, features=features(self._condition, self._extras))

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        given = {"condition": self._condition.name, "path": str(self._located.path), "extras": self._extras}
        return [datasets.SplitGenerator(name=datasets.Split.TEST, gen_kwargs=given)]

    def _generate_tables(self, condition: str, path: str, extras: Sequence[str]) -> Iterator[tuple[Key, pa.Table]]:
        shown = get(condition)
        task = tasks.get(shown.task)
        number = 0
        for cases in _groups(read_cases(task.name, Path(path), task.columns, task.required)):
            _report_faults(cases)
            yield Key(0, number), table(cases, shown, extras)
            number += 1
        if number == 0:
            yield Key(0, 0), table([], shown, extras)


def content_hash(condition: Condition, located: Located, extras: Sequence[str]) -> str:
    """Names a cache by all that its rows are made of, so that an edited file or another wording is never missed."""
    content = [_VERSION, located.sha256, template_sha256(condition), list(extras)]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]


def _groups(cases: Iterator[Case]) -> Iterator[list[Case]]:
    """Cases in groups that are small in rows and in bytes, whatever the size of their pictures."""
    group: list[Case] = []
    n_bytes = 0
    for case in cases:
        group.append(case)
        n_bytes += sum(len(picture.data or b"") for picture in case.pictures)
        if n_bytes >= _MAX_TABLE_BYTES or len(group) == _MAX_TABLE_ROWS:
            yield group
            group, n_bytes = [], 0
    if group:
        yield group


def _report_faults(cases: Sequence[Case]) -> None:
    for case in cases:
        for picture in case.pictures:
            if picture.fault:
                _LOG.warning("id %s: picture %d cannot be read: %s", case.index, picture.slot, picture.fault)
