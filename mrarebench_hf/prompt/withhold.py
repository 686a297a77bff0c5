"""Stage prompt: a text that names what is to be withheld in, the text without it out; and the check that it is gone."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["WITHHELD", "leaks", "statement_of", "without_diagnosis", "without_name"]

WITHHELD = "[diagnosis withheld]"

_STATEMENT = r"\A[\s*_#>]*established\s+diagnosis[\s*_]*[:–—-][\s*_]*"
# Where the name is not known, the published rule: up to the first full stop, across lines.
_ACRONYM = 4
_TO_FULL_STOP = re.compile(_STATEMENT + r".*?\.\s*", re.IGNORECASE | re.DOTALL)


def without_diagnosis(context: str, diagnosis: str) -> str:
    """A context without the statement of the established diagnosis at its beginning.

    The statement is taken away by the diagnosis itself, so that a full stop inside the name (``22q11.2 …``) or a
    missing one after it does not matter; upper and lower case and white space do not either. Where the statement
    does not hold the name as given, it goes up to its first full stop, as the published rule has it.

    >>> without_diagnosis("Established diagnosis: 22q11.2 deletion. A boy came.", "22q11.2 deletion")
    'A boy came.'
    >>> without_diagnosis("established diagnosis: ECD \\nA man came.", "ECD")
    'A man came.'
    """
    if diagnosis.strip():
        # What else the same sentence says of the diagnosis, as "(… deficiency)" or ", type 2", goes with it.
        literal = re.compile(_STATEMENT + _pattern(diagnosis) + r"[^.\n]*\.?\s*", re.IGNORECASE)
        stripped, n = literal.subn("", context, count=1)
        if n:
            return stripped
    return _TO_FULL_STOP.sub("", context, count=1)


def statement_of(context: str, diagnosis: str) -> str:
    """How the statement of the diagnosis is found: "named", "full_stop" (by the published rule only), or "none".

    >>> statement_of("Established diagnosis: ECD. A man came.", "Erdheim-Chester disease")
    'full_stop'
    """
    if diagnosis.strip() and re.match(_STATEMENT + _pattern(diagnosis), context, re.IGNORECASE):
        return "named"
    return "full_stop" if _TO_FULL_STOP.match(context) else "none"


def leaks(text: str, withheld: Iterable[str]) -> tuple[str, ...]:
    """Those of the withheld terms that a text holds as whole words, whatever their case and white space.

    A short acronym must agree in case.

    >>> leaks("She has ASD and Fabry\\n disease.", ["AS", "fabry disease", ""])
    ('fabry disease',)
    """
    return tuple(term for term in withheld if term.strip() and _name(term).search(text))


def without_name(text: str, diagnosis: str) -> str:
    """A text with every mention of the diagnosis replaced by a mark, so that the sentence around it still reads.

    >>> without_name("Her sister has Fabry  disease too.", "fabry disease")
    'Her sister has [diagnosis withheld] too.'
    """
    return _name(diagnosis).sub(WITHHELD, text) if diagnosis.strip() else text


def _name(term: str) -> re.Pattern[str]:
    """The name as whole words; an acronym of up to four letters in its own case, as "AS" is no "as"."""
    short = term.strip().isupper() and len(term.strip()) <= _ACRONYM
    return re.compile(_pattern(term), 0 if short else re.IGNORECASE)


def _pattern(term: str) -> str:
    words = r"\s+".join(re.escape(word) for word in term.split())
    return rf"(?<!\w){words}(?!\w)"
