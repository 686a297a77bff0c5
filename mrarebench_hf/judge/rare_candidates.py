"""Rubric for T1, on request: whether each candidate that a model has named is a rare disease; once per name.

Source: specification of the published benchmark, section 6.2; the words are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mrarebench_hf.judge._rubric import Content, Form, Question, Rubric, Verdict, quoted
from mrarebench_hf.parse import judge_reply
from mrarebench_hf.parse.judge_reply import LABELS
from mrarebench_hf.parse.ranked_list import candidate_key, protocol_list

__all__ = ["RUBRIC"]

_ROLE = (
    "You classify names of diagnoses. A disease is rare if it affects fewer than 1 in 2,000 people, or is listed by "
    "Orphanet as rare."
)
_ASKED = (
    "Labels: rare (a specific rare disease), nonrare (a specific disease that is not rare), generic (a broad term, a "
    "symptom or a group rather than one disease), unknown (it cannot be told what is meant)."
)


def _questions(
    _ids: Sequence[str], answers: Sequence[str | None], _references: Sequence[Mapping[str, Any]]
) -> list[Question]:
    names = dict.fromkeys(name for answer in answers if answer for name in map(candidate_key, protocol_list(answer)))
    return [Question(name, {"candidate": name}) for name in names]


def _shown(content: Content) -> Sequence[str]:
    return f"Name to be classified:\n{quoted('name', content['candidate'])}", _ASKED


def _reply_format(_content: Content, form: Form) -> str:
    if form == "json":
        return 'Reply with one JSON object and nothing else: {"label": one of the labels}.'
    return "Reply with one line and nothing else: one of the labels."


def _schema(_content: Content) -> Mapping[str, Any]:
    label = {"type": "string", "enum": list(LABELS)}
    return {"type": "object", "properties": {"label": label}, "required": ["label"], "additionalProperties": False}


def _read(reply: str, _content: Content) -> Verdict:
    return judge_reply.rarity(reply)


RUBRIC = Rubric(
    name="rare_candidates",
    role=_ROLE,
    questions=_questions,
    shown=_shown,
    reply_format=_reply_format,
    schema=_schema,
    read=_read,
    example={"candidate": "a disease"},
)
