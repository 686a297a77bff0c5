"""The tree is the way of the data: a stage knows the base modules and the stages before it, nothing else."""

from __future__ import annotations

import pytest
from source_tree import PACKAGE, Module, package_modules

BASE = (
    "errors",
    "records",
    "measured",
    "measured_names",
    "registry",
    "conditions",
    "families",
    "shipped",
    "case_metric",
)
# The order of the data's way. `tasks` comes first: it holds facts and words only, and the source reads its columns.
STAGES = (
    "tasks",
    "source",
    "prompt",
    "dataset",
    "model",
    "store",
    "run",
    "parse",
    "similarity",
    "judge",
    "score",
    "summarize",
    "report",
    "interop",
    "demo",
)
TOP = ("pipeline", "cli", "__main__")


def allowed(stage: str) -> set[str]:
    if stage in BASE:
        return set(BASE)
    if stage in STAGES:
        return {*BASE, *STAGES[: STAGES.index(stage) + 1]}
    if stage == "pipeline":
        return {*BASE, *STAGES, "pipeline", "__version__"}
    if stage == "cli":
        return {*BASE, *STAGES, "pipeline", "cli", "__version__"}
    if stage == "__main__":
        return {"cli"}
    # The package itself: what it offers to users, and nothing of how a run is made.
    return {*BASE, "dataset"}


def violations(module: Module) -> list[str]:
    may = allowed(module.stage)
    if module.path.name == "__main__.py" and module.stage in STAGES:
        may = may | {"cli"}
    found = []
    for line, name in module.imports():
        parts = name.split(".")
        if parts[0] == PACKAGE and len(parts) > 1 and parts[1] not in may:
            found.append(f"{module.where}:{line} imports {name}")
    return found


def test_every_module_has_its_place() -> None:
    stages = {module.stage for module in package_modules()} - {""}
    assert stages <= {*BASE, *STAGES, *TOP}, "a new folder needs a place in the order"


@pytest.mark.parametrize("stage", ["", *BASE, *STAGES, *TOP])
def test_imports_point_upwards(stage: str) -> None:
    found = [line for module in package_modules() if module.stage == stage for line in violations(module)]
    assert not found, "\n".join(found)


def test_tasks_name_parsers_and_scorers_and_do_not_import_them() -> None:
    for module in package_modules():
        if module.stage == "tasks":
            assert not [n for _, n in module.imports() if n.startswith((f"{PACKAGE}.parse", f"{PACKAGE}.score"))]


def test_the_rule_finds_offenders(tmp_path: object) -> None:
    import ast

    from source_tree import ROOT

    def offender(where: str, text: str) -> list[str]:
        return violations(Module(ROOT / PACKAGE / where, ast.parse(text)))

    assert offender("score/x.py", "from mrarebench_hf.report import markdown")
    assert offender("score/x.py", "def f():\n    from mrarebench_hf import cli")
    assert offender("parse/x.py", "from ..score import hits")
    assert offender("run/__init__.py", "import mrarebench_hf.pipeline")
    assert not offender("score/x.py", "from mrarebench_hf.parse.ranked import read")
    assert not offender("score/__main__.py", "from mrarebench_hf.cli import main")
