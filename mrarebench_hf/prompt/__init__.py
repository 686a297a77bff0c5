"""A case under a condition into a prompt: pure, the structure of the published benchmark, the wording our own.

A prompt is zero or more picture groups (label, picture), then one text: context, findings where the condition shows
them, question, instruction, joined by blank lines.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence

from mrarebench_hf import tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.records import Case, ImagePart, Part, Prompt, TextPart
from mrarebench_hf.source import cells

__all__ = ["assemble", "build", "leaks", "template_sha256"]

_STATEMENT = r"\s*established\s+diagnosis:\s*"
_FORMAT_VERSION = 1  # raise it when the structure below changes, so that stored answers are not mixed


def build(case: Case, condition: Condition) -> Prompt:
    """What a model is shown for a case.

    Args:
        case: a case of the condition's task.
        condition: what is shown and withheld.
    """
    task = tasks.get(condition.task)
    text = "\n\n".join(block for block in _blocks(case, condition, task.instructions[condition.instruction]) if block)
    pictures = [(p.label, p.data) for p in case.pictures] if condition.images else []
    return assemble(case.index, pictures, text)


def assemble(index: str, pictures: Sequence[tuple[str | None, bytes | None]], text: str) -> Prompt:
    """A prompt of labelled pictures and a final text.

    Args:
        index: id of the case.
        pictures: label (None or "" for none) and encoded bytes of each picture.
        text: the final text.
    """
    parts: list[Part] = []
    for label, data in pictures:
        if label:
            parts.append(TextPart(f"{label}:"))
        parts.append(ImagePart(data))
    return Prompt(index, (*parts, TextPart(text)))


def _blocks(case: Case, condition: Condition, instruction: str) -> Iterator[str]:
    context = case.cells.get("context", "")
    stated = str(case.references.get("final_diagnosis", ""))
    yield context if condition.diagnosis else _without_statement(context, stated)
    if condition.findings:
        yield cells.rendered_findings(case.cells.get("image findings", ""))
    question = case.cells.get("question_open") or case.cells.get("question", "")
    yield f"Question: {question}" if question else ""
    yield instruction


def _without_statement(context: str, diagnosis: str) -> str:
    """The context less its opening statement of the diagnosis.

    The diagnosis is matched as it is written, so that a full stop inside it, or none after it, cuts neither too early
    nor too late; a statement that words it otherwise ends at its first full stop.
    """
    named = "".join(r"\s+" if c.isspace() else re.escape(c) for c in re.sub(r"\s+", " ", diagnosis))
    literal = re.match(rf"{_STATEMENT}{named}\s*(?:\.\s*|\n\s*|$)", context, re.IGNORECASE) if diagnosis else None
    found = literal or re.match(rf"{_STATEMENT}[^.]*\.\s*", context, re.IGNORECASE)
    return context[found.end() :] if found else context


def leaks(text: str, withheld: Sequence[str]) -> list[str]:
    """Those of some withheld texts that a text contains as whole words, whatever their case and spacing.

    >>> leaks("Known  Fabry Disease.", ["Fabry disease", "FD", "Fabry diseases"])
    ['Fabry disease']
    """
    flat = " ".join(text.split()).casefold()
    return [item for item in withheld if item.strip() and _stands_in(flat, " ".join(item.split()).casefold())]


def _stands_in(flat: str, item: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(item)}(?!\w)", flat) is not None


def template_sha256(condition: Condition) -> str:
    """Hash of all wording and structure that is ours under a condition; another hash means other prompts."""
    task = tasks.get(condition.task)
    shown = [condition.images, condition.findings, condition.diagnosis]
    content = [_FORMAT_VERSION, condition.task, shown, task.instructions[condition.instruction]]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
