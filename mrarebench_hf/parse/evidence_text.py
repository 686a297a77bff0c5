"""Stage parse, T2: an answer's sentences and the pictures they are about; two readings.

In: a model's answer, a rationale, or an evidence point. Out: sentences. ``sentences`` and ``image_of_point`` are the
published protocol's reading, to the letter. ``strict_sentences`` and ``strict_point`` read what a person would: no
thinking, Chinese full stops, numbers that are measurements, and the picture of a heading for the lines below it.
Source: specification of the published benchmark, sections 8.1 to 8.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mrarebench_hf.parse._thinking import after_thinking
from mrarebench_hf.parse.image_mentions import strict_labelled, strict_mentioned

__all__ = ["ScopedSentence", "image_of_point", "sentences", "strict_point", "strict_sentences"]

_PROTOCOL_END = re.compile(r"(?<=[.!?])\s+|\n+")
_PROTOCOL_START = re.compile(r"^[-*•#>\d.)\s]+")
_LEAST_CHARACTERS = 3
_POINT_LABEL = re.compile(r"\s*\[\s*image\s*(\d+)", re.IGNORECASE)
# int() refuses more than 4300 digits, and no picture has such a number.
_ENOUGH_DIGITS = 4_000

_EMPHASIS = re.compile(r"\*+|`+|__+")
# A hyphen before a digit may be a sign: "-5 HU".
_MARKS = r"(?:[\s>#+•·●▪◦‣○–—|]|-(?!\d))*+"
_ITEM = re.compile(rf"{_MARKS}(?:\d{{1,3}}+(?:[.)]\s|、))?+{_MARKS}")
# "Fig. 1", "No. 2" and the like are no ends.
_END = re.compile(
    r"(?<=[.!?])(?<!\bfig\.)(?<!\bfigs\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bdr\.)(?<!\be\.g\.)(?<!\bi\.e\.)"
    r"(?<!\bapprox\.)(?!(?<=\bno\.)\s+\d)\s+|(?<=[。！？])\s*",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LABEL_MAY_END = re.compile(r"[:：)）\]|–—-]")
_LONGEST_LABEL = 160
_AFTER_LABEL = " \t:：)）]|–—-."
_HEADING = re.compile(r"\s*+(?:#|\*\*[^*]++\*\*[\s:：]*+$|__[^_]++__[\s:：]*+$|[^:：.!?]{1,60}+[:：]\s*+$)")
# Words that join what several pictures show.
_JOINS = re.compile(
    r"(?:(?:taken|viewed|considered|put|all)\s+together|together|overall|in\s+(?:summary|conclusion|combination)"
    r"|summary|conclusions?|synthesis|integration|integrated|combined)\b|综上|综合|总之|总体|结论|小结",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ScopedSentence:
    """A sentence and the pictures that it is about.

    Attributes:
        text: without list marks, emphasis, and the picture label that opens it; never blank.
        images: numbers of the pictures that it names, otherwise those of the heading or label above it; may be empty.
    """

    text: str
    images: frozenset[int]


def sentences(text: str) -> list[str]:
    """The sentences of a text, by the published protocol's reading; empty text gives none.

    They end with a line, or with ``. ! ?`` and a space. Bullets, digits, dots and closing parentheses at a sentence's
    start are cut away, whatever they mean; fewer than three characters are no sentence.

    >>> sentences("1. A ring. No.\\n3 cm mass")
    ['A ring.', 'No.', 'cm mass']
    """
    pieces = (_PROTOCOL_START.sub("", piece.strip()).strip() for piece in _PROTOCOL_END.split(text))
    return [piece for piece in pieces if len(piece) >= _LEAST_CHARACTERS]


def image_of_point(point: str | None) -> int | None:
    """The picture whose label opens an evidence point, by the published protocol's reading; None without one.

    >>> image_of_point("[Image 3] A ring."), image_of_point("[Figure 3] A ring.")
    (3, None)
    """
    found = _POINT_LABEL.match(point or "")
    return int(found[1][:_ENOUGH_DIGITS]) if found else None


def strict_sentences(text: str) -> list[ScopedSentence]:
    """The sentences of the answer proper, as a person would read them, each with its pictures.

    Nothing said while thinking counts. A sentence is about the pictures that it names itself, otherwise about those
    of the nearest label before it ("**Image 1:**" and bullets below it). A label alone is no sentence; it holds until
    the next one, or until a heading, or a line below a heading or a blank line, sums up ("Taken together, …").

    >>> for sentence in strict_sentences("**Image 1:**\\n- 3 cm mass\\n\\nTaken together: a tumor."):
    ...     print(sorted(sentence.images), sentence.text)
    [1] 3 cm mass
    [] Taken together: a tumor.
    """
    found: list[ScopedSentence] = []
    scope: frozenset[int] = frozenset()
    may_end = True
    for line in after_thinking(text).text.splitlines():
        heading = bool(_HEADING.match(line))
        content = _content(line)
        if (heading or may_end or _is_titled(content)) and _JOINS.match(content):
            scope = frozenset()
        for piece in _pieces(content):
            label = _label(piece)
            scope = label or scope
            said = _unlabelled(piece, label)
            if _is_sentence(said):
                found.append(ScopedSentence(said, strict_mentioned(piece) or scope))
        may_end = heading or not content
    return found


def strict_point(text: str) -> ScopedSentence:
    """An evidence point without the label that opens it, and the pictures of that label.

    >>> strict_point("[Images 1-2] A ring.") == ScopedSentence("A ring.", frozenset({1, 2}))
    True
    """
    label = _label(text)
    return ScopedSentence(_unlabelled(text, label) or text.strip(), label)


def _content(line: str) -> str:
    return _ITEM.sub("", _EMPHASIS.sub("", line), count=1).rstrip(" \t|")


def _is_titled(content: str) -> bool:
    """Whether a line carries its heading itself: "Integration: …"."""
    return bool(re.match(r"\w+(?:\s\w+)?\s*[:：]", content))


def _pieces(content: str) -> Iterator[str]:
    for piece in _END.split(content):
        yield piece.strip()


def _label(piece: str) -> frozenset[int]:
    """Numbers of the label that opens a piece; "Image 1." is one, as the sentences after it tell of that picture."""
    return strict_labelled(piece.rstrip(" ."))


def _unlabelled(piece: str, label: frozenset[int]) -> str:
    """What stands behind the label: the shortest beginning that holds all of its numbers is the label."""
    if not label:
        return piece
    for end in _LABEL_MAY_END.finditer(piece, 0, _LONGEST_LABEL):
        if strict_labelled(piece[: end.end()]) == label:
            return piece[end.end() :].lstrip(_AFTER_LABEL)
    return ""


def _is_sentence(said: str) -> bool:
    enough = 2 if _IDEOGRAPH.search(said) else _LEAST_CHARACTERS
    return len(said) >= enough and bool(_LETTER.search(said))
