"""Rubric of T2: which required and optional points an answer reports, and which required ones it contradicts.

Structure: the published protocol's (role, diagnosis, rationale, answer, required points, optional points, format; no
picture and no case text); the words are ours. Source: specification of the published benchmark, section 9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mrarebench_hf.judge._rubric import Content, Form, Question, Rubric, Verdict, numbered, quoted
from mrarebench_hf.parse import judge_reply
from mrarebench_hf.parse.evidence_points import points_of

__all__ = ["RUBRIC"]

_ROLE = (
    "You grade strictly. You are given the established diagnosis of a medical case, a reference rationale, reference "
    "points of evidence, and an answer that was to report the evidence visible in the images. Judge each point by "
    "itself. A point is present only if the answer states it clearly, in whatever words; a vague hint, the diagnosis "
    "alone, or a finding of another image does not make it present. A required point is contradicted if the answer "
    "states the opposite of it."
)


def _questions(
    ids: Sequence[str], answers: Sequence[str | None], references: Sequence[Mapping[str, Any]]
) -> list[Question]:
    found = []
    for index, answer, case in zip(ids, answers, references, strict=True):
        points = points_of(case["evidence_points"])
        if answer is not None and answer.strip() and (points.required or points.optional):
            content = {
                "diagnosis": case["final_diagnosis"],
                "rationale": case["gold_rationale"],
                "answer": answer,
                "required": list(points.required),
                "optional": list(points.optional),
            }
            found.append(Question(index, content))
    return found


def _shown(content: Content) -> Sequence[str]:
    required, optional = content["required"], content["optional"]
    return (
        f"Established diagnosis:\n{quoted('diagnosis', content['diagnosis'])}",
        f"Reference rationale:\n{quoted('rationale', content['rationale'])}",
        f"Answer to be graded:\n{quoted('answer', content['answer'])}",
        f"Required points:\n{numbered(required) or 'none'}",
        f"Optional points:\n{numbered(optional, len(required) + 1) or 'none'}",
    )


def _reply_format(content: Content, form: Form) -> str:
    n_required = len(content["required"])
    n_points = n_required + len(content["optional"])
    if form == "json":
        return (
            'Reply with one JSON object and nothing else: {"points": [...]}, with one entry for each of the points '
            f'1 to {n_points}: {{"id": the number of the point, "present": true or false, "contradicted": true or '
            "false}."
        )
    n_lines = n_points + n_required
    last = f"; the lines {n_points + 1} to {n_lines} say whether the required points 1 to {n_required}, in order, are "
    return (
        f"Reply with exactly {n_lines} lines and nothing else, each its number, a colon, and YES or NO. The lines 1 to "
        f"{n_points} say whether point 1 to {n_points} is present" + (f"{last}contradicted." if n_required else ".")
    )


def _schema(content: Content) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {
            "points": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "integer"},
                        "present": {"type": "boolean"},
                        "contradicted": {"type": "boolean"},
                    },
                    "required": ["id", "present", "contradicted"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["points"],
        "additionalProperties": False,
    }


def _read(reply: str, content: Content) -> Verdict:
    return judge_reply.evidence(reply, len(content["required"]), len(content["optional"]))


RUBRIC = Rubric(
    name="evidence",
    role=_ROLE,
    questions=_questions,
    shown=_shown,
    reply_format=_reply_format,
    schema=_schema,
    read=_read,
    example={
        "diagnosis": "A disease",
        "rationale": "A rationale.",
        "answer": "An answer.",
        "required": ["[Image 1] A point.", "Another."],
        "optional": ["A third."],
    },
)
