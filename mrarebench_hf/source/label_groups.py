"""Stage source: MedVision's published grouping of anatomical labels, from a data file beside this module.

In: a label's name. Out: its coarse class, its canonical name, and which groups a summary leaves out.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

__all__ = ["LabelGroups", "label_groups"]


@dataclass(frozen=True, slots=True)
class LabelGroups:
    """The tables.

    Attributes:
        coarse: name of a label → anatomical class (Detection).
        renamed: name of a label → canonical name (T/L).
        minimum_group_size: samples that a group needs to count in a summary of groups (Detection).
        excluded: words in a group's name, in lower case, that keep it out of such a summary.
        tumor_lesion_keys: words that make a group one of tumors or lesions; the others are anatomy.
    """

    coarse: Mapping[str, str]
    renamed: Mapping[str, str]
    minimum_group_size: int
    excluded: tuple[str, ...]
    tumor_lesion_keys: tuple[str, ...]

    def is_excluded(self, group: str) -> bool:
        """Whether the group stands for leftovers."""
        return any(word in group.lower() for word in self.excluded)

    def is_tumor_lesion(self, group: str) -> bool:
        """Whether the group holds tumors or lesions; everything else is anatomy."""
        return any(word in group.lower() for word in self.tumor_lesion_keys)


@functools.cache
def label_groups() -> LabelGroups:
    """The tables that ship with the package."""
    text = (resources.files("mrarebench_hf.source") / "label_groups.json").read_text(encoding="utf-8")
    tables: dict[str, Any] = json.loads(text)
    return LabelGroups(
        tables["coarse"],
        tables["renamed"],
        tables["minimum_group_size"],
        tuple(tables["excluded"]),
        tuple(tables["tumor_lesion_keys"]),
    )
