"""Stage parse, shared: what a model wrote after it stopped thinking.

In: a reply. Out: the reply without its thinking, and whether a thinking block was left open.
Knows ``<think>``, ``<thinking>``, ``<thought>``, ``<reasoning>`` and their like, with attributes too, the bracket forms
``[THINK]`` and ``◁think▷``, the unnamed tokens of MedGemma, and the channels of the harmony format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Answer", "after_thinking"]

_WORD = "(?:think|thinking|thought|reasoning)"
# Attributes only between angles: "[reasoning from image 2]" is a text.
_ANGLE = rf"<(?:unused94|(/)?(?:seed:)?(?:{_WORD}|thinking_process)(?:\s[^<>]{{0,200}})?|(unused95))>"
_TAG = re.compile(rf"{_ANGLE}|[\[◁](/)?{_WORD}[\]▷]", re.IGNORECASE)
_ANGLE_TAG = re.compile(_ANGLE, re.IGNORECASE)  # begins with one character, which is found several times as fast
_BLANK_LINES = re.compile(r"(?:[^\S\r\n]*[\r\n]+)*")
_CHANNEL = re.compile(
    r"<\|channel\|>\s{0,9}(analysis|commentary|final)\b[^<]{0,200}(?:<\|constrain\|>[^<]{0,200})?<\|message\|>"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply's text outside its thinking.

    Attributes:
        text: what is left, without blank lines before and white space after it; indentation tells items from
            sub-items and stays.
        unclosed: whether thinking was still going on at the end, so that there is no answer.
    """

    text: str
    unclosed: bool


def after_thinking(reply: str) -> Answer:
    """Take the thinking out of a reply.

    Closed blocks go; a closing tag without an opening one ends thinking that began before the reply; a block left
    open (the token budget ran out) leaves no answer at all. A reply without such a tag is only trimmed.
    Empty gives empty. Source: field report BR-16.

    >>> after_thinking("<think>1. Fabry disease</think>1. Pompe disease").text
    '1. Pompe disease'
    >>> after_thinking("it fits</think>1. Pompe disease").text
    '1. Pompe disease'
    >>> after_thinking("<think>1. Fabry disease").unclosed
    True
    """
    if "<|channel|>" in reply:
        return _final_channel(reply)
    kept: list[str] = []
    position, opened = 0, False
    pattern = _TAG if "[" in reply or "◁" in reply else _ANGLE_TAG
    for tag in pattern.finditer(reply):
        closes = tag.lastindex is not None
        if closes and not opened:
            kept.clear()
        elif not closes and not opened:
            kept.append(reply[position : tag.start()])
        opened = not closes
        position = tag.end()
    if opened:
        return Answer("", True)
    kept.append(reply[position:])
    return Answer(_trim("".join(kept)), False)


def _final_channel(reply: str) -> Answer:
    last = next(reversed(list(_CHANNEL.finditer(reply))), None)
    if last is None or last[1] != "final":
        return Answer("", True)
    return Answer(_trim(reply[last.end() :]), False)


def _trim(text: str) -> str:
    text = text.rstrip()
    blank = _BLANK_LINES.match(text)
    return text[blank.end() :] if blank else text
