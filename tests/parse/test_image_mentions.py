"""Which pictures an answer speaks of and labels, by the protocol's reading and by the strict one."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.parse.image_mentions import labelled, mentioned, strict_labelled, strict_mentioned

READINGS = (mentioned, labelled, strict_mentioned, strict_labelled)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("Image 1, image2 and IMAGE #3, image # 4", [1, 2, 3, 4]),
        ("Image １２", [12]),
        ("Image\n7", [7]),
        ("Images 1 and 2, Figure 3, 图像4, Image_5, Image No. 6, _Image 7", []),
        ("Image 1 and 2, image 3-5", [1, 3]),
        ("Image 2023a", [2023]),
        ("<think>Image 1</think>Image 0", [0, 1]),
    ],
)
def test_the_protocol_reads_one_number_after_the_word(text: str, numbers: list[int]) -> None:
    assert sorted(mentioned(text)) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (
            "Image 1: x\n**Image 2:** x\n**Image 3**: x\n*Image 4* : x\n> - ## Image #5 - x\nimage6) x",
            [1, 2, 3, 4, 5, 6],
        ),
        ("Image 1-3 show", [1]),
        ("Image 1 (MRI): x\n1. Image 2: x\n• Image 3: x\nImage 4 – x\n| Image 5 | x\n__Image 6__: x", []),
        ("In Image 1: x. Image 2: x", []),
        ("Image 1a: x\nImage 2：x\nImage 3", []),
        ("\n\n \x0cImage 1:", [1]),
    ],
)
def test_the_protocol_reads_a_label_at_the_start_of_a_line(text: str, numbers: list[int]) -> None:
    assert sorted(labelled(text)) == numbers


def test_a_number_of_any_length_is_read() -> None:
    (number,) = mentioned("image " + "9" * 10_000)
    assert number > 10**3_000
    assert labelled(f"Image {'9' * 10_000}:") == {number}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("Image 1", [1]),
        ("image1, Image #2, Image No. 3, Image_4, Image-5, Image number 6", [1, 2, 3, 4, 5, 6]),
        ("Images 1 and 2", [1, 2]),
        ("Image 1, 2, and 3 show it", [1, 2, 3]),
        ("Images 1, 2; 4 & 6", [1, 2, 4, 6]),
        ("Images 1/2 and #5 or 7", [1, 2, 5, 7]),
        ("**Images 1** and **2**", [1, 2]),
        ("Images 1-3", [1, 2, 3]),
        ("Image 1–3 and 5", [1, 2, 3, 5]),
        ("Images 1 – 3, 7", [1, 2, 3, 7]),
        ("Images 2 through 4, image 6 to 7", [2, 3, 4, 6, 7]),
        ("Images 3-1", [1, 3]),
        ("Figure 1, Fig. 2, fig 3, Figs. 4-5, Figures 7 and 8", [1, 2, 3, 4, 5, 7, 8]),
        ("图像1显示肿块。图2、3和4，图片 5至7", [1, 2, 3, 4, 5, 6, 7]),
        ("Ｉｍａｇｅ　１：x, Images １，２", [1, 2]),
        ("Image 1a and 1b, Image 2.1", [1, 2]),
        ("Image 1A-C", [1]),
        ("Image 1 of 3", [1]),
        ("Image 0 and Image 001", [0, 1]),
        ("Image 1 shows", [1]),
    ],
)
def test_the_strict_reading_takes_what_a_person_would(text: str, numbers: list[int]) -> None:
    assert sorted(strict_mentioned(text)) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Image 2023, image 1000, images 12345 and 3", []),
        ("the image 3 cm mass, image 1.5 mm, figure 12%, image 2× zoom, images 3-mm apart", []),
        ("images 2 weeks apart, image 18F-FDG, image 99mTc, image 3D", []),
        ("图像3张，图2个结节，心电图12导联", []),
        ("preimage 1, imaging 2, images, image one, the first image, Panel A, imagery 4, 5 images", []),
        ("In Image 1, 3 nodules are seen", [1]),
        ("Image 1: 3 nodules", [1]),
        ("Image 1 - 3 nodules", [1]),
        ("Image 1 and 2 cm below, image 2 to 3 mm", [1, 2]),
        ("In this image\n1. A ring", []),
        ("Image 1 and\n2. A ring", [1]),
        ("Image 1/3", [1]),
    ],
)
def test_other_numbers_are_no_pictures(text: str, numbers: list[int]) -> None:
    assert sorted(strict_mentioned(text)) == numbers


def test_a_range_is_bounded() -> None:
    assert strict_mentioned("Images 1-50") == set(range(1, 51))
    assert strict_mentioned("Images 1-51") == {1, 51}
    assert strict_mentioned("Images 1-999") == {1, 999}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (
            "Image 1 (MRI): x\n1. Image 2: x\n• Image 3: x\n**Image 4**: x\nImage 5 – x\n| Image 6 | x |",
            [1, 2, 3, 4, 5, 6],
        ),
        (
            "**Image 1:** x\n### Image 2\nx\n> Image 3) x\n[Image 4] x\n__Image 5__: x\n| 6 | Image 6 | x |",
            [1, 2, 3, 4, 5, 6],
        ),
        (
            "Figure 1: x\nFig. 2 - x\n图像3：x\n“Image 4”: x\nImage 5 —x\n2) **Image 6 (CT, axial)** – x",
            [1, 2, 3, 4, 5, 6],
        ),
        ('{\n  "Image 1": "x",\n  "Image 2": "x"\n}', [1, 2]),
        ("Images 1 and 2: x\nImages 4-6 (CT): x", [1, 2, 4, 5, 6]),
        ("Image 1\r\nx\r\nImage 2\r\nx", [1, 2]),
        ("Image 1 shows\nIn Image 2, x\nImage 3 (MRI) shows\nImage 4-weighted\nImage 5, x\nImage 1-3 show", []),
        ("Image 1: x. Image 2: x", [1]),
        ("Image 2023: archive\nImage 3 cm: x", []),
        ("Image 1a: x", [1]),
    ],
)
def test_the_strict_reading_of_labels(text: str, numbers: list[int]) -> None:
    assert sorted(strict_labelled(text)) == numbers


def test_thinking_is_not_read() -> None:
    text = "<think>Image 1: maybe. Image 5 too.</think>Image 2: soft tissue"
    assert strict_mentioned(text) == strict_labelled(text) == {2}
    assert strict_mentioned("<think>Image 1: maybe") == strict_labelled("<think>Image 1: maybe") == set()
    assert mentioned(text) == {1, 2, 5}


LENGTH = 200_000
HOSTILE = [
    "image",
    "image ",
    "image\n",
    "\n",
    " ",
    " \n",
    ">",
    "- ",
    "| ",
    "1. ",
    "*",
    "__",
    "9",
    "images 1",
    "image 1 - ",
    "image 1 and ",
    "(image 1 (",
    "图1、",
    "<think>",
]
OPENED = [
    ("image", " "),
    ("image ", "9"),
    ("image #", " "),
    ("image 1", "*"),
    ("image 1 ", "* "),
    ("image 1 ", "("),
    ("image 1", "\n"),
    ("image 1 (", "a"),
    ("image 1, 2", ", 3"),
    ("images 1", ", 2"),
    ("images 1-50", ", 1-50"),
    ("images 1", " & 2"),
    ("image 1", " and 2"),
]


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(("start", "unit"), [*(("", unit) for unit in HOSTILE), *OPENED])
def test_long_hostile_texts_take_linear_time(reading: Callable[[str], frozenset[int]], start: str, unit: str) -> None:
    text = start + unit * (LENGTH // len(unit))
    begin = time.process_time()
    reading(text)
    # A few tenths of a second; quadratic time would take minutes.
    assert time.process_time() - begin < 5


PIECES = st.lists(
    st.sampled_from(
        ["Image", "images", "Fig.", "图", " ", "\n", "1", "2", "12", "2024", ",", " and ", "-", "–", ":", "|", "#", "*"]
    )
)


@given(st.one_of(st.text(), PIECES.map("".join)))
def test_a_label_is_a_mention_and_numbers_are_bounded(text: str) -> None:
    assert labelled(text) <= mentioned(text)
    assert strict_labelled(text) <= strict_mentioned(text) <= set(range(1_000))


@given(PIECES.map("".join), PIECES.map("".join))
def test_lines_are_read_one_by_one(first: str, second: str) -> None:
    together = f"{first}.\n\n{second}"
    for reading in READINGS[2:]:
        assert reading(together) == reading(f"{first}.") | reading(second)


@given(st.frozensets(st.integers(0, 999), min_size=1, max_size=20))
def test_a_list_written_out_is_read_back(numbers: frozenset[int]) -> None:
    listed = [str(number) for number in sorted(numbers)]
    text = " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)
    assert strict_mentioned(f"Images {text} show it") == numbers
    assert strict_labelled(f"- Images {text}: x") == numbers
    assert strict_mentioned(f"Image {text} shows it") == numbers
