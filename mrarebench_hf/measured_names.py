"""Names of MedVision's configs, ``{dataset}_{annotation}_{TaskNN}_{plane}_{split}``, and of its tasks.

A task's name has no split, writes ``BoxCoordinate`` where a config writes ``BoxSize``, and may end in variants such as
``-CoT`` or ``-CoT-scaledPS``. Source: medvision_bm 1.2.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from mrarebench_hf import families
from mrarebench_hf.errors import UnknownNameError, UsageError
from mrarebench_hf.families import Family

__all__ = ["PLANES", "TaskName", "looks_like_task", "parse_task"]

# The plane's name gives the axis that is cut.
PLANES = ("Sagittal", "Coronal", "Axial")
_SPLITS = ("Train", "Test")
_ROW_TYPES = {"Detection": "Box-Size", "TL": "Tumor-Lesion-Size", "AD": "Biometrics-From-Landmarks"}
_CONFIG_KINDS = {"Detection": "BoxSize", "TL": "TumorLesionSize", "AD": "BiometricsFromLandmarks"}
_METRICS = ("Distance", "Angle")
_NAME = re.compile(
    r"(?P<dataset>[^_]+)_(?P<kind>[A-Za-z]+)(_(?P<metric>Distance|Angle))?_Task(?P<number>\d+)"
    r"_(?P<plane>[A-Za-z]+)(?P<variant>-[^_]+)?(_(?P<split>[A-Za-z]+))?"
)
_RESIZE = re.compile(r"(\d{2,4})x(\d{2,4})")
_FORM = "names look like KiTS23_TumorLesionSize_Task01_Axial"


@dataclass(frozen=True, slots=True)
class TaskName:
    """A name, taken apart.

    Attributes:
        text: as it was written.
        dataset: the source dataset.
        family: what is measured.
        metric: "Distance" or "Angle" where the name restricts to one kind; None otherwise.
        number: position of the task in the dataset's plan, from 1.
        plane: "Sagittal", "Coronal" or "Axial".
        split: "Train" or "Test".
        cot: whether the prompt asks for a chain of thought.
        steps: whether it then lists the steps.
        scaled: whether the stated spacing is scaled.
        resize_px: rows and columns that the picture is brought to first; None for none.
    """

    text: str
    dataset: str
    family: Family
    metric: str | None
    number: int
    plane: str
    split: str = "Test"
    cot: bool = False
    steps: bool = False
    scaled: bool = False
    resize_px: tuple[int, int] | None = None

    @property
    def slice_dim(self) -> int:
        """The axis that is cut, 0 to 2."""
        return PLANES.index(self.plane)

    @property
    def task_type(self) -> str:
        """What rows call the task, ``Tumor-Lesion-Size``."""
        return _ROW_TYPES[self.family.name] + (f"-{self.metric}" if self.metric else "")

    @property
    def config(self) -> str:
        """The dataset config that holds the task's samples; variants change prompts only and are not in it."""
        return self._name("")

    @property
    def canonical(self) -> str:
        """The one name of all that mean the same rows: the config, with the variants between plane and split.

        >>> parse_task("KiTS23_TumorLesionSize_Task01_Axial-scaledPS-CoT").canonical
        'KiTS23_TumorLesionSize_Task01_Axial-CoT-scaledPS_Test'
        """
        words = [
            "CoT" if self.cot else "",
            "woInstruct" if self.cot and not self.steps else "",
            "scaledPS" if self.scaled else "",
            "{}x{}".format(*self.resize_px) if self.resize_px else "",
        ]
        return self._name("".join(f"-{word}" for word in words if word))

    def _name(self, variant: str) -> str:
        kind = _CONFIG_KINDS[self.family.name]
        metric = f"_{self.metric}" if self.metric else ""
        return f"{self.dataset}_{kind}{metric}_Task{self.number:02d}_{self.plane}{variant}_{self.split}"


def looks_like_task(name: str) -> bool:
    """Whether a name has the form of a task or a config, right or wrong in its parts."""
    return _NAME.fullmatch(name) is not None


def parse_task(name: str) -> TaskName:
    """Take the name of a task or a config apart; a name without a split means Test.

    Raises:
        UsageError: when it does not have the form, or asks for a variant that is not supported.
        UnknownNameError: when a part of it is none of the known ones.

    >>> parse_task("KiTS23_BoxCoordinate_Task01_Axial-CoT").config
    'KiTS23_BoxSize_Task01_Axial_Test'
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise UsageError(f"{name!r} is no MedVision task: {_FORM}")
    kinds = {kind: family for family in families.FAMILIES for kind in family.kinds}
    if match["kind"] not in kinds:
        raise UnknownNameError("kind of MedVision task", match["kind"], kinds)
    if match["plane"] not in PLANES:
        raise UnknownNameError("plane", match["plane"], PLANES)
    split = match["split"] or "Test"
    if split not in _SPLITS:
        raise UnknownNameError("split", split, _SPLITS)
    family, metric = kinds[match["kind"]], match["metric"]
    if metric is not None and not family.metric_types:
        raise UsageError(f"{name!r}: only measures of landmarks come as {' and '.join(_METRICS)}")
    if int(match["number"]) < 1:
        raise UsageError(f"{name!r}: tasks are counted from Task01")
    found = TaskName(name, match["dataset"], family, metric, int(match["number"]), match["plane"], split)
    for word in (match["variant"] or "").split("-")[1:]:
        found = _varied(found, word)
    if found.scaled and family.is_box:
        raise UsageError(f"{name!r}: boxes are asked for as fractions, there is no pixel size to scale")
    return found


def _varied(name: TaskName, word: str) -> TaskName:
    if word == "CoT":
        return replace(name, cot=True, steps=True)
    if word == "woInstruct" and name.cot:
        return replace(name, steps=False)
    if word == "scaledPS":
        return replace(name, scaled=True)
    if resize := _RESIZE.fullmatch(word):
        return replace(name, resize_px=(int(resize[1]), int(resize[2])))
    raise UsageError(
        f"{name.text!r}: the variant -{word} is not supported; known: -CoT, -CoT-woInstruct, -CoT-scaledPS, -scaledPS, "
        "-<rows>x<columns>"
    )
