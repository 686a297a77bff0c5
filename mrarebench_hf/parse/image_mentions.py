"""Stage parse, T2: which pictures an answer speaks of, and which it gives a label of their own; two readings.

In: a model's answer. Out: picture numbers. ``mentioned`` and ``labelled`` are the published protocol's reading, to the
letter: the word "image" and one number. The ``strict_`` twins read what a person would: plurals, lists and ranges,
"Figure 1", Chinese, labels in tables and lists; and nothing of what was said while thinking.
Source: specification of the published benchmark, section 8.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mrarebench_hf.parse._thinking import after_thinking

__all__ = ["labelled", "mentioned", "strict_labelled", "strict_mentioned"]

# Possessive quantifiers ("*+") throughout: a long run of spaces or marks is read once and never given back.
_PROTOCOL_NUMBER = r"\bimage\s*+(?:#\s*+)?(\d++)"
_PROTOCOL_MENTION = re.compile(_PROTOCOL_NUMBER, re.IGNORECASE)
_PROTOCOL_LABEL = re.compile(
    rf"^(?:[^\S\n]|[*\-#>])*+{_PROTOCOL_NUMBER}\s*+(?:\*++\s*+)?[:\-)]", re.IGNORECASE | re.MULTILINE
)
# No picture has such a number, and int() refuses more than 4300 digits.
_ENOUGH_DIGITS = 4_000

_MOST_IN_A_RANGE = 50
# Full-width forms to ASCII, so that "：" is a colon; emphasis to spaces, so that "**Image 1**:" is a label.
_PLAIN = str.maketrans({code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {"*": " ", "`": " "})

_S = r"[^\S\n]*+"  # Spaces, maybe none; never the end of a line, as "2." on the next one is a list's number.
_S1 = r"[^\S\n]++"
_UNITS = r"cm|mm|[µμ]m|nm|m[gl]|kg|m?sv|secs?|seconds?|minutes?|hours?|days?|weeks?|months?|years?"
# A quantity is no picture's number: "3 cm", "18F-FDG", "3D", "12%", "2个".
_QUANTITY = rf"[\s-]?(?:(?:{_UNITS})(?![a-z])|[%°×个個枚处處张張幅])"
_NUMBER = (
    rf"(?:(?:#|№|nos?\.|numbers?){_S})?(\d{{1,3}}+)(?!\d|f-[a-z]{{2}}|(?-i:D\b))"
    rf"(?:[a-h](?![a-z0-9])|\.\d{{1,3}}+(?!\d))?+(?![a-z]|{_QUANTITY})"
)
_DASH = "[-‐‑–—~]"
_THROUGH = rf"{_S1}(?:to|through|thru){_S1}|{_S}[至到]{_S}"
# "Image 1 - 3 nodules" is a label, "Images 1 - 3" a range.
_NARROW = rf"{_NUMBER}(?:(?:{_DASH}|{_THROUGH}){_NUMBER})?+"
_WIDE = rf"{_NUMBER}(?:(?:{_S}{_DASH}{_S}|{_THROUGH}){_NUMBER})?+"
_AND = rf"{_S},?{_S}(?:(?:and|or){_S1}|[&+和与與及、]{_S})"
# "In Image 1, 3 nodules": after a singular, commas join numbers only where an "and" follows them.
_AFTER_SINGULAR = rf"{_NARROW}(?:(?:{_S},{_S}{_NARROW})*(?:{_AND}{_NARROW})++)?"
_AFTER_PLURAL = rf"{_WIDE}(?:{_S}[,;/]{_S}{_WIDE})*(?:{_AND}{_WIDE})*"
_LATIN = r"(?<![a-z0-9])"
# An electrocardiogram (心电图) and its like end in the same sign as a picture.
_CHINESE = r"(?<![电電动動声聲谱譜])(?:图像|图片|图|圖像|圖片|圖)"
_PICTURES = (
    rf"(?:{_LATIN}(?:images|figures|figs\.?)(?:[-_]|{_S})(?P<many>{_AFTER_PLURAL})"
    rf"|(?:{_LATIN}(?:image|figure|fig\.?)|{_CHINESE})(?:[-_]|{_S})(?P<one>{_AFTER_SINGULAR}))"
)
_MENTION = re.compile(_PICTURES, re.IGNORECASE)
_RANGE = re.compile(_WIDE, re.IGNORECASE)

_MARKS = r"""(?:[^\S\n]|[>#+\-•·●▪◦‣○–—|\["'“{(_])*+"""
_NUMBERED = rf"(?:\d{{1,3}}+{_S}[.)、|]{_MARKS})?+"
_LABEL_END = (
    r"""["'”_]*+"""
    rf"(?:{_S}\([^()\n]{{0,80}}+\))?+{_S}"
    r"(?:[:)\]|]|(?<=\s)[-–—]|[-–—](?=\s|$)|$)"
)
_LABEL = re.compile(rf"^{_MARKS}{_NUMBERED}{_PICTURES}{_LABEL_END}", re.IGNORECASE | re.MULTILINE)


def mentioned(text: str) -> frozenset[int]:
    """Numbers after the word "image", by the published protocol's reading; empty text gives none.

    It knows one number per word, no plural and no other word, and reads thinking as answer.

    >>> sorted(mentioned("Image 2 and image #3; images 4 and 5"))
    [2, 3]
    """
    return _protocol(_PROTOCOL_MENTION, text)


def labelled(text: str) -> frozenset[int]:
    """Numbers of the pictures that have a label of their own, by the published protocol's reading.

    A label stands at the start of a line, after nothing but ``* - # >`` and spaces, and a colon, hyphen or closing
    parenthesis follows it.

    >>> sorted(labelled("**Image 1:** a ring\\nImage 2 (MRI): a mass"))
    [1]
    """
    return _protocol(_PROTOCOL_LABEL, text)


def strict_mentioned(text: str) -> frozenset[int]:
    """Numbers, 0 to 999, of the pictures that the answer proper speaks of, as a person would read it.

    Lists ("Images 1, 2 and 4") and ranges ("Figs. 1–3") count whole; a range over more than 50 numbers counts its two
    ends. "Image 1a" is picture 1. Years, measures and other quantities are no picture numbers; words ("the first
    image") and letters ("Panel A") are not read. Nothing inside a thinking block counts.

    >>> sorted(strict_mentioned("Images 1-3 and 5 show a 4 cm mass, unlike Fig. 8"))
    [1, 2, 3, 5, 8]
    """
    return _strict(_MENTION, text)


def strict_labelled(text: str) -> frozenset[int]:
    """Numbers of the pictures that have a label of their own in the answer proper, as a person would read it.

    A label opens a line, after list marks, a number of its own, brackets or quotes; a note in parentheses may follow
    it. It ends with a colon, a dash, a closing bracket, a table's bar or the line. "Images 1 and 2:" labels both.

    >>> sorted(strict_labelled("1. Image 1: a ring\\n| Image 2 | a mass |\\nImage 3 (MRI) – normal"))
    [1, 2, 3]
    """
    return _strict(_LABEL, text)


def _protocol(pattern: re.Pattern[str], text: str) -> frozenset[int]:
    return frozenset(int(digits[:_ENOUGH_DIGITS]) for digits in pattern.findall(text))


def _strict(pattern: re.Pattern[str], text: str) -> frozenset[int]:
    answer = after_thinking(text).text.translate(_PLAIN)
    return frozenset(number for found in pattern.finditer(answer) for number in _numbers(found["many"] or found["one"]))


def _numbers(listed: str) -> Iterator[int]:
    for found in _RANGE.finditer(listed):
        first, last = int(found[1]), int(found[2] or found[1])
        if first < last < first + _MOST_IN_A_RANGE:
            yield from range(first, last + 1)
        else:
            yield from (first, last)
