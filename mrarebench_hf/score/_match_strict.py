"""Stage score, T1: a careful test whether a candidate names the reference.

In: a candidate and the reference's names. Out: how it hits and which name, or None. Two names agree when their words
agree after folding; what may differ is listed here: the order of words, the spacing, an omitted head word
("disease"), and on the candidate's side words of certainty ("possible", "suspected"). Everything else,
subtype letters and numbers above all, must be equal, so that no type merges with another and nothing matches inside
a word. All rules are look-ups by key, so a candidate costs the same whatever the number of names.
Source: specification section 5 "Strict", field report BR-24.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from mrarebench_hf.parse._fold import fold

__all__ = ["StrictHit", "StrictNames", "strict_names"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Head words say that something is an illness, not which one. "Cushing disease" is not "Cushing syndrome", so they may
# be missing on one side but not differ.
_HEADS = {"disease": "disease", "disorder": "disease", "condition": "disease", "syndrome": "syndrome"} | {
    "complex": "complex"
}
_FILLERS = frozenset(("type", "subtype"))
# Words of certainty alone. Grades, ages and sides are part of names: "severe combined immunodeficiency", "adult-onset
# Still disease" and "atypical hemolytic uremic syndrome" are diseases of their own.
_HEDGES = _words(
    "possible possibly probable probably likely suspected suspicious presumed presumptive definite case of unspecified"
)
_GRADES = _words(
    "typical atypical classic classical early late adult onset mild moderate severe advanced active variant form "
    "phenotype presentation manifestation related left right bilateral unilateral"
)
_GENERIC = (
    _words(
        "acquired acute autoimmune benign cancer chronic congenital deficiency familial genetic hereditary idiopathic "
        "infection infectious inflammation inflammatory inherited juvenile infantile lesion malignancy malignant mass "
        "metabolic neoplasm neoplastic primary progressive rare secondary sporadic systemic tumor unknown none normal "
        "other and with due to in by or an the"
    )
    | frozenset(_HEADS)
    | _FILLERS
    | _HEDGES
    | _GRADES
)
_SHORT = 4
_DISTINCTIVE = 5
_SPACELESS = 8
_UMLAUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_ALSO = re.compile(
    r"\W*(?:also (?:known as|called)|a\.?k\.?a\.?|formerly(?: known as)?|syn(?:onym)?s?\.?)\W+", re.IGNORECASE
)
_NARROWING = _FILLERS | _words("variant form phenotype")
_PUNCTUATION = (",", ";", ":", "-", "–", "—", ".")
_ACRONYM = re.compile(r"[A-Z0-9][A-Za-z0-9-]{1,9}")
_PARENTHESIS = re.compile(r"([^()]*)\(([^()]*)\)([^()]*)")
_INITIALS = re.compile(r"\b[A-Z](?:-[A-Z])+\b")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class StrictHit:
    """A strict hit: its kind ("exact", "spacing", "reworded", "qualified") and the reference's name it agrees with."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    cased: str | None
    heads: frozenset[str]


@dataclass(frozen=True, slots=True)
class StrictNames:
    """A reference's names as keys to look candidates up by, made once per reference.

    Attributes:
        exact: by folded name.
        spaceless: by folded name without spaces, where that is long enough to be safe.
        cores: by the sorted words other than head words.
        anchors: the longest word of each core; a candidate without any of them has none of the cores.
    """

    exact: dict[str, _Entry]
    spaceless: dict[str, _Entry]
    cores: dict[str, tuple[_Entry, ...]]
    anchors: frozenset[str]

    def hit(self, candidate: str) -> StrictHit | None:
        """How a candidate hits, or None; a name in parentheses after it is read as its other name."""
        if "(" not in candidate:
            return self._hit(candidate)
        hits = map(self._hit, _readings(candidate))
        return next((hit for hit in hits if hit is not None), None)

    def _hit(self, reading: str) -> StrictHit | None:
        full, spaceless, words = _form(reading)
        entry = self.exact.get(full)
        if entry is not None and _case_agrees(entry, reading):
            return StrictHit("exact", entry.name)
        entry = self.spaceless.get(spaceless)
        if entry is not None and _case_agrees(entry, reading):
            return StrictHit("spacing", entry.name)
        if self.anchors.isdisjoint(words):
            return None
        keys = _keys(full)
        for kind, core in (("reworded", keys.core), ("qualified", keys.unhedged)):
            for entry in self.cores.get(core, ()):
                nested = keys.heads <= entry.heads or entry.heads <= keys.heads
                if nested and _case_agrees(entry, reading):
                    return StrictHit(kind, entry.name)
        return None


@dataclass(frozen=True, slots=True)
class _Keys:
    core: str
    unhedged: str
    heads: frozenset[str]


