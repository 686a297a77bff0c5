"""Stage prompt: a condition in, the hash of everything in its prompts that is ours, not the case's, out."""

from __future__ import annotations

import hashlib
import json

from mrarebench_hf import tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.prompt.compose import build
from mrarebench_hf.records import Case, Picture, TextPart

__all__ = ["template_sha256"]

_CELLS = {
    "context": "Established diagnosis: D.1 name. The context.",
    "final_diagnosis": "D.1 name",
    "image findings": '[{"title": "The title", "body": "The body."}, {"markdown": "The markdown."}]',
    "question": "The question?",
}
_PICTURES = (Picture(1, b"", "The label"), Picture(2, b"", None))


def template_sha256(condition: Condition) -> str:
    """Hex digest over the prompt of a fixed invented case: changes with any word or any part of the structure.

    Equal digests mean that equal cases give equal prompts.
    """
    task = tasks.get(condition.task)
    prompt = build(Case(task.name, "0", _CELLS, _PICTURES, {}), condition, task)
    parts = [part.text if isinstance(part, TextPart) else None for part in prompt.parts]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()
