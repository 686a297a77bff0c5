"""Scores, parsers, prompts and plans are functions of their arguments: no file, clock, environment or chance."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

import pytest
from source_tree import PACKAGE, ROOT, Module, package_modules

PURE = ("score", "parse", "prompt")
PURE_FILES = ("run/plan.py", "judge/verdict.py")
THIRD_PARTY = {"numpy", "orjson"}
IMPURE_MODULES = {
    "asyncio",
    "builtins",
    "datetime",
    "glob",
    "importlib",
    "io",
    "logging",
    "multiprocessing",
    "os",
    "pathlib",
    "random",
    "secrets",
    "shutil",
    "socket",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
    "time",
    "urllib",
    "uuid",
    "warnings",
}
IMPURE_CALLS = {"breakpoint", "compile", "eval", "exec", "globals", "input", "open", "print", "__import__"}
IMPURE_NUMPY = {"fromfile", "genfromtxt", "load", "loadtxt", "memmap", "save", "savetxt", "savez", "tofile"}
SEEDED_NUMPY = {"Generator", "default_rng"}


def is_pure_by_contract(module: Module) -> bool:
    inside = module.path.relative_to(ROOT / PACKAGE).as_posix()
    return module.path.name != "__main__.py" and (module.stage in PURE or inside in PURE_FILES)


def violations(module: Module) -> Iterator[str]:
    for line, name in module.imports():
        top = name.split(".")[0]
        known = top in sys.stdlib_module_names or top in THIRD_PARTY or top == PACKAGE
        if top in IMPURE_MODULES or not known:
            yield f"{module.where}:{line} imports {name}"
    for node in ast.walk(module.tree):
        reason = _impurity(node)
        if reason:
            yield f"{module.where}:{getattr(node, 'lineno', 0)} {reason}"


def _impurity(node: ast.AST) -> str | None:
    if isinstance(node, ast.Global):
        return f"changes global {', '.join(node.names)}"
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            return f"calls {node.func.id}()"
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "default_rng"
            and not (node.args or node.keywords)
        ):
            return "draws without a seed"
    if isinstance(node, ast.Attribute):
        chain = ast.unparse(node).split(".")
        if chain[0] in {"np", "numpy"}:
            if chain[1] == "random" and len(chain) > 2 and chain[2] not in SEEDED_NUMPY:
                return f"uses global chance: {'.'.join(chain)}"
            if chain[1] in IMPURE_NUMPY:
                return f"touches files: {'.'.join(chain)}"
    return None


@pytest.mark.parametrize("stage", [*PURE, *PURE_FILES])
def test_pure_modules_are_pure(stage: str) -> None:
    modules = [m for m in package_modules() if is_pure_by_contract(m) and m.where.startswith(f"{PACKAGE}/{stage}")]
    found = [line for module in modules for line in violations(module)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        "from time import monotonic",
        "import pandas",
        "open('x')",
        "def f():\n    print(1)",
        "eval('1')",
        "import numpy as np\nnp.random.rand(3)",
        "import numpy as np\nnp.random.default_rng()",
        "import numpy as np\nnp.load('x')",
        "def f():\n    global g\n    g = 1",
    ],
)
def test_the_rule_finds_offenders(text: str) -> None:
    assert list(violations(Module(ROOT / PACKAGE / "score" / "x.py", ast.parse(text))))


def test_the_rule_lets_seeded_chance_pass() -> None:
    text = "import math\nimport numpy as np\nrng = np.random.default_rng(7)\nre.compile('x')"
    assert not list(violations(Module(ROOT / PACKAGE / "score" / "x.py", ast.parse(text))))
