"""Stage dataset: prepared conditions in, the texts of a Hub dataset repository out: card and evaluation entry."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mrarebench_hf import shipped, tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.dataset.cache import SPLIT
from mrarebench_hf.dataset.prepared import Prepared

__all__ = ["evaluation", "identity", "render"]

_DEFAULT = "Diagnosis"


def identity(one: Prepared) -> dict[str, Any]:
    """What a condition's rows were made of."""
    origin = one.provenance
    return {
        "content": one.path.parent.name,
        "n_rows": origin.n_rows,
        "revision": origin.revision,
        "sha256": origin.sha256,
        "source": origin.source,
    }


def render(prepared: Sequence[Prepared], path_of: Callable[[Condition], str]) -> str:
    """The card: YAML that datasets reads, then text for people.

    Args:
        prepared: the conditions of the repository.
        path_of: a condition's Parquet file in the repository.
    """
    template = (shipped.path("loading_script") / "README.md.template").read_text(encoding="utf-8")
    names = [one.condition.name for one in prepared]
    default = _DEFAULT if _DEFAULT in names else names[0]
    blocks = {
        "@@CONFIGS@@": "\n".join(_configs(prepared, path_of, default)),
        "@@DATASET_INFO@@": "\n".join(_infos(prepared)),
        "@@TABLE@@": "\n".join(_table(prepared)),
        "@@SOURCES@@": "\n".join(_sources(prepared)),
        "@@EXAMPLE@@": default,
    }
    for mark, text in blocks.items():
        template = template.replace(mark, text)
    return template


def evaluation(prepared: Sequence[Prepared]) -> str:
    """The entry that registers the repository as a benchmark of the Hub."""
    template = (shipped.path("loading_script") / "eval.yaml.template").read_text(encoding="utf-8")
    entries = (
        f"  - id: {one.condition.name.lower()}\n    config: {one.condition.name}\n    split: {SPLIT}"
        for one in prepared
    )
    return template.replace("@@TASKS@@", "\n".join(entries))


def _configs(prepared: Sequence[Prepared], path_of: Callable[[Condition], str], default: str) -> Iterator[str]:
    for one in prepared:
        for name in (one.condition.name, one.condition.long_name):
            yield f"- config_name: {name}"
            if name == default:
                yield "  default: true"
            # Part of the cache's name, so that other rows under the same names are never taken for these.
            yield f"  description: sha256-{one.path.parent.name}"
            yield f"  data_files:\n  - split: {SPLIT}\n    path: {path_of(one.condition)}"


def _infos(prepared: Sequence[Prepared]) -> Iterator[str]:
    for one in prepared:
        dataset = one.dataset()
        split = dataset.info.splits[SPLIT]
        for name in (one.condition.name, one.condition.long_name):
            yield f"- config_name: {name}\n  features:"
            for column, kind in dataset.features.items():
                yield from (f"  {line}" for line in _feature(column, kind))
            yield f"  splits:\n  - name: {SPLIT}"
            yield f"    num_bytes: {split.num_bytes}\n    num_examples: {split.num_examples}"


def _feature(name: str, kind: Any) -> list[str]:
    """A column in the form that datasets 3 and 5 both read."""
    head = f"- name: {json.dumps(name, ensure_ascii=False)}"
    inner = getattr(kind, "feature", None)
    if inner is None:
        return [head, f"  dtype: {kind.dtype}"]
    if isinstance(inner, dict):
        fields = (line for field, value in inner.items() for line in _feature(field, value))
        return [head, "  list:", *(f"  {line}" for line in fields)]
    return [head, f"  sequence: {'image' if type(inner).__name__ == 'Image' else inner.dtype}"]


def _table(prepared: Sequence[Prepared]) -> Iterator[str]:
    yield "| config | also as | task | shown | rows |"
    yield "|---|---|---|---|---|"
    for one in prepared:
        condition = one.condition
        title = tasks.get(condition.task).title
        yield f"| `{condition.name}` | `{condition.long_name}` | {title} | {condition.why} | {one.provenance.n_rows} |"


def _sources(prepared: Sequence[Prepared]) -> Iterator[str]:
    for task in dict.fromkeys(one.condition.task for one in prepared):
        origin = next(one.provenance for one in prepared if one.condition.task == task)
        at = f", revision `{origin.revision}`" if origin.revision else ""
        yield f"- `{tasks.get(task).filename}`: {origin.source}{at}, {origin.n_rows} rows, sha256 `{origin.sha256}`"
