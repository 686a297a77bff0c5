"""Modules and functions fit on a page, and say what they are for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from source_tree import Module, modules, package_modules

MODULE_LINES = 300
FUNCTION_LINES = 40

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(module: Module) -> Iterator[Function]:
    yield from (node for node in ast.walk(module.tree) if isinstance(node, Function))


def length(function: Function) -> int:
    """Lines from ``def`` to the end without the docstring: explaining more must not cost anything."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function) is not None:
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def test_modules_are_short() -> None:
    lines = {module.where: len(module.path.read_text(encoding="utf-8").splitlines()) for module in modules()}
    long = [f"{where}:1 has {n} lines" for where, n in lines.items() if n > MODULE_LINES]
    assert not long, "\n".join(long)


def test_functions_are_short() -> None:
    long = [
        f"{module.where}:{function.lineno} {function.name}() has {length(function)} lines"
        for module in modules()
        for function in functions(module)
        if length(function) > FUNCTION_LINES
    ]
    assert not long, "\n".join(long)


def test_modules_say_what_they_are_for() -> None:
    silent = [m.where for m in modules() if len((ast.get_docstring(m.tree) or "").split()) < 4]
    assert not silent, "\n".join(silent)


def _public(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Function | ast.ClassDef]]:
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield f"{prefix}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from _public(node.body, f"{node.name}.")


def test_public_functions_and_classes_are_explained() -> None:
    summary = re.compile(r"\S.*[.:?`]$")
    silent = [
        f"{module.where}:{node.lineno} {name}"
        for module in package_modules()
        # A verb's two functions are the same in each verb and explained once, in the folder's docstring.
        if module.stage != "cli" or module.path.name == "__init__.py"
        for name, node in _public(module.tree.body)
        if not summary.match((ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " "))
    ]
    assert not silent, "\n".join(silent)


def test_length_leaves_the_docstring_out() -> None:
    [function] = ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n').body
    assert isinstance(function, ast.FunctionDef)
    assert length(function) == 2
