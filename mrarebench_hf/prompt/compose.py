"""Stage prompt: a case and a condition in, the ordered parts of one user message out."""

from __future__ import annotations

from collections.abc import Iterable

from mrarebench_hf import tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.prompt.withhold import without_diagnosis, without_name
from mrarebench_hf.records import Case, ImagePart, Part, Picture, Prompt, TextPart
from mrarebench_hf.source.cells import findings
from mrarebench_hf.tasks import Task

__all__ = ["assemble", "build", "final_text", "shown_label"]

_BLANK_LINE = "\n\n"


def build(case: Case, condition: Condition, task: Task | None = None) -> Prompt:
    """What a model is shown for a case under a condition.

    Args:
        case: with its pictures, when the condition shows them.
        condition: what is shown and withheld.
        task: the case's task, for its instruction; looked up when None.

    Returns:
        Per picture its label (if it has one) and the picture, then the final text. A picture that could not be had
        keeps its place and label, without data.
    """
    pictures = case.pictures if condition.images else ()
    text = final_text(case, condition, task or tasks.get(case.task))
    return assemble(case.index, ((shown_label(case, condition, p), p.data) for p in pictures), text)


def assemble(index: str, pictures: Iterable[tuple[str | None, bytes | None]], text: str) -> Prompt:
    """A prompt from its pieces: pictures as (label, encoded file), then the final text."""
    parts: list[Part] = []
    for label, data in pictures:
        if label:
            parts.append(TextPart(f"{label}:"))
        parts.append(ImagePart(data))
    return Prompt(index, (*parts, TextPart(text)))


def shown_label(case: Case, condition: Condition, picture: Picture) -> str | None:
    """What stands before a picture under a condition; None for nothing."""
    if picture.label and _withholds_diagnosis(case.task, condition):
        return without_name(picture.label, case.cells.get("final_diagnosis", ""))
    return picture.label


def final_text(case: Case, condition: Condition, task: Task) -> str:
    """The blocks that a case has, joined by a blank line: context and findings, question, instruction."""
    cells = case.cells
    context = cells.get("context", "")
    question = cells.get("question_open") or cells.get("question", "")
    if _withholds_diagnosis(task.name, condition):
        name = cells.get("final_diagnosis", "")
        context = without_name(without_diagnosis(context, name), name)
        question = without_name(question, name)
    blocks = [
        context,
        findings(cells.get("image findings", "")) if condition.findings else "",
        f"Question: {question}" if question.strip() else "",
        task.instructions[condition.instruction],
    ]
    return _BLANK_LINE.join(block for block in blocks if block.strip())


def _withholds_diagnosis(task: str, condition: Condition) -> bool:
    return task == "evidence" and not condition.diagnosis
