"""Stage parse, T1: a reply into a ranked list of diagnoses, by the published protocol and by a careful reading.

In: the text of a reply. Out: ``protocol_list`` gives the protocol's candidates, ``strict_list`` those that a careful
reader would take down, or the reason why there are none. Both run in linear time on any text and never raise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mrarebench_hf.parse._fold import fold
from mrarebench_hf.parse._item import name_of
from mrarebench_hf.parse._json_list import json_items
from mrarebench_hf.parse._lines import Line, best_run, inline_items, read_lines
from mrarebench_hf.parse._no_answer import heads_advice, is_advice, is_error_text, is_placeholder, refuses
from mrarebench_hf.parse._prose import prose_items
from mrarebench_hf.parse._protocol_list import MAX_CANDIDATES, protocol_list, protocol_ten
from mrarebench_hf.parse._sections import main_diagnosis, under_sections
from mrarebench_hf.parse._structured import lines_from_markup, table_items
from mrarebench_hf.parse._thinking import after_thinking

__all__ = [
    "MAX_CANDIDATES",
    "RankedList",
    "candidate_key",
    "fold_repeats",
    "protocol_list",
    "protocol_ten",
    "strict_list",
]

_ANSWER_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
# The form that prompts ask for, with nothing in it to cut or to decide; most replies of most models are of it.
_AS_ASKED = re.compile(r"(?:\d{1,2}[.)] [^\W\d_](?:[\w'’-]*\w)?(?: \w(?:[\w'’-]*\w)?)*(?:\n|$))+")
_TO_DECIDE = ("_", " or ", " vs ", " versus ", " because ", " but ", " however ", " than ", " instead of ")
# A key of JSON or a column of a table that says that diagnoses follow.
_NAMES_DIAGNOSES = re.compile(
    r'"[\w -]{0,30}(?:diagnos|differential|disease|condition|诊断)[\w -]{0,30}"\s{0,9}:'
    r"|\|[ *]{0,9}(?:(?:possible|likely|differential|candidate|suspected) )?"
    r"(?:diagnos|disease|condition|disorder|疾病|诊断)",
    re.IGNORECASE,
)
_COUNT = [str(number) for number in range(1, 100)]
_NUMBERED = ("number", "circled", "chinese", "decimal", "roman", "letter", "spaced")


@dataclass(frozen=True, slots=True)
class RankedList:
    """What a careful reading of a reply gives.

    Attributes:
        candidates: names of diagnoses, best first, at most ten, explanations cut off.
        reason: why there is no candidate ("empty", "unclosed_thinking", "refusal", "error_text", "placeholder",
            "no_list"); None when there is one.
        refusal: whether the reply declines to diagnose.
    """

    candidates: tuple[str, ...]
    reason: str | None
    refusal: bool


def strict_list(text: str) -> RankedList:
    """Candidates of a reply as a careful reader would take them down.

    The answer is what follows the thinking; in it the list is the last long numbered run (numbers, letters and numerals
    in any usual dress, also within a line), else JSON, a table, bullets after a header, bare lines or a sentence.
    Explanations are cut from the names, repeats merged after folding, ten kept. A reply without an answer gives none
    and says why; refusals, error messages and placeholders are no candidates.
    Source: specification section 4 "Strict should", field report BR-16.

    >>> strict_list("Here is my list:\\n- **Fabry disease**: skin and kidney\\n- Gout").candidates
    ('Fabry disease', 'Gout')
    >>> strict_list("<think>1. Fabry disease").reason
    'unclosed_thinking'
    """
    answer = after_thinking(text)
    if answer.unclosed:
        return _none("unclosed_thinking")
    if not answer.text:
        return _none("empty")
    as_asked = _as_asked(answer.text)
    if as_asked:
        return _result(as_asked, "placeholder", marked=True)
    if is_error_text(answer.text):
        return _none("error_text")
    items, marked = _items(_within_answer_tag(answer.text))
    if refuses(answer.text):
        if not marked or _is_advised(answer.text, items):
            return RankedList((), "refusal", True)
        items = [item for item in items if not is_advice(item) and not refuses(item)]
    return _result([name_of(item) for item in items], "placeholder" if items else "no_list", marked=marked)


def fold_repeats(names: Iterable[str]) -> tuple[str, ...]:
    """Drop names without a letter or digit and repeats of equal names (the first stays), and keep ten.

    >>> fold_repeats(["Sjögren syndrome", "Sjogren's syndrome", "-", "Gout"])
    ('Sjögren syndrome', 'Gout')
    """
    kept: dict[str, str] = {}
    for name in names:
        key = fold(name)
        if key:
            kept.setdefault(key, name)
            if len(kept) == MAX_CANDIDATES:
                break
    return tuple(kept.values())


def _none(reason: str) -> RankedList:
    return RankedList((), reason, False)


def _result(names: Sequence[str], otherwise: str, *, marked: bool) -> RankedList:
    """Candidates without placeholders; in a marked list "Unknown" keeps its place, so that what follows gains none."""
    empty = [is_placeholder(name) for name in names]
    if all(empty):
        return _none(otherwise)
    pairs = zip(names, empty, strict=True)
    kept = fold_repeats(name for name, nothing in pairs if not nothing or (marked and any(map(str.isalpha, name))))
    return RankedList(kept, None if kept else otherwise, False)


def _is_advised(text: str, items: Sequence[str]) -> bool:
    """Whether what a refusing reply lists is advice: by the line before it, or item by item."""
    before = text[: max(text.find(items[0]), 0)].rstrip(" \t\r\n0123456789.)(*-•") if items else ""
    return heads_advice(before.rpartition("\n")[2]) or all(is_advice(item) or refuses(item) for item in items)


def _as_asked(text: str) -> list[str]:
    """Names of a reply in exactly the form asked for, numbered from 1; empty for any other."""
    if not _AS_ASKED.fullmatch(text):
        return []
    lowered = text.lower()
    if any(words in lowered for words in _TO_DECIDE):
        return []
    halves = [line.split(" ", 1) for line in text.split("\n")]
    counted = [number[:-1] for number, _ in halves] == _COUNT[: len(halves)]
    return [name for _, name in halves] if counted else []


def _within_answer_tag(text: str) -> str:
    """The last complete ``<answer>`` block, or what follows one left open; the whole text without any."""
    opened, block = -1, None
    for tag in _ANSWER_TAG.finditer(text):
        if not tag[1]:
            opened = tag.end()
        elif opened >= 0:
            block, opened = text[opened : tag.start()], -1
    if block is not None and block.strip():
        return block
    return text[opened:] if opened >= 0 else text


def _items(text: str) -> tuple[Sequence[str], bool]:
    """Items of the list in a text, and whether anything marked them as items."""
    found = json_items(text) if "[" in text or "{" in text else None
    if found is None and "|" in text:
        found = table_items(text)
    if found is not None and _NAMES_DIAGNOSES.search(text):
        return found, True
    lines = read_lines(lines_from_markup(text))
    if found is not None:
        # The data themselves are no header of the list that follows them.
        lines = [replace(line, text="") if line.style == "plain" and '"' in line.text else line for line in lines]
        numbered = max((best_run(lines, style, answering=True) for style in _NUMBERED), key=len)
        return (numbered if len(numbered) > 1 else found), True
    found = _marked(under_sections(lines))
    if not found:
        return prose_items(lines), False
    main = main_diagnosis(lines, found)
    names = {fold(name_of(item)) for item in found} if main else set()
    return ([main, *found] if main and fold(name_of(main)) not in names else found), True


def candidate_key(name: str) -> str:
    """The name under which equal candidates of different answers are one.

    >>> candidate_key("Fabry  Disease")
    'fabry disease'
    """
    return " ".join(name.split()).casefold()


def _marked(lines: Sequence[Line]) -> list[str]:
    runs = [best_run(lines, style) for style in _NUMBERED]
    numbered = max(runs, key=lambda run: min(len(run), MAX_CANDIDATES))
    if len(numbered) < 2:
        within = max((inline_items(line.whole) for line in lines), key=len, default=[])
        if len(within) > len(numbered):
            return within
    bullets = best_run(lines, "bullet")
    return bullets if len(numbered) < 2 <= len(bullets) else numbered or bullets
