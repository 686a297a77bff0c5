"""Stage score, T1: the published protocol's test whether a candidate names the reference, kept exactly.

In: a candidate and the reference's names. Out: how it hits, or None. Headline numbers use this rule; it credits
"e" for almost any disease and "AS" inside "vasculitis", which is why a strict rule stands beside it.
Source: specification of the published benchmark, section 5.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["ProtocolNames", "normalise", "protocol_names"]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_PUNCTUATION_BYTES = string.punctuation.encode("ascii")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_ARTICLES = frozenset(("a", "an", "the"))


def normalise(name: str) -> str:
    """Lower-case, delete ASCII punctuation and standalone articles, collapse white space; no Unicode folding.

    >>> normalise("The Niemann-Pick disease, type A")
    'niemannpick disease type'
    """
    if name.isascii() and name.isprintable():
        words = name.encode("ascii").translate(None, _PUNCTUATION_BYTES).lower().decode("ascii").split()
        return " ".join(words if _ARTICLES.isdisjoint(words) else [word for word in words if word not in _ARTICLES])
    # Other scripts' punctuation and control characters make word boundaries that white space does not show.
    return " ".join(_ARTICLE.sub(" ", name.lower().translate(_PUNCTUATION)).split())


@lru_cache(maxsize=16_384)
def _form(name: str) -> tuple[str, frozenset[str]]:
    form = normalise(name)
    return form, frozenset(form.split())


@dataclass(frozen=True, slots=True)
class ProtocolNames:
    """A reference's names in normal form, made once per reference.

    Attributes:
        forms: normal form and its distinct words, one per name that has a non-empty form.
        joined: all forms on one line each; a candidate's form stands in it exactly when it stands in one of them.
        words: all words of all forms; a candidate that shares none has no word overlap with any.
    """

    forms: tuple[tuple[str, frozenset[str]], ...]
    joined: str
    words: frozenset[str]

    def hit(self, candidate: str) -> str | None:
        """How a candidate hits: "equal", "contained" (either way, as characters), "overlap" (F1 ≥ 0.6) or None."""
        form, words = _form(candidate)
        if not form:
            return None
        if form in self.joined:
            return self._equal_or_contained(form)
        for name, _ in self.forms:
            if name in form:
                return self._equal_or_contained(form)
        if self.words.isdisjoint(words):
            return None
        for _, others in self.forms:
            # Token-set F1 = 2·|shared| / (|a| + |b|) ≥ 0.6, in whole numbers so that the edge is exact.
            if 10 * len(words & others) >= 3 * (len(words) + len(others)):
                return "overlap"
        return None

    def _equal_or_contained(self, form: str) -> str:
        return "equal" if any(name == form for name, _ in self.forms) else "contained"


def protocol_names(names: Sequence[str]) -> ProtocolNames:
    """Prepare a reference's names (answer and aliases); names that normalise to nothing can never be hit.

    >>> protocol_names(["Ankylosing spondylitis", "AS"]).hit("vasculitis")
    'contained'
    """
    forms = dict.fromkeys(form for form in map(normalise, names) if form)
    split = tuple((form, frozenset(form.split())) for form in forms)
    return ProtocolNames(split, "\n".join(forms), frozenset(word for _, words in split for word in words))
