"""Stage parse, shared: the numbers that a text holds, each with what must be known to believe it.

A text is tokenised once, from left to right: words (digits glued to letters before them are part of a word), and
numbers with the letters or signs that stand right behind them. What cannot be told apart from another number, such as
a power, a version or a middle dot, makes the whole text ambiguous, so that no other number is taken for the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Token", "is_doubtful", "tidy", "tokens", "units_in"]

# Full-width forms (U+FF01 to U+FF5E, and the wide space) and two hyphens; nothing that changes what a digit is worth.
_FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x2010: "-", 0x2011: "-"}

_DEGREE = re.compile(r"\^?\s{0,9}\{?\s{0,9}\\(?:circ|degree)(?![a-zA-Z])\s{0,9}\}?")
_COMMAND = re.compile(r"\\(?:[a-zA-Z]+|[,;:! ])")
# The key of a JSON object; one without letters is kept, as it may be what was measured.
_KEY = re.compile(r'"[^"\n]{0,80}[^\W0-9_][^"\n]{0,80}"\s{0,9}:')
_LIST_MARKER = re.compile(r"^[ \t]*\(?([0-9]{1,2})[.)][ \t]+(?=\S)", re.MULTILINE)

# In the order in which they are tried: x between two numbers, a word, a number with what is glued to it.
_TOKEN = re.compile(
    r"""
    (?P<times>(?<=[0-9])[xX](?=[-+.]?[0-9]))
  | (?P<word>[^\W0-9]\w*)
  | (?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
    (?P<tail>(?![xX][-+.]?[0-9])[^\W0-9]\w*)?
    (?P<unit>[ \t]{0,3}(?:[°%‰″]|[^\W\d_][^\W\d_]{0,15}[²³2]?(?![\w])))?
    """,
    re.VERBOSE,
)
# Behind a number: a power, or a separator that two countries read differently, or bold between digits.
_DOUBTFUL_AFTER = re.compile(r"\s{0,3}\^|['’·⋅‧٫_][0-9]|\*\*[-+.]?[0-9]")
# Anywhere: a tolerance, a built fraction, a root, a number in words, an entity of HTML, an exponent or a power that
# stands apart.
_DOUBTFUL = re.compile(
    r"""±|\\(?:[dt]?frac|sqrt|pi|pm)(?![a-z])|[π√∛]|\b(?:sqrt|pi|hundred|thousand|million|billion)\b
    |&[a-z]{2,8};|[0-9]\s{1,9}(?:e[-+]?[0-9]|[²³])""",
    re.VERBOSE | re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,20}|[%‰㎝]")
_INCHES = re.compile(r"[0-9]\s{0,3}(?:in(?=\s{0,3}(?:[x×,;.)]|$))|”(?=\s{0,3}[x×,;]))", re.IGNORECASE)
_DASHES = "–—‒―"
_SIGNS = "+-−"


@dataclass(frozen=True, slots=True)
class Token:
    """One number of a text.

    Attributes:
        digits: the number as written, without sign.
        negative: whether a minus stands before it.
        unit: the word or sign behind it in lower case, "" for none; not every word is a unit.
        start: where its digits begin.
        end: where its digits end.
        signed: whether a sign stands before it.
    """

    digits: str
    negative: bool
    unit: str
    start: int
    end: int
    signed: bool

    @property
    def value(self) -> float:
        """The number; infinity when it is too large for a double."""
        return -float(self.digits) if self.negative else float(self.digits)


def tidy(text: str) -> str:
    """Full-width forms and LaTeX as plain text, without list numbering and JSON keys.

    >>> tidy(r"$１２.5^\\circ$")
    '$12.5°$'
    """
    text = text.translate(_FOLD)
    if "\\" in text:
        text = _COMMAND.sub(" ", _DEGREE.sub("°", text).replace("{,}", ",").replace("\\%", "%"))
    if '"' in text:
        text = _KEY.sub(" ", text)
    if "\n" in text or text[:1] in "1( \t":
        numbers = [int(marker[1]) for marker in _LIST_MARKER.finditer(text)]
        if numbers and numbers == list(range(1, len(numbers) + 1)):
            text = _LIST_MARKER.sub("", text)
    return text


def is_doubtful(text: str) -> bool:
    """Whether a text writes some number so that its digits alone are another one.

    >>> is_doubtful("12.5 ± 0.5"), is_doubtful("12.5, 0.5")
    (True, False)
    """
    return _DOUBTFUL.search(text) is not None


def units_in(text: str) -> set[str]:
    """The units that stand anywhere in a text, in keys and brackets as well; single letters are no evidence.

    >>> units_in("{'major_cm': 1.25}")
    {'cm'}
    """
    text = text.translate(_FOLD)
    found = {UNITS[word] for word in map(str.lower, _WORD.findall(text)) if word in UNITS}
    return found | {"inch"} if _INCHES.search(text) else found


def tokens(text: str) -> list[Token] | None:
    """The numbers of a tidied text in their order; None when one of them is ambiguous.

    >>> [t.value for t in tokens("10-12 mm") or ()]
    [10.0, 12.0]
    >>> tokens("10^3") is None
    True
    """
    found: list[Token] = []
    reach = -1  # where the number before ends, with its unit
    for match in _TOKEN.finditer(text):
        digits = match["number"]
        if digits is None:
            continue
        start, end = match.span("number")
        tail = (match["tail"] or "").lower()
        sign = _sign(text, start, reach)
        if sign is None or _is_doubtful(text, match, tail):
            return None
        unit = tail or (match["unit"] or "").strip().lower()
        reach = (match.end("tail") if tail else match.end("unit")) if unit in UNITS else end
        if not tail or tail in UNITS:
            found.append(Token(digits, sign == "-", unit, start, end, bool(sign)))
    return found


def _sign(text: str, start: int, reach: int) -> str | None:
    """The sign of the number whose digits begin at ``start``, "" for none; None when it cannot be told."""
    before = text[start - 1 : start]
    if not before or before.isspace():
        return None if _loose_minus(text, start, reach) else ""
    if before == "^":
        return None
    if before in _SIGNS or before in _DASHES or before == "±":
        if start - 1 == reach:  # right behind a number: a range, a sum or a tolerance
            return ""
        ahead = text[start - 2 : start - 1]
        if before not in _SIGNS or ahead.isalnum() or (ahead and ahead in f"{_SIGNS}{_DASHES}/)]"):
            return None
        return "+" if before == "+" else "-"
    return ""


def _loose_minus(text: str, start: int, reach: int) -> bool:
    """Whether a true minus stands before the number with a space between, and it is not between two numbers.

    A hyphen there is a bullet or a range.
    """
    window = text[max(0, start - 8) : start].rstrip()
    if not window.endswith("−"):
        return False
    ahead = window[:-1].rstrip()
    return max(0, start - 8) + len(ahead) != reach


def _is_doubtful(text: str, match: re.Match[str], tail: str) -> bool:
    """Whether what is glued to a number may change its value."""
    start, end = match.span("number")
    if text[start] == "." and start and (text[start - 1].isalnum() or text[start - 1] == "."):
        return True  # 1.2.3, or a word's dot
    if tail and not tail[0].isalpha():
        return True  # a superscript, a vulgar fraction, an underscore between digits, another script's digit
    return _DOUBTFUL_AFTER.match(text, match.end("tail") if tail else end) is not None


# Spelling → unit. Known units that a family does not allow make an answer unreadable: nothing is converted.
UNITS: dict[str, str] = {
    **dict.fromkeys(("mm", "mm2", "mm²", "millimeter", "millimeters", "millimetre", "millimetres", "毫米", "㎜"), "mm"),
    **dict.fromkeys(("°", "deg", "degs", "degree", "degrees", "度"), "deg"),
    **dict.fromkeys(("px", "pixel", "pixels", "像素", "voxel", "voxels"), "px"),
    **dict.fromkeys(
        ("cm", "cm2", "cm²", "centimeter", "centimeters", "centimetre", "centimetres", "厘米", "cms", "㎝", "см"), "cm"
    ),
    **dict.fromkeys(("dm", "nm", "km", "feet", "foot", "ft"), "length"),
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), "m"),
    **dict.fromkeys(
        ("um", "µm", "μm", "micron", "microns", "micrometer", "micrometers", "micrometre", "micrometres"), "um"
    ),
    **dict.fromkeys(("inch", "inches", "″"), "inch"),
    **dict.fromkeys(("rad", "radian", "radians"), "rad"),
    **dict.fromkeys(("arcmin", "arcsec", "grad", "gon", "turn", "turns"), "angle"),
    **dict.fromkeys(("%", "‰", "percent", "pct"), "%"),
}
