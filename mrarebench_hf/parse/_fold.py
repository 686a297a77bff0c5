"""Stage parse, shared: names into a form that equal names share, whatever their accents, dashes or numerals.

In: a name as somebody wrote it. Out: lower-case words in a canonical spelling. Used to merge repeats in a ranked list
and, by the strict rule, to compare diagnoses. Source: specification section 5 "Strict", field report BR-24.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["fold"]

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
    "psi omega"
)
_GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", _GREEK_NAMES.split(" "), strict=True))
# A Greek letter between letters of other scripts is a symbol ("β-thalassemia"); between Greek ones it is a word.
_LONE_GREEK = re.compile(r"(?<![\u0370-\u03ff])[α-ω](?![\u0370-\u03ff])")
_ACCENT = re.compile(r"[\u0300-\u036f]+")
_UNLIKE_ASCII = str.maketrans(
    dict.fromkeys("‘’‚‛′ʼ`´＇", "'")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f\u20e3")
    | {"ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ı": "i", "þ": "th", "ð": "d"}
    | {"æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe"}
)
# Lower case, and everything but letters and digits to spaces, in one pass over ASCII bytes.
_TO_WORDS = bytes(ord(chr(code).lower()) if chr(code).isalnum() else 32 for code in range(128)) + b" " * 128
_POSSESSIVE = re.compile(r"(?<=\w)'s\b|(?<=s)'(?!\w)", re.IGNORECASE)
_JOINED_NUMBER = re.compile(r"([a-z]{2,})(\d+[a-z]?)")
# "GSDII", "MPSIVa", "GSDIa": an acronym with its number; capitals tell it among small letters or alone.
_JOINED_NUMERAL = re.compile(r"\b([A-Z]{1,4}[A-HJ-UWYZ])((?:III?|IV|VI{1,3}|IX)[A-Fa-f]?|I[a-d])\b")
_ROMAN_NUMERALS = "i ii iii iv v vi vii viii ix - xi xii xiii xiv xv xvi xvii"
_ROMAN = {roman: str(number) for number, roman in enumerate(_ROMAN_NUMERALS.split(" "), 1) if roman != "-"}
_ROMAN |= {
    f"{roman}{letter}": f"{_ROMAN[roman]}{letter}"
    for roman in ("ii", "iii", "iv", "vii", "viii", "ix")
    for letter in "abcdef"
}
# Only after such a word is a lone "x" a number; only there or at the end of a name is "ia" a numeral with a letter.
_BEFORE_NUMBER = frozenset(("type", "subtype", "stage", "grade", "group", "class", "factor"))
_WITH_LETTER = {f"{r}{s}": f"{_ROMAN[r]}{s}" for r in ("i", "v", "vi") for s in "abcdef"}
_AFTER_TYPE = {"x": "10"} | _WITH_LETTER
_SPELLINGS = (("ae", "e"), ("oe", "e"), ("our", "or"), ("leuc", "leuk"), ("sulph", "sulf"), ("fibre", "fiber"))
_BRITISH_S = re.compile(r"(?<=[iy])s(?=(?:e|ed|es|ing|ation|ations)$)")
_ARTICLES = ("a", "an", "the")
_LEADING_ARTICLE = re.compile(r"\s*(?:an?|the)\s+(?=\S)", re.IGNORECASE)


@lru_cache(maxsize=16_384)
def fold(name: str) -> str:
    """Canonical words of a name, separated by single spaces; a name of punctuation gives an empty string.

    Compatibility forms, accents, quotes, dashes, Greek letters, possessives, plurals, British spellings and Roman
    numerals are unified; a leading article and every "the" are dropped, an "a" that names a subtype stays.

    >>> fold("Sjögren’s syndrome"), fold("α1-Antitrypsin"), fold("Hemophilia A"), fold("MPS II")
    ('sjogren syndrome', 'alpha 1 antitrypsin', 'hemophilia a', 'mps 2')
    """
    text = name
    if "I" in text and not (text.isupper() and " " in text):
        text = _JOINED_NUMERAL.sub(r"\1 \2", text)
    if not text.isascii():
        text = _to_ascii(text)
    if "'" in text:
        text = _POSSESSIVE.sub("", text)
    words = _split(text)
    if words and words[0] in _ARTICLES and _LEADING_ARTICLE.match(text):
        del words[0]
    if "the" in words:
        words = [word for word in words if word != "the"]
    words = [_canonical(word) for word in words]
    if len(words) > 1 and words[-1] in _WITH_LETTER:
        words[-1] = _WITH_LETTER[words[-1]]
    return " ".join(words if _BEFORE_NUMBER.isdisjoint(words) else _after_type(words))


def _split(text: str) -> list[str]:
    if text.isascii():
        return text.encode("ascii").translate(_TO_WORDS).decode("ascii").split()
    # A combining mark belongs to its letter in scripts that write vowels so.
    return "".join([c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in text.lower()]).split()


def _to_ascii(text: str) -> str:
    """As near to ASCII as a text goes; scripts without Latin letters stay as they are."""
    text = unicodedata.normalize("NFKD", text.translate(_UNLIKE_ASCII))
    text = unicodedata.normalize("NFC", _ACCENT.sub("", text)).casefold()
    return _LONE_GREEK.sub(lambda match: f" {_GREEK[match[0]]} ", text)


@lru_cache(maxsize=16_384)
def _canonical(word: str) -> str:
    if not word.isalpha():
        joined = _JOINED_NUMBER.fullmatch(word)
        if joined:
            return f"{joined[1]} {joined[2].lstrip('0') or '0'}"
        return word.lstrip("0") or "0" if word.isdecimal() else word
    if word in _ROMAN:
        return _ROMAN[word]
    if len(word) < 4:
        return word
    for british, american in _SPELLINGS:
        word = word.replace(british, american)
    word = _BRITISH_S.sub("z", word)
    if word.endswith("oses"):
        return f"{word[:-2]}is"
    return word[:-1] if len(word) > 4 and word[-1] == "s" and word[-2:] not in ("ss", "us", "is") else word


def _after_type(words: list[str]) -> list[str]:
    pairs = zip(["", *words], words, strict=False)
    return [_AFTER_TYPE.get(word, word) if before in _BEFORE_NUMBER else word for before, word in pairs]
