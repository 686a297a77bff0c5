"""The wheel holds the tree: every package, the metric and template folders, the typing marker, nothing else."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from source_tree import PACKAGE, ROOT

BESIDE = {f"{PACKAGE}._metrics": "metrics", f"{PACKAGE}._loading_script": "loading_script"}
SCRAP = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info")


def settings() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def tree(folder: str) -> set[str]:
    """Files of a folder of the checkout, relative to it."""
    base = ROOT / folder
    files = (path for path in base.rglob("*") if path.is_file())
    return {p.relative_to(base).as_posix() for p in files if "__pycache__" not in p.parts and p.suffix != ".pyc"}


def test_packages_equal_the_tree() -> None:
    listed = settings()["options"]["packages"].split()
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / PACKAGE).rglob("*.py")}
    assert sorted(listed) == sorted({".".join(folder.parts) for folder in folders} | set(BESIDE))
    assert len(listed) == len(set(listed))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """A wheel built from a copy, so that the checkout gets no build folder."""
    copy = tmp_path_factory.mktemp("checkout")
    for folder in (PACKAGE, *BESIDE.values()):
        shutil.copytree(ROOT / folder, copy / folder, ignore=SCRAP)
    scrap = copy / "metrics" / "__pycache__" / "left_over.cpython-311.pyc"
    scrap.parent.mkdir()
    scrap.write_bytes(b"")
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    out = copy / "out"
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", str(out)]
    result = subprocess.run([*command, str(copy)], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    [built] = out.glob("*.whl")
    assert built.name.endswith("-py3-none-any.whl")
    return zipfile.ZipFile(built)


def test_wheel_equals_the_tree(wheel: zipfile.ZipFile) -> None:
    expected = {f"{PACKAGE}/{name}" for name in tree(PACKAGE)}
    for package, folder in BESIDE.items():
        expected |= {f"{package.replace('.', '/')}/{name}" for name in tree(folder)}
    shipped = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert shipped == expected
    assert f"{PACKAGE}/py.typed" in shipped


def test_metrics_and_templates_are_inside(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    assert f"{PACKAGE}/_metrics/ranked_diagnosis/ranked_diagnosis.py" in names
    assert any(name.startswith(f"{PACKAGE}/_loading_script/") for name in names)


def test_metadata(wheel: zipfile.ZipFile) -> None:
    [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = wheel.read(name).decode()
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata
    core = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert not re.search(r"\b(torch|transformers|accelerate)\b", " ".join(core)), "the core must stay light"
    extras = set(re.findall(r"^Provides-Extra: (.+)$", metadata, re.MULTILINE))
    assert extras == {"transformers", "embeddings", "report", "medvision", "all", "test", "dev"}
    assert any(entry.endswith("/licenses/LICENSE") for entry in wheel.namelist())


def requirement_names(text: str) -> set[str]:
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    found = {re.split(r"[<>=!~;\[ ]", line, maxsplit=1)[0] for line in lines if line}
    return {re.sub(r"[-_.]+", "-", name).lower() for name in found}


def test_every_requirement_has_a_constraint() -> None:
    options = settings()
    asked = requirement_names(options["options"]["install_requires"])
    for extra, text in options["options.extras_require"].items():
        asked |= requirement_names(text) if extra != "all" else set()
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert not asked - requirement_names(pins)
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in pins.splitlines() if line and line[0] != "#")


def test_all_covers_the_extras_for_users() -> None:
    extras = settings()["options.extras_require"]
    [named] = re.findall(r"\[(.*)\]", extras["all"])
    assert set(named.split(",")) == set(extras) - {"all", "test", "dev"}


def test_version_is_told_once() -> None:
    version = settings()["metadata"]["version"]
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8") or "## [Unreleased]" in (
        ROOT / "CHANGELOG.md"
    ).read_text(encoding="utf-8")
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
