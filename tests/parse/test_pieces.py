"""The parts that the careful reading is made of."""

from __future__ import annotations

import pytest

from mrarebench_hf.parse._item import name_of
from mrarebench_hf.parse._json_list import json_items
from mrarebench_hf.parse._lines import best_run, inline_items, read_lines
from mrarebench_hf.parse._no_answer import is_advice, is_error_text, is_placeholder, refuses
from mrarebench_hf.parse._prose import prose_items
from mrarebench_hf.parse._structured import lines_from_markup, table_items


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ("Fabry disease", "Fabry disease"),
        ("", ""),
        ("**", ""),
        ("**Fabry disease** - why", "Fabry disease"),
        ("**Fabry disease:** why", "Fabry disease"),
        ("**Hurler syndrome** (MPS I)", "Hurler syndrome (MPS I)"),
        ("Diagnosis: Fabry disease", "Fabry disease"),
        ("Disease: **Fabry**", "Fabry"),
        ("Diagnosis:", "Diagnosis"),
        ("Albers-Schönberg disease, infantile form", "Albers-Schönberg disease, infantile form"),
        ("某病（Fabry disease）", "某病 (Fabry disease)"),
        ("Fabry disease（可能）", "Fabry disease (可能)"),
        ("(HHT) Hereditary telangiectasia", "Hereditary telangiectasia"),
        ("(HHT)", "HHT"),
        ("Fabry disease (why not", "Fabry disease"),
        ("Hurler syndrome (also known as MPS I)", "Hurler syndrome (also known as MPS I)"),
        ("Fabry disease (E75.2)", "Fabry disease"),
        ("Fabry disease (ORPHA:324)", "Fabry disease"),
        ("Hurler syndrome, also known as MPS I", "Hurler syndrome (also known as MPS I)"),
        ("ICD-10: E75.2 - Fabry disease", "Fabry disease"),
        ("E75.2:", "E75.2"),
        ("Fabry disease (50%)", "Fabry disease"),
        ("Fabry disease ()", "Fabry disease"),
        ("Fabry disease (classic form; seen in men)", "Fabry disease"),
        ("Ehlers-Danlos syndrome (type IV) variant", "Ehlers-Danlos syndrome (type IV) variant"),
        ("Fanconi syndrome due to cystine storage", "Fanconi syndrome due to cystine storage"),
        ("Fabry disease - seen (rarely) in men", "Fabry disease"),
        ("word " * 30, ""),
        ("Gout or sarcoidosis", "Gout"),
        ("Fabry\tsince birth", "Fabry"),
    ],
)
def test_the_name_in_an_item(item: str, name: str) -> None:
    assert name_of(item) == name


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('["A", {"name": "B"}, 3, ["C"]]', ["A", "B", "C"]),
        ('Here: {"result": {"list": ["A"]}}', ["A"]),
        ('{"2": "B", "1": "A"}', ["A", "B"]),
        ('{"rank 1": "A"}', ["A"]),
        ('[{"rank": 2, "name": "B"}, {"rank": "1", "name": "A"}]', ["A", "B"]),
        ('[{"Rank": 2, "name": "B"}, {"name": "A"}]', ["B", "A"]),
        ('{"findings": ["x"], "n": 1, "diagnoses": ["A", "B"]}', ["A", "B"]),
        ('{"findings": ["x"], "list": ["A", "B"]}', ["A", "B"]),
        ('{"final_diagnosis": "A", "evidence": ["x"], "differential": ["B"]}', ["A", "B"]),
        ('{"diagnosis": "B", "differential": ["A", "B"]}', ["A", "B"]),
        ('{"diagnosis": "A", "evidence": ["x"]}', ["A"]),
        ('{"A": 0.3, "B": 0.5}', ["B", "A"]),
        ('{"A": 2, "B": 1}', ["B", "A"]),
        ('{"ranked_list": ["1. A", "2. B"], "disease_explanation": ["x", "y"]}', ["A", "B"]),
        ('{"A": 1}', None),
        ('{"score": 1, "B": 2}', None),
        ('{"diagnoses": ["A", "B", "Go', ["A", "B"]),
        ('{"diagnoses": ["A", "B"', ["A", "B"]),
        ('```json\n[{"name": "A"}, {"name": "B"}, {"na\n```', ["A", "B"]),
        ('{"a": [' * 30, None),
        ('{"note": "x", "items": [{"Diagnosis": "A"}]}', ["A"]),
        ('{"note": "x", "n": 3}', None),
        ("[1, 2]", None),
        ("{}", None),
        ("[", None),
        ("{{{{{{ [", None),
        ('[[[[["A"]]]]]', ["A"]),
        ("[" * 100_000, None),
        ("no data", None),
    ],
)
def test_json(text: str, names: list[str] | None) -> None:
    assert json_items(text) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("| # | Disease |\n|---|:-:|\n| 1 | A |\n| 2 | B |", ["A", "B"]),
        ("| # | what |\n|---|---|\n| 1 | A |", ["A"]),
        ("|---|---|\n| 1 | A |\n|---|---|", ["A"]),
        ("| # | Disease |\n|---|---|\n| 1 |", []),
        ("| 1 | 2 |\n|---|---|", []),
        ("| 1 | 2 |\n|---|---|\n| 3 | 4 |", ["3"]),
        ("a | b", None),
        ("| a |", None),
    ],
)
def test_tables(text: str, names: list[str] | None) -> None:
    assert table_items(text) == names


