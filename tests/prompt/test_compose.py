"""Prompts: what is shown in which order, and that what is withheld is gone."""

from __future__ import annotations

import pytest

from mrarebench_hf import conditions, tasks
from mrarebench_hf.prompt import build, leaks, template_sha256, without_diagnosis
from mrarebench_hf.records import Case, ImagePart, Picture, Prompt, TextPart

PICTURES = (Picture(1, b"one", "Figure 1"), Picture(3, None, "Figure 3", "gone"), Picture(4, b"four", None))
FINDINGS = '[{"title": "CT", "body": "A mass."}]'


def t1(**cells: str) -> Case:
    full = {"context": "The context.", "question": "The question?", "image findings": FINDINGS}
    return Case("diagnosis", "7", {k: v for k, v in (full | cells).items() if v}, PICTURES, {})


def t2(**cells: str) -> Case:
    full = {"context": "Established diagnosis: X.1 disease. A man.", "final_diagnosis": "X.1 disease", "question": "Q?"}
    return Case("evidence", "7", {k: v for k, v in (full | cells).items() if v}, PICTURES, {})


def shown(case: Case, name: str) -> tuple[list[str | bytes | None], list[str]]:
    condition = conditions.get(name)
    task = tasks.get(case.task)
    prompt = build(case, condition, task)
    assert prompt == build(case, condition)
    assert isinstance(prompt, Prompt)
    assert prompt.index == "7"
    body, instruction = prompt.text.rsplit("\n\n", 1)
    assert instruction == task.instructions[condition.instruction]
    return [p.text if isinstance(p, TextPart) else p.data for p in prompt.parts[:-1]], body.split("\n\n")


GROUPS: list[str | bytes | None] = ["Figure 1:", b"one", "Figure 3:", None, b"four"]


@pytest.mark.parametrize(
    ("name", "groups", "blocks"),
    [
        ("Diagnosis", GROUPS, ["The context.", "Question: The question?"]),
        ("Diagnosis_FD", GROUPS, ["The context.", "### CT\nA mass.", "Question: The question?"]),
        ("Diagnosis_TO", [], ["The context.", "Question: The question?"]),
    ],
)
def test_t1(name: str, groups: list[object], blocks: list[str]) -> None:
    assert shown(t1(), name) == (groups, blocks)


@pytest.mark.parametrize(
    ("name", "groups", "context"),
    [
        ("EvidenceVerif", GROUPS, "Established diagnosis: X.1 disease. A man."),
        ("EvidenceVerif_TO", [], "Established diagnosis: X.1 disease. A man."),
        ("EvidenceVerif_NoDx", GROUPS, "A man."),
    ],
)
def test_t2(name: str, groups: list[object], context: str) -> None:
    assert shown(t2(), name) == (groups, [context, "Question: Q?"])


def test_the_open_question_comes_first() -> None:
    assert shown(t2(question_open="Open?"), "EvidenceVerif")[1][-1] == "Question: Open?"


def test_absent_blocks_leave_no_gap() -> None:
    assert shown(t1(context="", question=""), "Diagnosis_FD")[1] == ["### CT\nA mass."]
    assert shown(t1(context=" \n", **{"image findings": "[]"}), "Diagnosis_FD")[1] == ["Question: The question?"]


def test_cells_are_shown_to_the_letter() -> None:
    assert shown(t1(context="  a\r\nb\t "), "Diagnosis")[1][0] == "  a\r\nb\t "


def test_images_are_named_only_where_shown() -> None:
    instructions = tasks.get("diagnosis").instructions
    assert "image" in instructions["images"]
    assert "image" not in instructions["text"]


@pytest.mark.parametrize(
    ("context", "diagnosis", "left"),
    [
        ("Established diagnosis: ECD. A man.", "ECD", "A man."),
        ("Established diagnosis: 22q11.2 deletion syndrome. A man.", "22q11.2 deletion syndrome", "A man."),
        ("  established DIAGNOSIS:   ecd \n(no stop) A man. Stays.", "ECD", "(no stop) A man. Stays."),
        ("Established  diagnosis :\tNiemann-Pick\n disease.A man.", "Niemann-Pick disease", "A man."),
        ("Established diagnosis: ECD", "ECD", ""),
        # Worded otherwise than the cell, or no cell: the published rule, up to the first full stop.
        ("Established diagnosis: Erdheim-Chester\ndisease. A man.", "ECD", "A man."),
        ("Established diagnosis: ECDX. A man.", "ECD", "A man."),
        ("Established diagnosis: ECD. A man.", "", "A man."),
        ("Established diagnosis: none stated", "", "Established diagnosis: none stated"),
        # Only at the beginning, only once.
        ("A man. Established diagnosis: ECD.", "ECD", "A man. Established diagnosis: ECD."),
        ("A man with ECD.", "ECD", "A man with ECD."),
        ("Established diagnosis: a(b)+. A man.", "a(b)+", "A man."),
    ],
)
def test_without_diagnosis(context: str, diagnosis: str, left: str) -> None:
    assert without_diagnosis(context, diagnosis) == left


def test_leaks() -> None:
    assert leaks("He has Fabry \n DISEASE.", ["fabry disease", "Fabry", "disea", "", "  "]) == (
        "fabry disease",
        "Fabry",
    )
    assert leaks("vasculitis", ["AS"]) == ()
    assert leaks("the a(b)+ form", ["a(b)+"]) == ("a(b)+",)


def test_template_hash_tells_conditions_and_words_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = {c.name: template_sha256(c) for c in conditions.CONDITIONS}
    assert len(set(hashes.values())) == len(hashes)
    task = tasks.get("diagnosis")
    monkeypatch.setitem(task.instructions, "text", task.instructions["text"] + " ")  # type: ignore[arg-type]
    after = {c.name: template_sha256(c) for c in conditions.CONDITIONS}
    assert [name for name in hashes if hashes[name] != after[name]] == ["Diagnosis_TO"]


def test_image_parts_keep_place_without_data() -> None:
    prompt = build(t1(), conditions.get("Diagnosis"))
    assert prompt.images == (b"one", None, b"four")
    assert sum(isinstance(part, ImagePart) for part in prompt.parts) == 3
