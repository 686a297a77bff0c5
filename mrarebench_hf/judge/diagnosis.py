"""Rubric of T1: five dimensions of a ranked list of diagnoses.

Shown are the diagnosis, its aliases and the list as the published protocol reads it, not the case: so the protocol has
it, although the fifth question asks about the fit to the presentation. The words are ours.
Source: specification of the published benchmark, section 6.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mrarebench_hf.judge._rubric import Content, Form, Question, Rubric, Verdict, numbered, quoted
from mrarebench_hf.parse import judge_reply
from mrarebench_hf.parse.judge_reply import DIMENSIONS
from mrarebench_hf.parse.ranked_list import protocol_list

__all__ = ["RUBRIC"]

_ROLE = (
    "You grade strictly. You are given the correct diagnosis of a medical case with other accepted names, and a ranked "
    "list of diagnoses that was to name it."
)
_ASKED = {
    "presence": "does the list name the correct diagnosis at any rank (yes or no)",
    "top1": "is the first entry the correct diagnosis (yes or no)",
    "type_match": (
        "how close is the best entry: 0 unrelated, 1 the same broad kind of disease, 2 the same group or another "
        "subtype, 3 the same disease (0 to 3)"
    ),
    "specificity": "are the entries specific diseases rather than broad terms (yes or no)",
    "coherence": "do the entries fit one clinical presentation (yes or no)",
}


def _questions(
    ids: Sequence[str], answers: Sequence[str | None], references: Sequence[Mapping[str, Any]]
) -> list[Question]:
    found = []
    for index, answer, case in zip(ids, answers, references, strict=True):
        ranked = list(protocol_list(answer)) if answer is not None and answer.strip() else []
        if ranked:
            content = {"diagnosis": case["answer"], "aliases": list(case["answer_aliases"]), "ranked": ranked}
            found.append(Question(index, content))
    return found


def _shown(content: Content) -> Sequence[str]:
    aliases = "; ".join(content["aliases"]) or "none"
    asked = [f"{name}: {text}" for name, text in _ASKED.items()]
    return (
        f"Correct diagnosis:\n{quoted('diagnosis', content['diagnosis'])}",
        f"Other accepted names:\n{quoted('aliases', aliases)}",
        f"Ranked list to be graded:\n{quoted('list', numbered(content['ranked']))}",
        f"Questions:\n{numbered(asked)}",
    )


def _reply_format(_content: Content, form: Form) -> str:
    if form == "json":
        names = ", ".join(f'"{name}"' for name in DIMENSIONS)
        return (
            f"Reply with one JSON object and nothing else, with the keys {names}: true or false, and for type_match a "
            "number from 0 to 3."
        )
    return (
        "Reply with exactly five lines and nothing else, one per question in order: YES or NO, and for the third a "
        "number from 0 to 3."
    )


def _schema(_content: Content) -> Mapping[str, Any]:
    kinds: dict[str, dict[str, Any]] = {name: {"type": "boolean"} for name in DIMENSIONS}
    kinds["type_match"] = {"type": "integer", "enum": [0, 1, 2, 3]}
    return {"type": "object", "properties": kinds, "required": list(DIMENSIONS), "additionalProperties": False}


def _read(reply: str, _content: Content) -> Verdict:
    return judge_reply.dimensions(reply)


RUBRIC = Rubric(
    name="diagnosis",
    role=_ROLE,
    questions=_questions,
    shown=_shown,
    reply_format=_reply_format,
    schema=_schema,
    read=_read,
    example={"diagnosis": "A disease", "aliases": ["AD"], "ranked": ["A disease", "Another disease"]},
)
