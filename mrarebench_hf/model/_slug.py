"""Folder names for models: safe on every file system, and different for different models."""

from __future__ import annotations

import hashlib
import re

__all__ = ["slug"]

_MAX_CHARS = 120


def slug(name: str) -> str:
    """The name with unsafe characters replaced, plus 8 hex of its sha256 when anything was replaced or shortened.

    >>> slug("tiny")
    'tiny'
    >>> slug("org/m") == slug("org__m")
    False
    >>> slug("..")
    '_-5ec1f7e7'
    """
    safe = re.sub(r"[^A-Za-z0-9._=-]", "_", name).strip(".") or "_"
    safe = safe[:_MAX_CHARS]
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
