"""Sentences of answers, and the pictures they are about."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.parse.evidence_text import (
    ScopedSentence,
    image_of_point,
    sentences,
    strict_point,
    strict_sentences,
)


def scoped(text: str) -> list[tuple[str, list[int]]]:
    return [(sentence.text, sorted(sentence.images)) for sentence in strict_sentences(text)]


def test_the_protocol_cuts_bullets_and_numbers() -> None:
    assert sentences("- One.\n• Two! 3) Three? ## Four\n> Five") == ["One.", "Two!", "Three?", "Four", "Five"]
    assert sentences("3 cm mass. 18F-FDG PET. xx") == ["cm mass.", "F-FDG PET."]
    assert sentences("第一句。第二句。") == ["第一句。第二句。"]
    assert sentences("") == sentences(" \n\x0c") == sentences("No") == sentences("-\n1.\n") == []


def test_the_protocols_label_of_a_point() -> None:
    assert image_of_point("[Image 2] A ring.") == 2
    assert image_of_point("A ring [Image 2].") is image_of_point("[Images 1-2] A ring.") is image_of_point(None) is None
    assert image_of_point("[Image " + "9" * 5000) is not None


def test_a_heading_holds_for_the_lines_below_it() -> None:
    text = "**Image 1:**\n- A ring.\n- 3 cm mass\n\n### Image 2 (MRI)\n\n1. Dark core. Bright rim."
    assert scoped(text) == [("A ring.", [1]), ("3 cm mass", [1]), ("Dark core.", [2]), ("Bright rim.", [2])]


def test_a_label_holds_for_the_rest_of_its_line() -> None:
    text = "Image 1 (MRI): a ring. It is dark. Image 2. It is bright.\nIt has a rim."
    assert scoped(text) == [("a ring.", [1]), ("It is dark.", [1]), ("It is bright.", [2]), ("It has a rim.", [2])]


def test_pictures_that_a_sentence_names_itself_come_first() -> None:
    text = "Image 1: a ring.\nUnlike Fig. 3, it is dark.\nIt is large."
    assert scoped(text) == [("a ring.", [1]), ("Unlike Fig. 3, it is dark.", [3]), ("It is large.", [1])]
    assert scoped("Images 1 and 2: rings, unlike image 4") == [("rings, unlike image 4", [1, 2, 4])]
    assert scoped("A ring.") == [("A ring.", [])]


@pytest.mark.parametrize(
    "end",
    [
        "\nTaken together, an abscess.",
        "\nOverall, an abscess.",
        "\n- In summary: an abscess.",
        "\n综上所述：脓肿。",
        "## Reading\nTaken together, an abscess.",
        "**Reading**\nTogether, an abscess.",
        "Reading:\nOverall, an abscess.",
        "**Conclusion:** an abscess.",
        "Integration: an abscess.",
        "## Summary\nAn abscess.",
    ],
)
def test_what_sums_up_is_about_no_picture(end: str) -> None:
    found = strict_sentences(f"**Image 1:**\n- A ring.\n{end}")
    assert found[0] == ScopedSentence("A ring.", frozenset({1}))
    assert found[-1].images == frozenset()


def test_what_sums_up_within_a_section_stays_in_it() -> None:
    text = "**Image 1:**\n- A ring.\n- Overall, it is dark.\n\nIt grows together with a rim.\n\n**Findings:**\n- A rim."
    assert {tuple(images) for said, images in scoped(text) if said != "Findings:"} == {(1,)}


def test_tables_and_chinese() -> None:
    text = "| Image | Finding |\n|---|---|\n| Image 1 | uptake |\n图2：环形强化。脓肿！\n图3显示肿块。"
    assert scoped(text) == [
        ("Image | Finding", []),
        ("uptake", [1]),
        ("环形强化。", [2]),
        ("脓肿！", [2]),
        ("图3显示肿块。", [3]),
    ]


def test_measures_and_abbreviations_stay_whole() -> None:
    text = "12. 2.5 cm cyst, approx. round, e.g. a bleb. -5 HU. No. 2 is larger. No. Yes."
    assert [said for said, _ in scoped(text)] == [
        "2.5 cm cyst, approx. round, e.g. a bleb.",
        "-5 HU.",
        "No. 2 is larger.",
        "No.",
        "Yes.",
    ]


def test_thinking_labels_alone_and_numbers_are_no_sentences() -> None:
    assert scoped("<think>Image 1: bone.</think>Image 2: a ring.") == [("a ring.", [2])]
    assert scoped("<think>Image 1: bone. It goes on") == []
    assert scoped("Image 1:\nImage 2\n**Image 3**\n50%. 10.\n--- | ---") == []
    assert scoped("ok") == scoped("") == scoped(" \x0c\n") == []
    assert scoped("正常") == [("正常", [])]


@pytest.mark.parametrize(
    ("point", "text", "images"),
    [
        ("[Image 1] A ring.", "A ring.", {1}),
        ("[Figure 2] A ring.", "A ring.", {2}),
        ("[Images 1-3] Rings.", "Rings.", {1, 2, 3}),
        ("[Image 1 (T1-weighted)] A ring.", "A ring.", {1}),
        ("[Panel A] A ring.", "[Panel A] A ring.", set()),
        ("Together: a ring in image 2.", "Together: a ring in image 2.", set()),
        ("[Image 3]", "[Image 3]", {3}),
    ],
)
def test_a_point_and_its_pictures(point: str, text: str, images: set[int]) -> None:
    assert strict_point(point) == ScopedSentence(text, frozenset(images))


def test_a_label_without_an_end_leaves_nothing() -> None:
    assert scoped("Image 1") == scoped("Image 1.") == []


TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            ["Image 1:", "**Image 2**", "- ", "\n", "\n\n", "A ring. ", "图3：", "Overall, ", "3 cm", "# "]
        ),
        max_size=12,
    ).map("".join),
)


@given(TEXTS)
def test_sentences_are_never_blank_and_read_the_same_again(text: str) -> None:
    for sentence in sentences(text):
        assert len(sentence) >= 3
        assert sentence == sentence.strip()
    for found in strict_sentences(text):
        assert found.text.strip()
        assert all(0 <= image < 1000 for image in found.images)


@pytest.mark.parametrize(
    "unit", [" ", "\n", "*", "-", "__", "Image 1 ", "Image 1: ", "a: ", ".", "。", "#", "|", "1. "]
)
def test_long_texts_take_linear_time(unit: str) -> None:
    started = time.perf_counter()
    text = unit * (40_000 // len(unit))
    sentences(text)
    strict_sentences(text)
    strict_point(text)
    assert time.perf_counter() - started < 5
