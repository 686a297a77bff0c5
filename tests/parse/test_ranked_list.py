"""The careful reading of a list."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.parse import ranked_list
from mrarebench_hf.parse.ranked_list import MAX_CANDIDATES, fold_repeats, strict_list

NAMES = ("Fabry disease", "Gout", "Niemann-Pick disease type A")
EXPECTED = NAMES


def numbered(form: str, names: tuple[str, ...] = NAMES) -> str:
    return "\n".join(form.format(n=n, name=name) for n, name in enumerate(names, 1))


@pytest.mark.parametrize(
    "form",
    [
        "{n}. {name}",
        "{n}) {name}",
        "({n}) {name}",
        "{n}: {name}",
        "{n} - {name}",
        "{n} – {name}",
        "{n} {name}",
        "{n}.{name}",
        "{n}.) {name}",
        "{n}\\. {name}",
        "**{n}.** {name}",
        "**{n}. {name}**",
        "{n}. **{name}**",
        "{n}. *{name}*",
        "{n}. __{name}__",
        "{n}. `{name}`",
        '{n}. "{name}"',
        "{n}. {name}.",
        "{n}、{name}",
        "{n}．{name}",
        "{n}）{name}",
        "{n}️⃣ {name}",
        "#{n} {name}",
        "### {n}. {name}",
        "> {n}. {name}",
        "- {n}. {name}",
        "Rank {n}: {name}",
        "Diagnosis {n}: {name}",
        "{n}. Diagnosis: {name}",
        "{n}. **Diagnosis:** {name}",
        "{n}. **Diagnosis**: {name}",
        "{n}. \\boxed{{{name}}}",
        "   {n}. {name}   ",
        "\u200b{n}. {name}",
        "0{n}. {name}",
        "{n}.1 {name}",
        "{n}. {name} - it fits the age",
        "{n}. {name}: it fits the age",
        "{n}. {name} (42%)",
        "{n}. {name} 42%",
        "{n}. {name} [E75.2]",
        "{n}. {name}, because it fits",
        "{n}. {name}\n   Reason: it fits",
        "{n}. {name}\n   - it fits\n   - so it does",
        "{n}. {name}\n   1) it fits\n   2) so it does",
        "{n}. {name} or Sarcoidosis",
        "{n}. {name} / Sarcoidosis",
        "{n}. {name} vs. Sarcoidosis",
        "- {name}",
        "* {name}",
        "• {name}",
        "- **{name}**",
        "{name}",
        "<li>{name}</li>",
        "\\item {name}",
    ],
)
def test_dress_of_items(form: str) -> None:
    assert strict_list(numbered(form)).candidates == EXPECTED


@pytest.mark.parametrize(
    "reply",
    [
        "i. Fabry disease\nii. Gout\niii. Niemann-Pick disease type A",
        "A. Fabry disease\nB. Gout\nC. Niemann-Pick disease type A",
        "a) Fabry disease\nb) Gout\nc) Niemann-Pick disease type A",
        "① Fabry disease\n② Gout\n③ Niemann-Pick disease type A",
        "一、Fabry disease\n二、Gout\n三、Niemann-Pick disease type A",
        "1st: Fabry disease\n2nd: Gout\n3rd: Niemann-Pick disease type A",
        "1. Fabry disease 2. Gout 3. Niemann-Pick disease type A",
        "Ranked: 1) Fabry disease, 2) Gout, 3) Niemann-Pick disease type A",
        "**1. Fabry disease** **2. Gout** **3. Niemann-Pick disease type A**",
        "Fabry disease; Gout; Niemann-Pick disease type A",
        "Fabry disease；Gout；Niemann-Pick disease type A",
        "The most likely diagnosis is Fabry disease, followed by Gout and Niemann-Pick disease type A.",
        "Here is the list:\n\nFabry disease\nGout\nNiemann-Pick disease type A",
        "## Differential\n\n- Fabry disease\n- Gout\n- Niemann-Pick disease type A",
        "diagnoses:\n  - Fabry disease\n  - Gout\n  - Niemann-Pick disease type A",
        "| Rank | Diagnosis |\n|---|---|\n| 1 | Fabry disease |\n| 2 | Gout |\n| 3 | Niemann-Pick disease type A |",
        '["Fabry disease", "Gout", "Niemann-Pick disease type A"]',
        '```json\n["Fabry disease", "Gout", "Niemann-Pick disease type A"]\n```',
        '{"1": "Fabry disease", "2": "Gout", "3": "Niemann-Pick disease type A"}',
        "<answer>1. Fabry disease\n2. Gout\n3. Niemann-Pick disease type A</answer>",
        "<answer>draft</answer> no: <answer>1. Fabry disease\n2. Gout\n3. Niemann-Pick disease type A</answer>",
        "so <answer>\n1. Fabry disease\n2. Gout\n3. Niemann-Pick disease type A",
        "<answer> </answer>\n1. Fabry disease\n2. Gout\n3. Niemann-Pick disease type A",
        "</answer>\n1. Fabry disease\n2. Gout\n3. Niemann-Pick disease type A",
        "Reasoning:\n1. Age\n2. Scan\n\nRanked list:\n1. Fabry disease\n2. Gout\n3. Niemann-Pick disease type A",
        "1. Fabry disease\n2. Gout\n3. Niemann-Pick disease type A\n\nNext steps:\n1. Biopsy\n2. Gene test\n3. Diet",
        "Most likely:\n1. Fabry disease\n2. Gout\nLess likely:\n1. Niemann-Pick disease type A",
        "Group A\n1. Fabry disease\nGroup B\n1. Gout\n2. Niemann-Pick disease type A",
        "2019. First visit\n3.5 cm mass\n1. Fabry disease\n2. Gout\n3. Niemann-Pick disease type A",
        "3. Niemann-Pick disease type A\n2. Gout\n1. Fabry disease",
        "1. Fabry disease\n1. Gout\n1. Niemann-Pick disease type A",
        "0. Fabry disease\n1. Gout\n2. Niemann-Pick disease type A",
        "1. Fabry disease\n2.\n3. Gout\n4. \n5. Niemann-Pick disease type A",
        "1. Fabry disease\n2. FABRY DISEASE\n3. Gout\n4. **Gout**\n5. Niemann–Pick disease, type A",
        "<|im_start|>assistant\n1. Fabry disease\n2. Gout\n3. Niemann-Pick disease type A<|im_end|>",
        "I cannot name one, I am sorry:\n1. Fabry disease\n2. Gout\n3. Niemann-Pick disease type A\n4. See a doctor",
        "I cannot give advice, but consider:\n1. Fabry disease\n2. Gout\n3. Niemann-Pick disease type A",
        "1. Fabry disease\r2. Gout\r3. Niemann-Pick disease type A",
    ],
)
def test_shapes_of_lists(reply: str) -> None:
    found = [name.replace("–", "-").replace(",", "") for name in strict_list(reply).candidates]
    assert tuple(found) == EXPECTED


@pytest.mark.parametrize(
    ("reply", "reason", "refusal"),
    [
        ("", "empty", False),
        (" \n ", "empty", False),
        ("<think>all</think>", "empty", False),
        ("<think>1. Fabry disease", "unclosed_thinking", False),
        ("I'm sorry, but I can't provide a medical diagnosis.", "refusal", True),
        ("I can’t diagnose, but consider:\n1. See a doctor\n2. Bring all records", "refusal", True),
        ("The images are not visible to me.\nPlease upload them again.", "refusal", True),
        ("抱歉，我无法诊断", "refusal", True),
        ("I'm sorry, I can't diagnose. Here is what you can do:\n1. Blood tests\n2. A visit", "refusal", True),
        ("I cannot provide a diagnosis.\n1. Seeing a doctor\n2. Getting blood work", "refusal", True),
        ("Error", "error_text", False),
        ("Exception: timeout", "error_text", False),
        ("Failed to obtain answer via API.", "error_text", False),
        ("<html><body>502 Bad Gateway</body></html>", "error_text", False),
        ('{"error": {"code": 400}}', "error_text", False),
        ("nan", "placeholder", False),
        ("7", "placeholder", False),
        ("1. 2\n2. 1", "placeholder", False),
        ("---", "no_list", False),
        ("Image 1: normal\nImage 2: mass", "no_list", False),
        ("abc " * 50, "no_list", False),
    ],
)
def test_replies_without_an_answer_say_why(reply: str, reason: str, refusal: bool) -> None:
    found = strict_list(reply)
    assert (found.candidates, found.reason, found.refusal) == ((), reason, refusal)


def test_a_pair_of_two_diagnoses_holds_one_and_other_names_stay() -> None:
    reply = "1. Hurler syndrome (MPS I)\n2. Sarcoidosis (less likely)\n3. Gout, unlikely"
    assert strict_list(reply).candidates == ("Hurler syndrome (MPS I)", "Sarcoidosis", "Gout")


def test_fourteen_are_cut_to_ten() -> None:
    names = tuple(f"Disease {chr(65 + i)}x" for i in range(14))
    assert strict_list(numbered("{n}. {name}", names)).candidates == names[:10]


def test_repeats_are_merged_after_folding() -> None:
    assert fold_repeats(["Sjögren", "Sjogren's", "", "-", "Gout"]) == ("Sjögren", "Gout")
    assert len(fold_repeats(map(str, range(50)))) == MAX_CANDIDATES


PLAIN_NAME = st.from_regex(r"[A-Za-zé][a-z'-]{0,8}( [A-Za-z0-9]{1,7}){0,3}", fullmatch=True)


@given(st.lists(PLAIN_NAME, min_size=1, max_size=14), st.sampled_from(".)"))
def test_the_short_way_reads_as_the_long_way(names: list[str], mark: str) -> None:
    reply = "\n".join(f"{n}{mark} {name}" for n, name in enumerate(names, 1))
    short = strict_list(reply)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranked_list, "_as_asked", lambda text: [])
        long = strict_list(reply)
    if ranked_list._as_asked(reply):
        assert short.candidates == long.candidates


PIECES = [
    "1. ",
    "2) ",
    "- ",
    "* ",
    "|",
    "{",
    "[",
    '"',
    "(",
    ")",
    "**",
    "\n",
    " ",
    "Fabry",
    "disease",
    "<li>",
    "<think>",
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_any_text_gives_at_most_ten_distinct_candidates_or_a_reason(reply: str) -> None:
    found = strict_list(reply)
    assert len(found.candidates) <= MAX_CANDIDATES
    assert fold_repeats(found.candidates) == found.candidates
    assert (found.reason is None) == bool(found.candidates)
    assert not (found.refusal and found.candidates)


@pytest.mark.parametrize(
    "piece",
    [
        "<think>",
        "1. ",
        "(",
        " ",
        "[{",
        "|",
        "-",
        "**",
        "1.\n",
        "a, ",
        "\\boxed{",
        "<answer>",
        "I'm ",
        "i. ",
        "a\n",
        "<|channel|>",
    ],
)
def test_reading_grows_with_the_length_only(piece: str) -> None:
    def seconds(size: int) -> float:
        reply = piece * (size // len(piece))
        start = time.process_time()
        strict_list(reply)
        return time.process_time() - start

    seconds(1_000)
    assert seconds(400_000) < 20 * max(seconds(100_000), 0.02)


@pytest.mark.parametrize(
    ("reply", "candidates"),
    [
        ("1. 60% Gout\n2. Fabry disease: 30%", ("Gout", "Fabry disease")),
        ("1. Unknown\n2. Fabry disease", ("Unknown", "Fabry disease")),
        ("- N/A\n- Fabry disease", ("N/A", "Fabry disease")),
    ],
)
def test_what_follows_an_unusable_item_gains_no_rank(reply: str, candidates: tuple[str, ...]) -> None:
    assert strict_list(reply).candidates == candidates


@pytest.mark.parametrize(
    "reply",
    [
        "Primary diagnosis: Gout\n\nDifferential diagnosis:\n1. Fabry disease\n2. Pompe disease",
        "**Most likely diagnosis:** Gout\n\n**Differential:**\n- Fabry disease\n- Pompe disease",
        "The most likely diagnosis is Gout.\nOthers:\n1. Fabry disease\n2. Pompe disease",
        "Primary diagnosis: Pompe disease\n1. Gout\n2. Fabry disease\n3. Pompe disease",
        "1. Gout\n2. Fabry disease\n3. Pompe disease\n\nFinal diagnosis: Pompe disease",
        "Final diagnosis: see below\n1. Gout\n2. Fabry disease\n3. Pompe disease",
        "The diagnosis is one of the following disorders:\n1. Gout\n2. Fabry disease\n3. Pompe disease",
        f"Diagnosis: X{' x' * 12}\n1. Gout\n2. Fabry disease\n3. Pompe disease",
        "First: Gout\nSecond: Fabry disease\nThird: Pompe disease",
        "Most likely: Gout\nSecond: Fabry disease\nLeast likely: Pompe disease",
        "1. M10.0: Gout\n2. [E75.21] Fabry disease\n3. ORPHA:365 Pompe disease",
        "1. M10 - Gout\n2. E75.21 Fabry disease\n3. OMIM 232300: Pompe disease",
        'Findings: ["rash", "fever"]\n1. Gout\n2. Fabry disease\n3. Pompe disease',
        "| Finding | Value |\n|---|---|\n| rash | yes |\n\n1. Gout\n2. Fabry disease\n3. Pompe disease",
        'Steps:\n1. Rash\n2. Fever\n["Gout", "Fabry disease", "Pompe disease"]',
        '{"diagnoses": ["Gout", "Fabry disease", "Pompe disease"]}\n1. Rash\n2. Fever',
        "\\boxed{1. Gout 2. \\text{Fabry disease} 3. Pompe disease}",
        "\\boxed{1. Gout \\\\ 2. Fabry disease \\\\ 3. Pompe disease}",
        "1. Findings: rash\n2. Differential diagnosis:\n   1. Gout\n   2. Fabry disease\n   3. Pompe disease\n3. Tests",
        "1. **Findings**\n2. **Differential Diagnosis**\n- Gout\n- Fabry disease\n- Pompe disease\n3. **Plan**\n- rest",
        "Gout, Fabry disease, Pompe disease",
        "1. Gout\n2. Fabry disease\n3. Pompe disease\n\n1. Blood count\n2. Gene test\n3. Biopsy\n4. MRI",
        "Exception noted: the skin.\n1. Gout\n2. Fabry disease\n3. Pompe disease",
    ],
)
def test_the_list_of_diagnoses_is_found_among_other_things(reply: str) -> None:
    assert strict_list(reply).candidates == ("Gout", "Fabry disease", "Pompe disease")


@pytest.mark.parametrize(
    "name",
    ["Error of metabolism, inborn", "Anemia, Sickle Cell", "Niemann-Pick disease, type A", "B12 deficiency"],
)
def test_a_name_alone_stays_whole(name: str) -> None:
    assert strict_list(name).candidates == (name,)
    assert strict_list(f"1. {name}").candidates == (name,)


def test_a_list_of_placeholders_is_no_list() -> None:
    assert strict_list("1. Unknown\n2. N/A").reason == "placeholder"