@lru_cache(maxsize=16_384)
def strict_names(names: tuple[str, ...]) -> StrictNames:
    """Prepare a reference's names; names made only of generic words, single letters or digits can never be hit.

    >>> gold = strict_names(("Neurofibromatosis type 1", "NF1"))
    >>> gold.hit("Neurofibromatosis type I"), gold.hit("Neurofibromatosis type 2")
    (StrictHit(kind='exact', name='Neurofibromatosis type 1'), None)
    """
    exact: dict[str, _Entry] = {}
    spaceless: dict[str, _Entry] = {}
    cores: dict[str, tuple[_Entry, ...]] = {}
    for name, spelling in _spellings(names):
        full = fold(spelling)
        if all(map(_is_generic, full.split())) and not _INITIALS.search(spelling):
            continue
        keys, spaceless_key = _keys(full), full.replace(" ", "")
        cased = _case_bound(spelling, spaceless_key)
        entry = _Entry(name, cased, keys.heads)
        exact.setdefault(full, entry)
        if cased or len(spaceless_key) >= _SPACELESS or _has_digit_and_letter(spaceless_key):
            spaceless.setdefault(spaceless_key, entry)
        safe = _distinctive(keys.core) or _has_digit_and_letter(keys.core)
        if not safe and not cased:
            entry = replace(entry, cased=_proper_name(spelling, keys.core))
        if safe or entry.cased:
            cores[keys.core] = (*cores.get(keys.core, ()), entry)
    return StrictNames(exact, spaceless, cores, frozenset(max(core.split(), key=len) for core in cores))


def _spellings(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        for reading in _readings(name) if "(" in name else (name,):
            yield name, reading
        spelled_out = name.translate(_UMLAUT)
        if spelled_out != name:
            yield name, spelled_out


def _keys(full: str) -> _Keys:
    words = full.split()
    heads = frozenset([_HEADS[word] for word in words if word in _HEADS])
    core = sorted([word for word in words if word not in _HEADS and word not in _FILLERS])
    unhedged = core if _HEDGES.isdisjoint(core) else [word for word in core if word not in _HEDGES]
    return _Keys(" ".join(core), " ".join(unhedged), heads)


@lru_cache(maxsize=16_384)
def _form(reading: str) -> tuple[str, str, tuple[str, ...]]:
    full = fold(reading)
    return full, full.replace(" ", ""), tuple(full.split())


def _readings(name: str) -> Iterator[str]:
    """The whole of a name; of "X (Y)" also X unless Y narrows it to a subtype, and Y where it is X by another name.

    A rank holds one diagnosis: a Y that is not seen to be another name of X is an explanation, not a second guess.
    """
    match = _PARENTHESIS.match(name)
    if match is None:
        yield name
        return
    before, inside, after = match.groups()
    also = _ALSO.match(inside)
    if also:
        inside = inside[also.end() :]
    if after.lstrip()[:1] in _PUNCTUATION:
        after = ""
    yield f"{before} {inside} {after}"
    outside = f"{before} {after}"
    words = fold(inside).split()
    narrows = bool(words) and (words[0] in _FILLERS or words[-1] in _NARROWING or all(map(_is_generic, words)))
    if not narrows:
        yield outside
    if also or _same_disease(inside.strip(), outside.strip()):
        yield inside


def _same_disease(inside: str, outside: str) -> bool:
    """Whether two names are seen to be one: either is an acronym of the other, or only one is in Latin letters."""
    latin = any(c.isascii() and c.isalpha() for c in outside)
    return not latin or _is_acronym_of(inside, outside) or _is_acronym_of(outside, inside)


def _is_acronym_of(short: str, name: str) -> bool:
    """Whether a short word in capitals has letters that stand in a name in this order, from its first one on."""
    if not _ACRONYM.fullmatch(short) or sum(map(str.isupper, short)) < 2:
        return False
    letters = iter(fold(name).replace(" ", ""))
    wanted = fold(short).replace(" ", "")
    return fold(name)[:1] == wanted[:1] and all(letter in letters for letter in wanted)


def _is_generic(word: str) -> bool:
    return word in _GENERIC or _says_nothing(word)


def _says_nothing(word: str) -> bool:
    """Single ASCII letters and numbers (with or without a letter) tell subtypes apart but name nothing alone."""
    return word.isdecimal() or word[:-1].isdecimal() or (len(word) == 1 and word.isascii())


def _has_digit_and_letter(compact: str) -> bool:
    return any(c.isdecimal() for c in compact) and any(c.isalpha() for c in compact)


def _distinctive(core: str) -> bool:
    words = [word for word in core.split() if not _is_generic(word)]
    return sum(map(len, words)) >= _DISTINCTIVE or any(not word.isascii() for word in words)


def _case_bound(name: str, spaceless: str) -> str | None:
    """The characters of a short acronym whose case must agree ("AS" is not "as"); None for other names."""
    compact = "".join(_WORD.findall(name))
    if len(spaceless) > _SHORT or not spaceless.isalpha() or not any(c.isupper() for c in compact[1:]):
        return None
    return compact


def _proper_name(name: str, core: str) -> str | None:
    """The one word of a name that is no head word, if it is an acronym ("NARP syndrome") or a name ("Pick disease")."""
    words = [word for word in _WORD.findall(name) if fold(word) == core]
    capitals = sum(map(str.isupper, words[0])) if len(words) == 1 and words[0][0].isupper() else 0
    return words[0] if capitals > 1 or (capitals and len(core) == _SHORT) else None


def _case_agrees(entry: _Entry, reading: str) -> bool:
    if entry.cased is None:
        return True
    words = _WORD.findall(unicodedata.normalize("NFKC", reading))
    words.append("".join(words))
    if len(entry.cased) > _SHORT:
        words = [word.upper() for word in words]
    return bool({entry.cased, entry.cased.upper()}.intersection(words))
