"""Stage parse: the numbers of a target, which result files hold as text; read as JSON or literals, never evaluated.

In: a text, number or list. Out: its numbers.
"""

from __future__ import annotations

import ast
import math
from typing import Any

import orjson

__all__ = ["numbers"]

# A target holds four numbers; nothing longer is parsed, so that no nesting can exhaust the parser.
_LONGEST = 1000


def numbers(target: Any) -> tuple[float, ...]:
    """The numbers of a target: of ``"[0.1, 0.2]"``, ``"(10, 5)"``, ``"45.3"``, a number, or a list of numbers.

    Raises:
        ValueError: for anything else, and for numbers that are not finite.

    >>> numbers("[31.2, 18.0]"), numbers("45.3")
    ((31.2, 18.0), (45.3,))
    """
    if isinstance(target, str):
        target = _literal(target)
    values = target if isinstance(target, list | tuple) else [target]
    if not values or not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        raise ValueError(f"target {target!r:.80} is no number and no list of numbers")
    try:
        found = tuple(map(float, values))
    except OverflowError:
        found = (math.inf,)
    if not all(map(math.isfinite, found)):
        raise ValueError(f"target {target!r:.80} is not finite")
    return found


def _literal(text: str) -> Any:
    if len(text) > _LONGEST:
        raise ValueError(f"a target of {len(text)} characters: {text!r:.80}")
    try:
        return orjson.loads(text)  # nearly every target
    except orjson.JSONDecodeError:
        pass
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"target {text!r:.80} is neither JSON nor a literal") from error
