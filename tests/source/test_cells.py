"""What a cell's text means."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.source import cells


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("[]", []),
        ('["ECD", " PD ", "", "  "]', ["ECD", "PD"]),
        ("AS; Susac ; ", ["AS", "Susac"]),
        ('"Pompe disease"', ["Pompe disease"]),
        ("None", ["None"]),
        ("N/A", ["N/A"]),
        ("null", ["null"]),
        ("true", ["true"]),
        ("12", ["12"]),
        ("[1, null, true]", ["1", "null", "true"]),
        ("['a', 'b']", ["['a', 'b']"]),
        ('{"a": 1}', ['{"a": 1}']),
        ('["broken', ['["broken']),
    ],
)
def test_list_cell(text: str, expected: list[str]) -> None:
    assert cells.list_cell(text) == expected


@given(st.lists(st.text(st.characters(codec="utf-8"))))
def test_list_cell_gives_what_json_holds(entries: list[str]) -> None:
    expected = [entry.strip() for entry in entries if entry.strip()]
    assert cells.list_cell(json.dumps(entries)) == expected
    assert cells.list_cell(json.dumps(entries, ensure_ascii=False)) == expected


@pytest.mark.parametrize(
    ("text", "ids", "noted"),
    [
        ("", [], False),
        ("  ", [], False),
        ("[]", [], False),
        ("[2, 1, 2]", [2, 1], False),
        ("3", [3], False),
        ("1;2", [1, 2], True),
        ("Image 3", [3], True),
        ("2.0", [2], True),
        ("[1.0, 2]", [1, 2], True),
        ('["1", "Image 2"]', [1, 2], True),
        ("1-3", [1, 2, 3], True),
        ("Images 1–2 and 4", [1, 2, 4], True),
        ("2.5", [], True),
        ("[0, -1]", [1], True),
        ("[true]", [], True),
        ("none", [], True),
        ("123456", [], True),
        ("{}", [], True),
    ],
)
def test_id_list(text: str, ids: list[int], noted: bool) -> None:
    found = cells.id_list(text)
    assert found.ids == ids
    assert (found.note is not None) == noted
    if found.note:
        assert f"read as {ids}" in found.note


@given(st.lists(st.integers(1, 9999), unique=True))
def test_id_list_of_json_numbers(ids: list[int]) -> None:
    assert cells.id_list(json.dumps(ids)) == (ids, None)


@given(st.text())
def test_no_text_breaks_a_reader(text: str) -> None:
    cells.list_cell(text)
    cells.id_list(text)
    cells.evidence_points(text)
    cells.figure_labels(text)
    cells.findings(text)
    cells.slot_labels(text)


def test_evidence_points() -> None:
    text = json.dumps(
        [
            {"image": "Image 1", "point": " A ring. ", "category": "modality", "credit": " Required "},
            {"point": "  "},
            "free text",
            {"image": None, "point": 7},
        ]
    )
    assert cells.evidence_points(text) == [
        {"image": "Image 1", "point": "A ring.", "category": "modality", "credit": "Required"},
        {"image": "", "point": "7", "category": "", "credit": ""},
    ]
    assert cells.evidence_points("[{'point': 'Python notation'}]") == []
    assert cells.evidence_points('{"point": "no list"}') == []


def test_findings() -> None:
    text = json.dumps(
        [
            {"title": "CT", "body": "A mass."},
            {"body": "Body alone."},
            {"title": "Title alone"},
            {"markdown": "### R\nSame."},
            {"markdown": "### R\nSame.", "title": "other"},
            "text",
            {"markdown": "  ", "title": "", "body": ""},
        ]
    )
    assert cells.findings(text) == "### CT\nA mass.\n\nBody alone.\n\n### Title alone\n\n### R\nSame."
    assert cells.findings('{"title": "x"}') == ""
    assert cells.findings('[{"title": "bro') == ""


def test_figure_labels_and_slots() -> None:
    text = '{"Figure 1": "a/0--1.jpg", "Figure 1b": "b\\\\0--1.jpg", "": "0--2.jpg", "Figure 3": 3}'
    assert cells.figure_labels(text) == {"0--1.jpg": "Figure 1b"}
    assert cells.figure_labels('["a/0--1.jpg"]') == {}
    assert cells.slot_labels('[{"public_slot": " A "}, {"public_slot": ""}, {"public_slot": 3}, 1]') == [
        "A",
        *[None] * 3,
    ]
    assert cells.slot_labels("{not json") == []
