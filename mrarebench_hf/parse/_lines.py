"""Stage parse, T1: the lines of a reply, and the numbered or bulleted run among them that is the ranked list.

In: plain text. Out: the items of the list that a reader would take as the answer. Of several runs that of the list
of diagnoses counts, not that of the reasoning or of the next steps; sub-items belong to the item above them.
A countdown ("10. … 1. …") is read by its printed numbers, every other run in the order of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

__all__ = ["Line", "best_run", "inline_items", "read_lines"]

# Each alternative takes one character, so the prefix is read in one pass; "**" and "*word" are emphasis, not bullets.
_PREFIX = re.compile(r"(\s*)((?:[>#•·●▪◦‣○+\-–\s]|\*(?=\s))*)")
_BULLETS = frozenset("•·●▪◦‣○+-–*")
_NUMBER = re.compile(
    r"[*_]{0,3}(?P<label>(?:rank|diagnosis|dx|no\.|number|option|candidate|disease|诊断) ?#?)?"
    r"(?:[(（\[]?(?P<n>\d{1,2})(?:\.(?P<sub>\d{1,2})(?=\s))?(?:st|nd|rd|th)?"
    r"(?P<sep>\\?[*_]{0,2}[.):：、．）\]]{1,2}|\ufe0f?\u20e3|\s*[-–—](?=\s)|\s+(?=\S)|(?=\s*$)))",
    re.IGNORECASE,
)
_CIRCLED = re.compile(r"([①-⑳])")
_CHINESE = re.compile(r"([一二三四五六七八九十]{1,2})[、．.）)]")
_LETTERED = re.compile(r"[(（]?([A-Za-z]{1,5})[.)）]\s+")
_INLINE = re.compile(r"(?:^|(?<=[\s;,*；，、]))[*_]{0,2}[(（]?(\d{1,2})[.)）、．]\s*(?=\S)")
_ROMAN_ORDER = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")
_CHINESE_ORDER = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_ASIDE = re.compile(
    r"next step|recommend|work-?up|investigat|reasoning|rationale|finding|feature|evidence|management|treatment|test"
    r"|\bnote|analysis|\bplan\b|symptom|observ|\bsteps?\b|follow|key |explanation|reference|下一步|建议|分析",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"\b(?:tests?|testing|biopsy|mri|ct|x-?ray|ultrasound|blood (?:count|tests?|work)|count|panel|sequencing|assay"
    r"|imaging|consult(?:ation)?|refer(?:ral)?|obtain|perform|order|check|measure|monitor|follow-?up|levels?)\b",
    re.IGNORECASE,
)
_WANTED = re.compile(r"diagnos|differential|ranked|ranking|\blist\b|answer|candidate|诊断|如下", re.IGNORECASE)
_TIER = re.compile(r"\W*(?:most|more|less|least|other|additional|also|highly|moderately|unlikely)\b", re.IGNORECASE)
_SHORT_HEADER = 8
_ENOUGH = 10


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a reply.

    Attributes:
        style: how it is marked: "number", "bullet", …, "heading" or "plain".
        number: the number it is marked with, 0 for none.
        indent: how far in it stands.
        text: what follows the mark.
        whole: the same with the number, for when it turns out to be no mark.
    """

    style: str
    number: int
    indent: int
    text: str
    whole: str


@dataclass(slots=True)
class _Run:
    style: str
    indent: int
    header: str
    items: list[Line] = field(default_factory=list)

    def takes(self, line: Line) -> bool:
        numbers = [item.number for item in self.items[-2:]]
        last = numbers[-1]
        if self.style == "bullet" or line.number > last:
            return line.number - last < _ENOUGH and not (len(numbers) > 1 and numbers[0] > last)
        same = line.number == last and (len(numbers) < 2 or numbers[0] == last)
        return same or (line.number == last - 1 and (len(numbers) < 2 or numbers[0] > last))

    @property
    def plausible(self) -> bool:
        """Weak marks ("1 X", "A. X") are marks only when they count from the start."""
        if self.style in ("number", "bullet", "circled"):
            return True
        return len(self.items) > 1 and [item.number for item in self.items[:2]] in ([1, 2], [0, 1])

    @property
    def texts(self) -> list[str]:
        numbers = [item.number for item in self.items]
        countdown = len(numbers) > 2 and numbers[-1] == 1 and numbers[0] > numbers[1]
        return [item.text for item in (reversed(self.items) if countdown else self.items)]


def read_lines(text: str) -> list[Line]:
    """The lines of a text that hold a letter or digit.

    >>> [(line.style, line.number, line.text) for line in read_lines("1. Fabry disease")]
    [('number', 1, 'Fabry disease')]
    """
    lines = [_read(line) for line in text.splitlines() if any(map(str.isalnum, line))]
    if any(line.style == "roman" and line.number == 2 for line in lines):
        return lines
    # "i." and "v." are letters of an alphabet unless "ii." tells that the marks are numerals.
    return [_as_letter(line) if line.style == "roman" else line for line in lines]


