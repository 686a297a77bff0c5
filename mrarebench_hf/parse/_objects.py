"""Stage parse, shared: the JSON values in a judge's reply, whatever is written around them.

In: a text. Out: its values, the likeliest first. Never mends broken JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

__all__ = ["json_values"]

_DECODER = json.JSONDecoder()
_MAX_TRIES = 1_000


def json_values(text: str) -> Iterator[Any]:
    """The whole text as JSON where it is that, else the objects in it, the last one first.

    Fences and sentences around an object do not matter, and nothing inside a string is touched. An object inside
    another is no value of its own.

    >>> list(json_values('For example {"a": 1}. Here it is: {"a": "```2```"} Hope it helps.'))
    [{'a': '```2```'}, {'a': 1}]
    """
    try:
        yield json.loads(text)
    except (ValueError, RecursionError):
        yield from reversed(list(_objects(text)))


def _objects(text: str) -> Iterator[Any]:
    position = 0
    for _ in range(_MAX_TRIES):
        position = text.find("{", position)
        if position < 0:
            return
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            position += 1
        else:
            yield value
