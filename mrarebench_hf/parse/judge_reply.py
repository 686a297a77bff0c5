"""Stage parse, judges: a judge's reply in, its verdict out, or the reason why it has none; pure.

A reply is read as JSON first (bare, in a fence, or in a sentence), then by lines. A verdict is whole or it is none:
what is missing is never filled in.
Source: specification of the published benchmark, sections 6 and 9; field reports BR-32 and BR-33.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from mrarebench_hf.errors import ReplyError
from mrarebench_hf.parse._objects import json_values
from mrarebench_hf.parse._thinking import after_thinking
from mrarebench_hf.parse.verdict_lines import strict_lines

__all__ = ["DIMENSIONS", "LABELS", "dimensions", "evidence", "rarity"]

Verdict: TypeAlias = "dict[str, Any]"

# The five questions of the T1 judge, in the protocol's order; `type_match` is 0 to 3, the others yes or no.
DIMENSIONS = ("presence", "top1", "type_match", "specificity", "coherence")
LABELS = ("rare", "nonrare", "generic", "unknown")

_TRUTH = {"yes": True, "true": True, "no": False, "false": False}
_LABEL_LINE = re.compile(r"\W*(?:label\W{1,4})?(rare|non-?rare|generic|unknown)\W*", re.IGNORECASE)
_GRADE = re.compile(r"([0-3])(?:\s?/\s?3)?")
_DIMENSION_LINE = re.compile(
    r"[\W_]{0,4}(?:([1-5])\s?[.):]\s{0,3})?(?:([a-z1_ ]{3,12}?)\s?:\s{0,3})?([^:]{1,12})", re.I
)


def evidence(reply: str, n_required: int, n_optional: int) -> Verdict:
    """The verdicts on the points of one case.

    As JSON: ``points``, a list of ``{"id", "present", "contradicted"}``, ids from 1, required points first;
    ``contradicted`` is needed for required points only. As lines: presence of every point, then contradiction of every
    required one, that is 2R + O lines.

    Returns:
        ``required``, ``optional`` and ``contradicted``, lists of 0 and 1.

    Raises:
        ReplyError: when any verdict is missing, comes twice, belongs to no point, or is in doubt.

    >>> evidence('{"points": [{"id": 1, "present": true, "contradicted": false}]}', 1, 0)
    {'required': [1], 'optional': [], 'contradicted': [0]}
    """
    text = _answer(reply)
    for value in json_values(text):
        points = value.get("points") if isinstance(value, Mapping) else value
        if isinstance(points, list) and all(isinstance(point, Mapping) and "id" in point for point in points):
            return _from_points(points, n_required, n_optional)
    found = [int(verdict) for verdict in strict_lines(text, 2 * n_required + n_optional)]
    n_points = n_required + n_optional
    return {
        "required": found[:n_required],
        "optional": found[n_required:n_points],
        "contradicted": found[n_points:],
    }


def dimensions(reply: str) -> Verdict:
    """The five dimensions of the T1 judge: 0 or 1, ``type_match`` 0 to 3.

    Raises:
        ReplyError: when one is missing or out of range.

    >>> dimensions("YES\\nNO\\n2/3\\nYES\\nYES")["type_match"]
    2
    """
    text = _answer(reply)
    for value in json_values(text):
        if isinstance(value, Mapping) and set(DIMENSIONS) & set(value):
            missing = [name for name in DIMENSIONS if name not in value]
            if missing:
                raise ReplyError("too_few_verdicts", f"no verdict on {', '.join(missing)}")
            return {name: _dimension(name, value[name]) for name in DIMENSIONS}
    return _dimension_lines(text)


def rarity(reply: str) -> Verdict:
    """What the rare-candidate judge takes a name for: ``label``, one of ``LABELS``.

    Raises:
        ReplyError: for any other label, or none.

    >>> rarity("Sure! {\\"label\\": \\"Non-rare\\"}")
    {'label': 'nonrare'}
    """
    text = _answer(reply)
    for value in json_values(text):
        if isinstance(value, Mapping) and "label" in value:
            return {"label": _label(value["label"])}
    lines = [line for line in text.splitlines() if line.strip("`* ")]
    if len(lines) != 1:
        raise ReplyError("no_verdicts", f"{len(lines)} lines where one label was asked for")
    return {"label": _label(lines[0])}


def _answer(reply: str) -> str:
    answer = after_thinking(reply)
    if answer.unclosed:
        raise ReplyError("thinking", "the reply ends while thinking")
    if not answer.text.strip():
        raise ReplyError("empty", "the reply is empty")
    return answer.text.strip()


def _from_points(points: Sequence[Mapping[str, Any]], n_required: int, n_optional: int) -> Verdict:
    n_points = n_required + n_optional
    ids = [_id(point["id"]) for point in points]
    strange = [number for number in ids if not 1 <= number <= n_points]
    if strange:
        raise ReplyError("wrong_numbers", f"verdicts on the ids {strange[:9]}, which were not asked (1 to {n_points})")
    if len(set(ids)) != len(ids):
        raise ReplyError("wrong_numbers", f"several verdicts on one id, among {ids[:20]}")
    if len(ids) != n_points:
        absent = sorted(set(range(1, n_points + 1)) - set(ids))
        raise ReplyError("too_few_verdicts", f"{len(ids)} verdicts for {n_points} points; none on {absent[:9]}")
    by_id = dict(zip(ids, points, strict=True))
    present = [_truth(by_id[number].get("present"), f"present of id {number}") for number in range(1, n_points + 1)]
    contradicted = [
        _truth(by_id[number].get("contradicted"), f"contradicted of id {number}") for number in range(1, n_required + 1)
    ]
    return {"required": present[:n_required], "optional": present[n_required:], "contradicted": contradicted}


def _id(value: object) -> int:
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,4}", text):
        raise ReplyError("wrong_numbers", f"the id {value!r:.40} is no number")
    return int(text)


def _truth(value: object, what: str) -> int:
    known = value if isinstance(value, bool) else _TRUTH.get(str(value).strip().lower())
    if known is None:
        raise ReplyError("line_in_doubt", f"{what} is {value!r:.40}, neither true nor false")
    return int(known)


def _dimension(name: str, value: object) -> int:
    if name != "type_match":
        return _truth(value, name)
    grade = None if isinstance(value, bool) else _GRADE.fullmatch(str(value).strip())
    if grade is None:
        raise ReplyError("line_in_doubt", f"type_match is {value!r:.40}, not 0, 1, 2 or 3")
    return int(grade[1])


def _dimension_lines(text: str) -> Verdict:
    lines = [line.strip(" *`-\t") for line in unicodedata.normalize("NFKC", text).splitlines()]
    lines = [line for line in lines if line and not line.startswith("```")]
    if len(lines) != len(DIMENSIONS):
        reason = "too_few_verdicts" if len(lines) < len(DIMENSIONS) else "too_many_verdicts"
        raise ReplyError(reason, f"{len(lines)} lines for {len(DIMENSIONS)} dimensions")
    verdict = {}
    for number, (name, line) in enumerate(zip(DIMENSIONS, lines, strict=True), 1):
        found = _DIMENSION_LINE.fullmatch(line)
        if found is None or found[1] not in (None, str(number)) or not _names(found[2], name):
            raise ReplyError("line_in_doubt", f"line {number} is {line[:60]!r}, not a verdict on {name}")
        verdict[name] = _dimension(name, found[3].strip(" *."))
    return verdict


def _names(label: str | None, name: str) -> bool:
    return label is None or re.sub(r"[^a-z0-9]", "", label.lower()) == name.replace("_", "")


def _label(value: object) -> str:
    found = _LABEL_LINE.fullmatch(str(value).strip())
    if found is None:
        raise ReplyError("line_in_doubt", f"the label {value!r:.40} is none of {', '.join(LABELS)}")
    return found[1].lower().replace("-", "")
