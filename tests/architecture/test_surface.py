"""What the package shows: ``__all__`` tells the truth, and importing it is cheap."""

from __future__ import annotations

import ast
import json
import subprocess
import sys

import pytest
from source_tree import Module, package_modules

# An entry of these folders is reached through its registry, by agreed names.
REGISTRIES = {"tasks", "cli"}
HEAVY = (
    "torch",
    "transformers",
    "datasets",
    "evaluate",
    "accelerate",
    "pandas",
    "pyarrow",
    "PIL",
    "openai",
    "matplotlib",
)


def declared(module: Module) -> list[str] | None:
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            names: list[str] = ast.literal_eval(node.value)
            return names
    return None


def defined(module: Module) -> set[str]:
    """Public names that the module makes itself."""
    names: set[str] = set()
    for node in module.tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def bound(module: Module) -> set[str]:
    """Every name that an import or a definition binds, at the top or for type checkers."""
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    return imported | defined(module) | {"__version__"}


def _optional(module: Module) -> bool:
    if module.path.name == "__main__.py":
        return True
    return module.stage in REGISTRIES and module.path.name != "__init__.py"


def test_public_modules_declare_their_names() -> None:
    silent = [m.where for m in package_modules() if declared(m) is None and defined(m) and not _optional(m)]
    assert not silent, "\n".join(silent)


def test_all_lists_the_public_names() -> None:
    wrong = []
    for module in package_modules():
        names = declared(module)
        if names is None:
            continue
        # Constants and type names may stay inside; functions and classes are public or have an underscore.
        makes = {
            n.name for n in module.tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        makes = {name for name in makes if not name.startswith("_")}
        if makes - set(names):
            wrong.append(f"{module.where} hides {sorted(makes - set(names))}")
        if set(names) - bound(module):
            wrong.append(f"{module.where} promises {sorted(set(names) - bound(module))}")
        if len(set(names)) < len(names):
            wrong.append(f"{module.where} repeats a name")
    assert not wrong, "\n".join(wrong)


def loaded_by(statement: str) -> set[str]:
    """Top-level modules in a fresh process after a statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps([n for n in sys.modules if '.' not in n]))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "statement",
    [
        "import mrarebench_hf",
        "from mrarebench_hf import conditions, registry, tasks; tasks.names()",
        "from mrarebench_hf.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass",
    ],
    ids=["import", "names", "help"],
)
def test_heavy_libraries_stay_unloaded(statement: str) -> None:
    assert not loaded_by(statement) & set(HEAVY)


def test_load_is_reachable_and_lazy() -> None:
    code = "import mrarebench_hf; mrarebench_hf.load"
    assert "mrarebench_hf" in loaded_by(code)
