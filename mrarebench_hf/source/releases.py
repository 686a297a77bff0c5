"""Stage source: MedVision's releases, and which plan file of a dataset one of them means.

In: the data folder, a dataset, a kind of plan, a release. Out: the plan file, whose version may be older: datasets that
a release left as they were keep their plans.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from mrarebench_hf.errors import DataNotFoundError, UnknownNameError, UsageError

__all__ = [
    "DATA_VARIABLE",
    "LATEST",
    "RELEASES",
    "RESTRICTED",
    "PlanFile",
    "PlanKind",
    "data_folder",
    "find_plan",
    "resolve_release",
]

PlanKind: TypeAlias = Literal["segmentation", "detection", "biometry"]

RELEASES: tuple[str, ...] = ("1.0.0", "1.1.0", "1.1.1", "1.2.0", "1.2.1", "1.3.0", "1.4.0")
LATEST = "1.4.0"
# Where MedVision's data lies when nobody says; the name that its users have set already.
DATA_VARIABLE = "MedVision_DATA_DIR"

_OWN_COPY = "its files may not be passed on: upload your own copy to a private repository on the Hub and name it"
RESTRICTED: Mapping[str, str] = MappingProxyType(
    {
        "FeTA24": "it needs an account and a token of Synapse",
        "SKM-TEA": _OWN_COPY,
        "ToothFairy2": _OWN_COPY,
        "AbdomenAtlas1.0Mini": "it is a gated repository on the Hub: accept its terms there and log in",
    }
)

_PLAN_FILE = re.compile(r"benchmark_plan_(?P<kind>[a-z]+)_v(?P<version>[0-9]+\.[0-9]+\.[0-9]+)\.json\.gz")


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan file of a dataset.

    Attributes:
        path: where it lies.
        kind: "segmentation", "detection" or "biometry".
        version: the release that it came with, "1.4.0".
    """

    path: Path
    kind: str
    version: str


def data_folder(given: str | Path | None) -> Path:
    """The folder that holds ``Datasets/``: the given one, else ``$MedVision_DATA_DIR``.

    Raises:
        UsageError: when there is neither.
    """
    folder = given or os.environ.get(DATA_VARIABLE)
    if not folder:
        raise UsageError(
            f"MedVision's data is read from a local folder: give --data-dir DIR (in Python data_dir=), or set "
            f"{DATA_VARIABLE}"
        )
    return Path(folder).expanduser()


def resolve_release(text: str) -> str:
    """The release that a user means: a published version, or ``latest``.

    Raises:
        UnknownNameError: for any other text.

    >>> resolve_release("latest")
    '1.4.0'
    """
    release = LATEST if text == "latest" else text
    if release not in RELEASES:
        raise UnknownNameError("MedVision release", text, (*RELEASES, "latest"))
    return release


def find_plan(data_dir: Path, dataset: str, kind: PlanKind, release: str) -> PlanFile:
    """The newest plan of a dataset and kind that is no newer than a release.

    Args:
        data_dir: the folder that holds ``Datasets/``.
        dataset: name of the source dataset, as its folder is called.
        kind: "segmentation", "detection" or "biometry".
        release: as ``resolve_release`` takes it.

    Raises:
        DataNotFoundError: when there is no such folder, dataset or plan; the message says what there is.
        UnknownNameError: when the release is not a published one.
    """
    wanted = _numbers(resolve_release(release))
    folder = _dataset_folder(data_dir, dataset)
    found = [plan for plan in _plans(folder) if plan.kind == kind]
    usable = [plan for plan in found if _numbers(plan.version) <= wanted]
    if not usable:
        versions = ", ".join(sorted((plan.version for plan in found), key=_numbers)) or "none"
        raise DataNotFoundError(
            f"no {kind} plan of {dataset} for release {release}: a file benchmark_plan_{kind}_v<version>.json.gz, not "
            f"newer than it, is looked for in {folder}. Versions there: {versions}."
        )
    return max(usable, key=lambda plan: _numbers(plan.version))


def _dataset_folder(data_dir: Path, dataset: str) -> Path:
    if not data_dir.is_dir():
        raise DataNotFoundError(f"no folder {data_dir}: --data-dir names the folder that holds MedVision's Datasets/")
    datasets = data_dir / "Datasets"
    if not datasets.is_dir():
        raise DataNotFoundError(f"no folder Datasets in {data_dir}: --data-dir names the folder that holds it")
    # A name is compared with what is there, never joined to a path first: names come from users' task lists.
    there = sorted(entry.name for entry in datasets.iterdir() if entry.is_dir())
    if dataset not in there:
        how = f" {dataset} is restricted: {RESTRICTED[dataset]}." if dataset in RESTRICTED else ""
        raise DataNotFoundError(
            f"no dataset {dataset!r} in {datasets}; nothing is downloaded.{how} Datasets there: "
            f"{', '.join(there) or 'none'}."
        )
    return datasets / dataset


def _plans(folder: Path) -> list[PlanFile]:
    found = []
    for path in folder.iterdir():
        match = _PLAN_FILE.fullmatch(path.name)
        if match is not None and path.is_file():
            found.append(PlanFile(path, match["kind"], match["version"]))
    return found


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
