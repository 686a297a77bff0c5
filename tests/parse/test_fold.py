"""The form in which equal names are equal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.parse._fold import fold


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("Sjögren’s syndrome", "Sjogren syndrome"),
        ("Sjo\u0308gren syndrome", "Sjögren syndrome"),
        ("Aymé-Gripp syndrome", "Ayme Gripp syndrome"),
        ("β-thalassemia", "beta thalassemia"),
        ("βthalassemia", "beta-thalassemia"),
        ("α1-Antitrypsin deficiency", "alpha-1 antitrypsin deficiency"),
        ("alpha1 antitrypsin", "α 1 antitrypsin"),
        ("Erdheim–Chester disease", "Erdheim-Chester disease"),
        ("Haemophilia A", "Hemophilia A"),
        ("Leucodystrophy", "leukodystrophies".replace("ies", "y")),
        ("Tumour", "TUMORS"),
        ("Gaucher disease type I", "Gaucher disease type 1"),
        ("MPS III", "MPS 3"),
        ("MPS IIIa", "MPS 3A"),
        ("MPSIVa", "MPS IVA"),
        ("GSDIa", "GSD Ia"),
        ("Disease Ia", "Disease 1A"),
        ("MEN2A", "MEN 2a"),
        ("Tumoural calcinosis", "Tumoral calcinosis"),
        ("Catheterisation", "catheterization"),
        ("collagen type X", "collagen type 10"),
        ("GSD type Ia", "GSD type 1a"),
        ("type01", "type 1"),
        ("Stage 04", "stage iv"),
        ("The Marfan syndrome", "Marfan syndrome"),
        ("A rash of the face", "rash of face"),
        ("Graves' disease", "Graves disease"),
        ("ﬁbrosis", "fibrosis"),
        ("ＷＤ", "wd"),
        ("Sarcoidoses", "sarcoidosis"),
        ("Łysoń", "Lyson"),
        ("zero\u200bwidth", "zerowidth"),
        ("Straße", "strasse"),
    ],
)
def test_equal_names_fold_alike(name: str, same: str) -> None:
    assert fold(name) == fold(same) != ""


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Hemophilia A", "Hemophilia B"),
        ("Hemophilia A", "Hemophilia"),
        ("type I", "type II"),
        ("Histiocytosis X", "Histiocytosis 10"),
        ("HIV", "H 4"),
        ("が", "か"),
        ("戈谢病", "法布里病"),
        ("कि", "का"),
    ],
)
def test_different_names_stay_different(name: str, other: str) -> None:
    assert fold(name) != fold(other)


@pytest.mark.parametrize(
    ("name", "folded"), [("", ""), (" -—. ", ""), ("the", ""), ("A", "a"), ("000", "0"), ("a -", "")]
)
def test_little_text(name: str, folded: str) -> None:
    assert fold(name) == folded


def test_other_scripts_keep_their_letters() -> None:
    assert fold("戈谢病") == "戈谢病"
    assert fold("Болезнь Фабри") == "болезнь фабри"
    assert fold("αβγ νόσος") == "αβγ νοσοσ"


@given(st.text(max_size=60))
def test_a_folded_name_is_clean(name: str) -> None:
    folded = fold(name)
    assert folded == " ".join(folded.split())
    assert folded == folded.lower()
