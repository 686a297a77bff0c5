"""The published matching rule, its false credit included."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.score._match_protocol import normalise, protocol_names


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("The  Niemann-Pick disease, type A", "niemannpick disease type"),
        ("Behçet’s disease", "behçet’s disease"),
        ("l’a b", "l’ b"),
        ("a", ""),
        ("", ""),
        ("an\tthe", ""),
        ("α1-Antitrypsin", "α1antitrypsin"),
    ],
)
def test_normal_forms(name: str, form: str) -> None:
    assert normalise(name) == form


@pytest.mark.parametrize(
    ("candidate", "gold", "kind"),
    [
        ("fabry disease.", "Fabry disease", "equal"),
        ("e", "Fabry disease", "contained"),
        ("vasculitis", "AS", "contained"),
        ("Neurofibromatosis type 1", "Neurofibromatosis type 2", "overlap"),
        # Three shared words of five and five: F1 is exactly 0.6.
        ("a1 b1 c1 x1 y1", "a1 b1 c1 v1 w1", "overlap"),
        ("a1 b1 x1 y1", "a1 b1 v1 w1", None),
        ("Erdheim Chester disease", "Erdheim-Chester disease", None),
        ("Gout", "Sarcoidosis", None),
        ("the", "Sarcoidosis", None),
        ("Gout", "the", None),
    ],
)
def test_hits(candidate: str, gold: str, kind: str | None) -> None:
    assert protocol_names([gold]).hit(candidate) == kind


def test_equality_with_any_name_is_told_before_containment() -> None:
    assert protocol_names(["Fabry", "Fabry disease"]).hit("Fabry disease") == "equal"


@given(st.text(), st.text())
def test_a_hit_does_not_depend_on_the_side(one: str, other: str) -> None:
    assert protocol_names([one]).hit(other) == protocol_names([other]).hit(one)


@given(st.text())
def test_normalising_twice_changes_nothing_but_newly_bare_articles(name: str) -> None:
    form = normalise(name)
    assert form == " ".join(form.split())
    assert (protocol_names([name]).hit(name) == "equal") == bool(form)
