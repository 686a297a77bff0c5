"""Stage parse: what stands between ``<answer>`` and ``</answer>``, by two rules.

In: a reply. Out: the text of the one block that counts, or None without a complete one.
"""

from __future__ import annotations

import re

from mrarebench_hf.parse._thinking import after_thinking

__all__ = ["first_block", "last_block"]

_TAG = re.compile(r"<\s{0,9}(/?)\s{0,9}answer(?=[\s/>])[^<>]{0,200}>", re.IGNORECASE)
_FIRST = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)


def last_block(reply: str) -> str | None:
    """The last complete block outside thinking: a draft or a quoted instruction before it does not count.

    Upper and lower case are one, tags may hold attributes, and of nested pairs the inner one counts. A block that is
    not closed is none. Source: field report BR-17.

    >>> last_block("<answer>10, 5</answer> wait <ANSWER>12.5, 8</ANSWER>")
    '12.5, 8'
    >>> last_block("<answer>12.5, 8") is None
    True
    """
    text = after_thinking(reply).text
    start, block = None, None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            start = tag.end()
        elif start is not None:
            block, start = text[start : tag.start()], None
    return block


def first_block(reply: str) -> str | None:
    """The first block anywhere, with tags in lower case and nothing else in them: the rule of medvision_bm 1.2.1.

    >>> first_block("<answer>10, 5</answer> wait <answer>12.5, 8</answer>")
    '10, 5'
    """
    found = _FIRST.search(reply)
    return found[1] if found else None
