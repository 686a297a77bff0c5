"""Words that must not occur, and documents whose code must be real."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_tree import ROOT, modules

from mrarebench_hf import cli

# What runs leave in a checkout; hidden folders are tools' own, but for CI's.
OUTPUTS = {"build", "demo", "dist", "mrarebench", "results"}
TEXT = {".py", ".md", ".cfg", ".toml", ".txt", ".yaml", ".yml", ".cff", ".json", ".html", ""}
# Where checkouts and homes lie on machines; a leading slash alone would match division and URLs.
MACHINE_PATH = re.compile(r"(?<![\w.~$}/-])/(?:home|root|work|workspace|Users|mnt|opt|srv)/[\w.-]+")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def documents() -> Iterator[Path]:
    for folder, folders, files in os.walk(ROOT):
        skipped = OUTPUTS if Path(folder) == ROOT else set()
        folders[:] = sorted(f for f in folders if f == ".ci" or (f[0] != "." and f not in skipped))
        for name in sorted(f for f in files if not f.startswith(".coverage")):
            path = Path(folder, name)
            if path.suffix in TEXT and path.stat().st_size < 1_000_000:
                yield path


def test_no_path_of_somebodys_machine() -> None:
    found = []
    for path in documents():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if MACHINE_PATH.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number} {line.strip()[:100]}")
    assert not found, "\n".join(found)


def test_nothing_executes_what_it_reads() -> None:
    found = []
    for module in modules():
        for line, name in module.imports():
            if name.split(".")[0] in {"pickle", "dill", "shelve", "marshal", "cloudpickle", "joblib"}:
                found.append(f"{module.where}:{line} imports {name}")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"}:
                found.append(f"{module.where}:{node.lineno} calls {node.func.id}()")
            if isinstance(node, ast.keyword) and node.arg == "trust_remote_code" and ast.unparse(node.value) != "False":
                found.append(f"{module.where}:{node.value.lineno} trusts remote code")
            if isinstance(node, ast.keyword) and node.arg == "shell" and ast.unparse(node.value) != "False":
                found.append(f"{module.where}:{node.value.lineno} goes through a shell")
    assert not found, "\n".join(found)


def blocks(*languages: str) -> list[tuple[str, str]]:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [
        (f"{page.relative_to(ROOT)}#{number}", code)
        for page in pages
        if page.is_file()
        for number, (language, code) in enumerate(FENCE.findall(page.read_text(encoding="utf-8")), 1)
        if language in languages
    ]


@pytest.mark.parametrize(("where", "code"), blocks("python"))
def test_python_blocks_compile(where: str, code: str) -> None:
    ast.parse(code, filename=where)


@pytest.mark.parametrize(("where", "code"), blocks("bash", "sh"))
def test_shell_blocks_parse(where: str, code: str) -> None:
    result = subprocess.run(["bash", "-n"], input=code, capture_output=True, text=True, timeout=10)
    assert result.returncode == 0, f"{where}: {result.stderr}"


def calls(code: str) -> Iterator[list[str]]:
    """The words after each ``mrarebench`` in a shell block."""
    for line in code.replace("\\\n", " ").splitlines():
        for part in re.split(r"&&|\|\||;|\|", line):
            words = shlex.split(part, comments=True)
            for name in words:
                if name == "mrarebench_hf" or name.rpartition("/")[2] == "mrarebench":
                    yield words[words.index(name) + 1 :]
                    break


def exit_code(words: list[str]) -> object:
    """What reading these options would end with; 0 also when they are fine."""
    try:
        cli._parser().parse_args(words)
    except SystemExit as stop:
        return stop.code
    return 0


@pytest.mark.parametrize(("where", "code"), blocks("bash", "sh"))
def test_commands_that_we_show_exist(where: str, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in calls(code):
        assert exit_code(words) == 0, f"{where}: mrarebench {' '.join(words)}\n{capsys.readouterr().err}"


def test_calls_are_found() -> None:
    code = "a && .venv/bin/mrarebench demo\ntorchrun -m mrarebench_hf run \\\n  --data X  # why\nls"
    assert list(calls(code)) == [["demo"], ["run", "--data", "X"]]


def test_machine_paths_are_found() -> None:
    for text in ("see " + "/home" + "/me", '"' + "/root" + '/x"', "cd " + "/work" + "/main"):
        assert MACHINE_PATH.search(text)
    for text in ("https://x.org/home/y", "a/opt/b", "~/work/x", "$HOME/opt/x"):
        assert not MACHINE_PATH.search(text)
