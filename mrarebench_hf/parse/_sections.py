"""Stage parse, T1: what the sections of a reply say beyond its list.

In: the lines of a reply. Out: the lines under a numbered section of diagnoses, and the main diagnosis that a reply
states on a line of its own before it lists the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mrarebench_hf.parse._lines import Line

__all__ = ["main_diagnosis", "under_sections"]

_SECTION = re.compile(
    r"\W*(?:[\w/-]+ ){0,3}(?:diagnos[ei]s|differentials?|ddx|diagnostic list|诊断|鉴别诊断)(?: list)?"
    r"(?: \([^()]*\))?\W*",
    re.IGNORECASE,
)
_MAIN = re.compile(
    r"\W*(?:the )?(?:(?:primary|final|most likely|main|leading|principal|working|top|single best|best|likely) )?"
    r"diagnosis\W*(?:[:：]|\bis\b)[\s*_]*(?=\S)",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"(?:see|as follows|the following|listed|below|ranked|based|list|differential|not|unclear)\b", re.I
)
_MAX_WORDS = 12


def under_sections(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines that stand under numbered headings of diagnoses; all lines where no such heading has any.

    >>> from mrarebench_hf.parse._lines import read_lines
    >>> lines = read_lines("1. Findings\\n2. Differential diagnosis:\\n   - Gout\\n3. Next steps")
    >>> [line.text for line in under_sections(lines)]
    ['Gout']
    """
    found: list[Line] = []
    heading: Line | None = None
    for line in lines:
        if heading is not None and (line.indent > heading.indent or line.style not in ("plain", heading.style)):
            found.append(line)
            continue
        opens = line.style == "number" and bool(_SECTION.fullmatch(line.text))
        heading = line if opens else None
    return found or lines


def main_diagnosis(lines: Sequence[Line], items: Sequence[str]) -> str | None:
    """What a reply states as its diagnosis on a line before the list of the given items.

    >>> from mrarebench_hf.parse._lines import read_lines
    >>> main_diagnosis(read_lines("Final diagnosis: Gout\\n1. Fabry disease"), ["Fabry disease"])
    'Gout'
    """
    for line in lines:
        if line.text in items:
            break
        label = _MAIN.match(line.whole)
        name = line.whole[label.end() :].strip(" *_.") if label else ""
        if name and not _NO_NAME.match(name) and not name.endswith((":", "：")) and name[0].isupper():
            return name if len(name.split()) <= _MAX_WORDS else None
    return None