def best_run(lines: Sequence[Line], style: str, *, answering: bool = False) -> list[str]:
    """Items of the run of lines so marked that is the list asked for; empty without one.

    With ``answering``, runs of findings, reasons, tests and steps are not taken even where there is no other.

    >>> best_run(read_lines("Steps:\\n1. Biopsy\\nDiagnoses:\\n1. Fabry disease\\n2. Gout"), "number")
    ['Fabry disease', 'Gout']
    """
    runs = [run for run in _runs(lines, style) if run.plausible]
    answers = [run for run in runs if not _is_aside(run)] or ([] if answering else runs)
    if not answers:
        return []
    if len(answers) > 1 and _parallel([run.header for run in answers]):
        return [text for run in answers for text in run.texts]
    wanted = [run for run in answers if _WANTED.search(run.header)] or answers
    longest = max(min(len(run.items), _ENOUGH) for run in wanted)
    return next(run.texts for run in reversed(wanted) if min(len(run.items), _ENOUGH) == longest)


def inline_items(text: str) -> list[str]:
    """Items of a list numbered within a line ("1. X 2. Y"), counting from 0 or 1; empty with fewer than two.

    >>> inline_items("Ranked: 1) Fabry disease, 2) Gout")
    ['Fabry disease,', 'Gout']
    """
    marks: list[re.Match[str]] = []
    for mark in _INLINE.finditer(text):
        number = int(mark[1])
        if (marks and number == int(marks[-1][1]) + 1) or (not marks and number in (0, 1)):
            marks.append(mark)
    if len(marks) < 2:
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]


def _read(line: str) -> Line:
    prefix = _PREFIX.match(line.strip("\u200b\ufeff"))
    assert prefix is not None
    indent = len(prefix[1].expandtabs(4))
    rest = prefix.string[prefix.end() :].rstrip()
    for read in (_read_number, _read_symbol, _read_letters):
        found = read(rest, indent)
        if found is not None:
            return found
    style = "heading" if "#" in prefix[2] else "plain" if _BULLETS.isdisjoint(prefix[2]) else "bullet"
    return Line(style, 0, indent, rest, rest)


def _read_number(rest: str, indent: int) -> Line | None:
    match = _NUMBER.match(rest)
    if match is None:
        return None
    weak = not match["sep"].strip() and not match["label"] and bool(match["sep"])
    style = "decimal" if match["sub"] else "spaced" if weak else "number"
    return Line(style, int(match["n"]), indent, rest[match.end() :].strip(), rest)


def _read_symbol(rest: str, indent: int) -> Line | None:
    circled = _CIRCLED.match(rest)
    if circled:
        return Line("circled", int(unicodedata.numeric(circled[1])), indent, rest[1:].strip(), rest)
    chinese = _CHINESE.match(rest)
    if chinese and chinese[1] in _CHINESE_ORDER:
        return Line("chinese", _CHINESE_ORDER.index(chinese[1]) + 1, indent, rest[chinese.end() :].strip(), rest)
    return None


def _read_letters(rest: str, indent: int) -> Line | None:
    match = _LETTERED.match(rest)
    if match is None:
        return None
    mark, text = match[1].lower(), rest[match.end() :].strip()
    if mark in _ROMAN_ORDER:
        return Line("roman", _ROMAN_ORDER.index(mark) + 1, indent, text, rest)
    return Line("letter", ord(mark) - ord("a") + 1, indent, text, rest) if len(mark) == 1 else None


def _as_letter(line: Line) -> Line:
    mark = _ROMAN_ORDER[line.number - 1]
    return replace(line, style="letter", number=ord(mark) - ord("a") + 1) if len(mark) == 1 else line


def _runs(lines: Sequence[Line], style: str) -> list[_Run]:
    runs: list[_Run] = []
    header = ""
    for line in lines:
        run = runs[-1] if runs else None
        if line.style != style:
            if line.style in ("plain", "heading") and (run is None or line.indent <= run.indent):
                header = f"{line.text}:" if line.style == "heading" else line.text
            continue
        if run is not None and line.indent > run.indent + 1 and not header:
            continue
        restarts = run is not None and line.number <= run.items[-1].number
        if run is not None and run.takes(line) and not (restarts and _opens_a_list(header)):
            run.items.append(line)
        else:
            runs.append(_Run(style, line.indent, header, [line]))
        header = ""
    return runs


def _opens_a_list(header: str) -> bool:
    return header.rstrip("*_ ").endswith((":", "："))


def _is_aside(run: _Run) -> bool:
    if _WANTED.search(run.header):
        return False
    short = len(run.header.split()) <= _SHORT_HEADER
    tasks = sum(_TASK.search(item.text) is not None for item in run.items)
    return (short and bool(_ASIDE.search(run.header))) or 2 * tasks > len(run.items)


def _parallel(headers: Sequence[str]) -> bool:
    """Whether headers name the parts of one list: "Group A" and "Group B", "Most likely" and "Less likely"."""
    if not all(headers):
        return False
    return len({header.split()[0].lower() for header in headers}) == 1 or all(map(_TIER.match, headers))
