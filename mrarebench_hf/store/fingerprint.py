"""What makes two requests the same: everything that can change the reply, and nothing else.

Batch size, number of processes and the results folder cannot change a reply and are not in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from mrarebench_hf.records import Prompt, TextPart
from mrarebench_hf.store.atomic import dumps

__all__ = ["cache_key", "fingerprint"]


def cache_key(tag: str, split: str, index: str, text: str) -> str:
    """The readable key that MedVision users know: ``task::split::id::first 16 hex of the prompt's sha256``."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{tag}::{split}::{index}::{digest[:16]}"


def fingerprint(tag: str, split: str, prompt: Prompt, model: Mapping[str, Any], generation: Mapping[str, Any]) -> str:
    """sha256 over the item, every text and picture byte of its prompt, the model with its revision, and the settings.

    Args:
        tag: the task's tag; the same id under another condition is another item.
        split: the dataset's split.
        prompt: what is shown.
        model: identity of the model (backend, name, revision).
        generation: settings that can change a reply.
    """
    parts = [
        ["text", part.text] if isinstance(part, TextPart) else ["image", hashlib.sha256(part.data or b"").hexdigest()]
        for part in prompt.parts
    ]
    payload = [tag, split, prompt.index, parts, dict(model), dict(generation)]
    return hashlib.sha256(dumps(payload).encode()).hexdigest()
