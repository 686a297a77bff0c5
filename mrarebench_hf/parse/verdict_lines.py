"""Stage parse, judges: a reply with one YES or NO a line in, the verdicts out, by two readings.

The strict reading takes a reply only when every verdict is there and nothing is in doubt. The protocol's reading cuts
and pads, as the published harness does; it is kept to read recorded replies as that harness would, never for scores.
Source: specification of the published benchmark, section 9.
"""

from __future__ import annotations

import re
import unicodedata

from mrarebench_hf.errors import ReplyError

__all__ = ["protocol_verdicts", "strict_lines"]

_WORD = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
_NUMBER = r"(?:(?:line|point|question)\s{0,3})?\W{0,3}(?P<before>\d{1,4})\s{0,3}[\])}.:,、|-]{0,3}"
_VERDICT = re.compile(
    rf"\W{{0,6}}(?:{_NUMBER})?\W{{0,6}}(?P<word>yes|no|是|否)\W{{0,3}}"
    r"(?:\((?P<after>\d{1,4})\)\W{0,3})?(?:\s[-:]\s.*|\(.*)?",
    re.IGNORECASE,
)
_YES = {"yes", "是"}
_DASHES = str.maketrans("–—−：", "---:")
_TOTAL = re.compile(r"\W{0,4}(?:overall|in total|total|summary|in summary)\b", re.IGNORECASE)
_DOUBT = re.compile(r"\b(?:yes|no)\b|是|否", re.IGNORECASE)


def protocol_verdicts(reply: str, n: int) -> list[int]:
    """The published harness's reading: per line the first whole word yes or no, other lines skipped.

    What is too much is cut, what is missing is 0; so a preamble with a "no" shifts every verdict.

    >>> protocol_verdicts("No problem:\\nYES", 3)
    [0, 1, 0]
    """
    words = [found[1].lower() for line in reply.splitlines() if (found := _WORD.search(line))]
    verdicts = [int(word == "yes") for word in words[:n]]
    return verdicts + [0] * (n - len(verdicts))


def strict_lines(text: str, n: int) -> list[bool]:
    """Exactly n verdicts, one a line: all numbered (then in any order), or none.

    Fences, blank lines, headings that end in a colon, and prose before and after the verdicts do not matter, unless
    they hold a yes or a no of their own; a last line "Overall: …" may.

    Raises:
        ReplyError: for any other number of verdicts, a number that is unknown or comes twice, or a line in doubt.

    >>> strict_lines("Verdicts:\\n2. NO\\n1. YES - stated", 2)
    [True, False]
    """
    found = _verdict_lines(text)
    verdicts = [word in _YES for word, _ in found]
    if len(found) != n:
        reason = "no_verdicts" if not found else "too_few_verdicts" if len(found) < n else "too_many_verdicts"
        raise ReplyError(reason, f"{len(found)} verdicts for {n} questions")
    numbers = [number for _, number in found if number is not None]
    if not numbers:
        return verdicts
    if len(numbers) != n:
        raise ReplyError("mixed_numbering", "some lines have a number and some have none")
    by_number = dict(zip(numbers, verdicts, strict=True))
    if sorted(by_number) != list(range(1, n + 1)):
        raise ReplyError("wrong_numbers", f"the lines are numbered {numbers[:20]}, not each of 1 to {n} once")
    return [by_number[number] for number in range(1, n + 1)]


def _verdict_lines(text: str) -> list[tuple[str, int | None]]:
    """Per verdict its word and number; raises for a line that could be a verdict and is not one for sure."""
    found: list[tuple[str, int | None]] = []
    strangers: list[str] = []
    for line in unicodedata.normalize("NFKC", text).translate(_DASHES).splitlines():
        line = line.strip()
        if not line.strip("`*#-_= ") or line.startswith("```"):
            continue
        verdict = _VERDICT.fullmatch(line)
        if verdict is None:
            if _DOUBT.search(line) and not (found and _TOTAL.match(line)):
                raise ReplyError("line_in_doubt", f"the line {line[:60]!r} may be a verdict or not")
            if found and not line.endswith(":"):
                strangers.append(line)
            continue
        if strangers:
            raise ReplyError("line_in_doubt", f"the line {strangers[0][:60]!r} stands between verdicts")
        number = verdict["before"] or verdict["after"]
        found.append((verdict["word"].lower(), int(number) if number else None))
    return found
