"""The package's source as the architecture tests see it: parsed, never imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Module", "modules", "package_modules"]

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "mrarebench_hf"
_CODE = (PACKAGE, "metrics", "loading_script", "benchmarks")


@dataclass(frozen=True)
class Module:
    """One source file."""

    path: Path
    tree: ast.Module

    @property
    def where(self) -> str:
        """The path as error messages show it."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def dotted(self) -> str:
        """The name that an import would use."""
        parts = list(self.path.relative_to(ROOT).with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.dotted if self.path.name == "__init__.py" else self.dotted.rpartition(".")[0]

    @property
    def stage(self) -> str:
        """First name below the package: a stage's folder or a base module; empty for the package itself."""
        return [*self.dotted.split("."), ""][1]

    def imports(self) -> Iterator[tuple[int, str]]:
        """Line and dotted name of everything imported, also inside functions.

        ``from package import name`` gives ``package.name``: whether it is a module is for the caller to know.
        """
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    anchor = self.package.split(".")
                    anchor = anchor[: len(anchor) - node.level + 1]
                    base = ".".join([*anchor, *([base] if base else [])])
                yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def _parse(folder: Path) -> Iterator[Module]:
    for path in sorted(folder.rglob("*.py")):
        yield Module(path, ast.parse(path.read_text(encoding="utf-8"), filename=str(path)))


def package_modules() -> list[Module]:
    """Every module of the package."""
    return list(_parse(ROOT / PACKAGE))


def modules() -> list[Module]:
    """Every source file that is not a test."""
    return [module for name in _CODE if (ROOT / name).is_dir() for module in _parse(ROOT / name)]
