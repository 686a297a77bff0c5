"""ONE table of MedVision's families of measurements: how many numbers an answer holds, and how they are named.

In: a family's name as on the command line (``Detection``, ``TL``, ``AD``) or as the config of the evaluate module
(``detection``, ``tumor_lesion``, ``angle_distance``). Out: its row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from mrarebench_hf.errors import UnknownNameError

__all__ = ["AD_NEAR_ZERO_GT_THRESHOLD", "FAMILIES", "PROFILES", "Family", "Profile", "by_config", "get", "profile"]

# Angles in degrees and distances in millimetres whose target is smaller say nothing about a model: an error relative
# to almost nothing is arbitrary. Published value, one for both units.
AD_NEAR_ZERO_GT_THRESHOLD = 0.1

# By which rules answers are read and scored: the published definitions, or those of the package medvision_bm 1.2.1.
Profile: TypeAlias = Literal["spec", "medvision_bm"]
PROFILES: tuple[Profile, ...] = get_args(Profile)


@dataclass(frozen=True, slots=True)
class Family:
    """What is particular to one family.

    Attributes:
        name: as ``--task_type`` says it.
        config: config name of ``metrics/medvision``.
        title: for a reader.
        n_values: how many numbers an answer must hold.
        kinds: how task names call it.
        units: units that may stand after a number (``parse.measurement`` lists their spellings).
        metric_types: kinds of number that samples of one family hold; empty where all are of one kind.
        near_zero: targets below it are dropped before aggregation; None for no such rule.
        summary: name of the family in the files of stage 3.
        metrics: headline metrics, in the order of a table.
    """

    name: str
    config: str
    title: str
    n_values: int
    kinds: tuple[str, ...]
    units: frozenset[str]
    metric_types: tuple[str, ...]
    near_zero: float | None
    summary: str
    metrics: tuple[str, ...]

    @property
    def is_box(self) -> bool:
        """Whether an answer is a box, scored by overlap; the others are lengths or angles, scored by relative error."""
        return self.n_values == 4

    def units_of(self, metric_type: str | None) -> frozenset[str]:
        """Units that may stand behind a number of this kind; those of the family where the kind is not known."""
        unit = _UNITS.get(metric_type or "") if self.metric_types else None
        return self.units if unit is None else frozenset({unit})


_UNITS = {"distance": "mm", "angle": "deg"}

FAMILIES: tuple[Family, ...] = (
    Family(
        name="Detection",
        config="detection",
        title="Detection",
        n_values=4,
        kinds=("BoxCoordinate", "BoxSize"),
        units=frozenset({"px"}),
        metric_types=(),
        near_zero=None,
        summary="detect_Task",
        metrics=("IoU", "F1", "Precision", "Recall", "MAE", "SuccessRate"),
    ),
    Family(
        name="TL",
        config="tumor_lesion",
        title="Tumor and lesion size",
        n_values=2,
        kinds=("TumorLesionSize",),
        units=frozenset({"mm"}),
        metric_types=(),
        near_zero=None,
        summary="TL_Task",
        metrics=("MAE", "MRE", "nMAE", "SuccessRate"),
    ),
    Family(
        name="AD",
        config="angle_distance",
        title="Angles and distances",
        n_values=1,
        kinds=("BiometricsFromLandmarks",),
        units=frozenset({"mm", "deg"}),
        metric_types=("distance", "angle"),
        near_zero=AD_NEAR_ZERO_GT_THRESHOLD,
        summary="AD_Task",
        metrics=("MAE", "MRE", "nMAE", "SuccessRate"),
    ),
)


def get(name: str) -> Family:
    """The family of a ``--task_type``.

    Raises:
        UnknownNameError: for any other name.

    >>> get("TL").n_values
    2
    """
    return _find(name, "name", "task type")


def by_config(name: str) -> Family:
    """The family of a config of ``metrics/medvision``; raises UnknownNameError for any other name."""
    return _find(name, "config", "config of metrics/medvision")


def profile(name: str) -> Profile:
    """The name itself when it is a profile; raises UnknownNameError for any other."""
    if name not in PROFILES:
        raise UnknownNameError("profile", name, PROFILES)
    return name


def _find(name: str, attribute: str, kind: str) -> Family:
    for family in FAMILIES:
        if getattr(family, attribute) == name:
            return family
    raise UnknownNameError(kind, name, [str(getattr(family, attribute)) for family in FAMILIES])
