"""Stage parse, T1: one item of a ranked list into the name of a diagnosis.

In: what stands after an item's number or bullet. Out: the name, without mark-up, labels, explanations, codes and
percentages. Of a pair ("X or Y", "X vs Y", "X / Y") the first counts: a rank holds one diagnosis. Another name in
parentheses stays with the name.
"""

from __future__ import annotations

import re

__all__ = ["name_of"]

# Longer than any name with its explanation needs to be read; keeps every pattern below linear on hostile input.
_MAX_CHARS = 400
_MAX_WORDS = 20
_MAX_OTHER_NAME_WORDS = 8

_PLAIN = re.compile(r"[\w'’-]+(?: [\w'’-]+)*")
_CUTS = (" or ", " vs ", " - ")
_WRAPPED = re.compile(r"\\(?:boxed|text|textbf|textit|mathrm|mathbf)\s?\{([^{}]*)\}")
_BOLD_LEAD = re.compile(r"(\*\*|__)(.+?)\1(.*)", re.DOTALL)
_LABEL = re.compile(
    r"(?:(?:(?:final|most likely|primary|possible|differential|suspected|disease|leading|main|working|alternative) )?"
    r"(?:diagnosis|diagnoses|disease|condition|name|answer|choice)(?: \d{1,2})?"
    r"|(?:second |third |next )?most likely|(?:less|least) likely|primary|alternative"
    r"|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) ?[:：] ?",
    re.IGNORECASE,
)
# "M10.0: Gout", "[E75.21] Fabry disease", "ORPHA:324 Fabry disease"
_CODED = r"(?:(?:orpha\w{0,3}|omim|mim)[ :#]{0,2}\d{2,6}|(?:icd[-\d]{0,3}[ :]{1,2})?[a-z]\d\d(?:\.\w{1,4})?)"
_LEADING_CODE = re.compile(
    rf"(?:\[{_CODED}\]|{_CODED}(?= ?[:–—]| - )|(?:orpha\w{{0,3}}|omim|mim)[ :#]{{0,2}}\d{{2,6}}(?= )"
    r"|[a-z]\d\d\.\w{1,4}(?= )) ?[:–—-]? ?(?=\S)",
    re.IGNORECASE,
)
_EXPLANATION = re.compile(
    r" [-–—]{1,2} |—|[:：](?= |$)|：|[;；|→]| / | => | = "
    r"| (?:vs\.?|versus|or|rather than|because|instead of|more than|but|however) "
    r"|, ?(?:less|more|most|likely|unlikely|given|which|because|consistent|possibly|considered|but|although|e\.g|i\.e"
    r"|including|supported|based|since|however|especially|particularly|as|explains|fits|though|not)\b"
    r"| \[|\{",
    re.IGNORECASE,
)
_EXPLAINING_WORDS = (
    "less more most likely likelihood unlikely because does do not no fit fits would could may might consider "
    "considered explains explain given consistent possible possibly probable rule ruled out exclude excluded mimic "
    "mimics mimicking vs versus or confidence probability score high moderate low very best match based supported "
    "supports seen presents presenting classic characteristic suggests suggested suggestive e.g i.e eg ie such "
    "including is was has rank ranked differential needs need requires with if"
)
_EXPLAINS = frozenset(_EXPLAINING_WORDS.split())
_CODE = re.compile(r"(?:icd|orpha|omim|mim|#)|[a-z]\d\d(?:\.\w{1,4})?$", re.IGNORECASE)
_ALSO = re.compile(r",? (?=(?:also (?:known as|called)|a\.?k\.?a\.?|formerly)[:,]? (?=\w))([^(),;]+)", re.IGNORECASE)
_LEADING_SHARE = re.compile(r"[~≈]?\d{1,3}(?:\.\d+)? ?[%％][ :,–—-]*")
_SHARE = re.compile(r" ?[~≈]?\d{1,3}(?:\.\d+)? ?[%％].*")
_EDGES = " \t.,;:!?。，；、*_`\"“”„«»‘’'-–—•·#>|~"
_BRACKETS = str.maketrans("（）【】［］\t", "()[][]|")


def name_of(item: str) -> str:
    """Name of the diagnosis that an item of a list holds; empty when it holds none.

    >>> name_of("**Fabry disease** - explains the skin and the kidney")
    'Fabry disease'
    >>> name_of("Hurler syndrome (MPS I)"), name_of("Sarcoidosis (less likely)")
    ('Hurler syndrome (MPS I)', 'Sarcoidosis')
    """
    text = " ".join(item[:_MAX_CHARS].translate(_BRACKETS).split())
    share = _LEADING_SHARE.match(text)
    if share:
        text = text[share.end() :]
    if _PLAIN.fullmatch(text) and not any(map(text.__contains__, _CUTS)):
        text = _without_explanation(text)
    else:
        text = _without_explanation(_ALSO.sub(r" (\1)", _without_label(_without_markup(text)), count=1))
    return text if text.count(" ") < _MAX_WORDS else ""


def _without_markup(text: str) -> str:
    if "\\" in text:
        text = _WRAPPED.sub(r"\1", text)
    lead = _BOLD_LEAD.match(text)
    if lead:
        inside, rest = lead[2].strip(), lead[3].strip()
        if _LABEL.fullmatch(inside) or _LABEL.fullmatch(f"{inside}{rest[:1]}"):
            text = rest.lstrip(":： ")
        else:
            text = f"{inside} {rest}" if rest.startswith("(") else inside
    return text.replace("*", "").replace("`", "").strip(_EDGES)


def _without_label(text: str) -> str:
    for lead in (_LABEL, _LEADING_CODE):
        found = lead.match(text)
        if found and found.end() < len(text):
            text = text[found.end() :].strip(_EDGES)
    return text


def _without_explanation(text: str) -> str:
    cut = next((m.start() for m in _EXPLANATION.finditer(text) if m.start() > 0), len(text))
    opening = text.find("(")
    if 0 <= opening < cut:
        return _with_other_name(text, opening)
    return _SHARE.sub("", text[:cut]).strip(_EDGES)


def _with_other_name(text: str, opening: int) -> str:
    """Of "X (Y) Z" keep X, Z, and Y when it reads like another name."""
    closing = text.find(")", opening)
    inside = text[opening + 1 : closing if closing > 0 else len(text)].strip(_EDGES)
    after = _without_explanation(text[closing + 1 :].partition("(")[0]) if closing > 0 else ""
    name = _SHARE.sub("", text[:opening]).strip(_EDGES)
    if not name:
        return after or inside
    other = f" ({inside})" if _is_name(inside) else ""
    return f"{name}{other} {after}".strip()


def _is_name(text: str) -> bool:
    words = text.lower().replace(",", " ").split()
    return (
        0 < len(words) <= _MAX_OTHER_NAME_WORDS
        and "%" not in text
        and any(map(str.isalpha, text))
        and not _CODE.match(text)
        and _EXPLAINS.isdisjoint([word.strip(".:;") for word in words])
    )