def test_mark_up_becomes_lines() -> None:
    assert lines_from_markup("```\nA\n```").split() == ["A"]
    assert lines_from_markup("<ol><li><b>A</b></li></ol><|im_end|>").split() == ["-", "A"]
    assert lines_from_markup("\\begin{enumerate}\\item A\\end{enumerate} 1\\. B").split() == ["-", "A", "1.", "B"]
    assert lines_from_markup("A [B]") == "A [B]"


@pytest.mark.parametrize(
    ("text", "style", "items"),
    [
        ("1. A\n3. B", "number", ["A", "B"]),
        ("2. A\n1. B", "number", ["A", "B"]),
        ("3. C\n2. B\n1. A", "number", ["A", "B", "C"]),
        ("1. A\n2. B\n1. C", "number", ["A", "B"]),
        ("1. A\n2. B\n1. C\n2. D", "number", ["C", "D"]),
        ("Notes\n1. A\n2. B", "number", ["A", "B"]),
        ("17 alpha deficiency", "spaced", []),
        ("C. difficile colitis", "letter", []),
        ("1 A\n2 B", "spaced", ["A", "B"]),
        ("i. A\nii. B\niii. C", "roman", ["A", "B", "C"]),
        ("a. A\nb. B\nz", "letter", ["A", "B"]),
        ("h. A\ni. B", "letter", []),
        ("xi. A", "roman", []),
        ("ab. A", "letter", []),
        ("- A\n  - why\n- B", "bullet", ["A", "B"]),
        ("- A\nFinal diagnoses:\n- B", "bullet", ["B"]),
        ("- A\nit fits\n- B", "bullet", ["A", "B"]),
        ("1. A\nit fits\n1. B", "number", ["A", "B"]),
        ("1. A\n## Final list\n1. B", "number", ["B"]),
        ("十三、A", "chinese", []),
        ("", "number", []),
        ("5. E\n5. F\n5. G", "number", ["E", "F", "G"]),
        ("4. D\n3. C\n3. B", "number", ["D", "C"]),
    ],
)
def test_runs(text: str, style: str, items: list[str]) -> None:
    assert best_run(read_lines(text), style) == items


def test_numbers_within_a_line() -> None:
    assert inline_items("0. A 1. B") == ["A", "B"]
    assert inline_items("1. A 3. B") == []
    assert inline_items("A") == []


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Fabry disease", ["Fabry disease"]),
        ("A, B, C, D", ["A", "B", "C", "D"]),
        ("A, B", ["A, B"]),
        ("A, B disease", ["A", "B disease"]),
        ("甲、乙、丙、丁", ["甲", "乙", "丙", "丁"]),
        ("Findings are consistent with A.", ["A."]),
        ("# Title\nNote: x\nA\nB", ["A", "B"]),
        ("word " * 20, []),
        ("word " * 20 + "\n" + "word " * 20, []),
        ("word " * 20 + "\nI suspect A and B\n" + "word " * 20 + "\n" + "more " * 20, ["A", "B"]),
        ("A\nB\n" + "This is no medical advice and you should always go and ask your own doctor first.", ["A", "B"]),
        ("#", []),
    ],
)
def test_prose(text: str, items: list[str]) -> None:
    assert prose_items(read_lines(text)) == items


def test_what_is_no_answer() -> None:
    assert refuses("I am unable to make a diagnosis.")
    assert not refuses("x" * 500 + "I'm sorry")
    assert is_error_text("Error code: 400")
    assert not is_error_text("Errors of metabolism")
    assert is_placeholder("None")
    assert not is_placeholder("戈谢病")
    assert is_advice("Consult a doctor")
    assert not is_advice("Seesaw nystagmus")
