"""Numbers of an answer: those that were meant, or a named reason; and what the other package reads."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrarebench_hf.families import FAMILIES, Family, get
from mrarebench_hf.parse.measurement import REASONS, read, read_protocol

AD, TL, BOX = get("AD"), get("TL"), get("Detection")


def _in_tag(text: str) -> str:
    return f"<answer>{text}</answer>"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", 1234.5),
        ("−12.5", -12.5),
        ("1e-2", 0.01),
        (".5", 0.5),
        ("72, in total", 72.0),
        ("45°", 45.0),
    ],
)
def test_br18_the_number_that_was_meant(text: str, value: float) -> None:
    assert read(_in_tag(text), AD).values == (value,)


def test_br18_a_range_and_mixed_units_are_no_answer() -> None:
    assert read(_in_tag("10-12"), AD).reason == "too_many"
    assert read(_in_tag("12.5 mm x 8 cm"), TL).reason == "wrong_unit"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[0.1,0.2,0.5,0.6,0.93]", "too_many"),
        ("[0.1,0.2,0.5]", "too_few"),
        ("[[470,]]", "too_few"),
        ("", "no_number"),
    ],
)
def test_br20_exactly_four_numbers_or_none(text: str, reason: str) -> None:
    assert read(_in_tag(text), BOX).reason == reason


def test_br20_the_digit_of_a_json_key_is_no_number() -> None:
    assert read(_in_tag('{"bbox_2d": [0.1, 0.2, 0.5, 0.6]}'), BOX).values == (0.1, 0.2, 0.5, 0.6)


@pytest.mark.parametrize(
    ("text", "family", "values"),
    [
        ("12,345", TL, (12.0, 345.0)),  # commas are separators first
        ("12,345", AD, (12345.0,)),  # groups of thousands second
        ("1,234,567", AD, (1234567.0,)),
        ("1,234, 5", TL, (1234.0, 5.0)),
        ("-1,234.5", AD, (-1234.5,)),
        ("12.5 mm x 8.0 mm", TL, (12.5, 8.0)),
        ("12.5x8", TL, (12.5, 8.0)),
        ("12.5 × 8", TL, (12.5, 8.0)),
        ("１２．５", AD, (12.5,)),
        (r"$45^\circ$", AD, (45.0,)),
        (r"\boxed{12.5\,\text{mm}}", AD, (12.5,)),
        ("**12.5**", AD, (12.5,)),
        ("1. 12.5\n2. 8.0", TL, (12.5, 8.0)),
        ("+3.5", AD, (3.5,)),
        ("x1=0.1, y1=0.2, x2=0.3, y2=0.4", BOX, (0.1, 0.2, 0.3, 0.4)),
        ("12.5 and 8", TL, (12.5, 8.0)),
        ("10–12", TL, (10.0, 12.0)),
        ("10 - 12 mm", TL, (10.0, 12.0)),
    ],
)
def test_the_grammar(text: str, family: Family, values: tuple[float, ...]) -> None:
    assert read(_in_tag(text), family).values == values


@pytest.mark.parametrize(
    ("text", "family", "reason"),
    [
        ("10mm2 of 1.2.3", AD, "ambiguous"),
        ("10^3", AD, "ambiguous"),
        ("1_000", AD, "ambiguous"),
        ("12'345", AD, "ambiguous"),
        ("-5 - -3", TL, None),
        ("about --5", AD, "ambiguous"),
        ("x-5", AD, "ambiguous"),
        ("5 cm", AD, "wrong_unit"),
        ("5 px", TL, "wrong_unit"),
        ("50 %", BOX, "wrong_unit"),
        ("nan", AD, "not_finite"),
        ("∞", AD, "not_finite"),
        ("1e999", AD, "not_finite"),
        ("no lesion", TL, "no_number"),
        ("t2 x1", AD, "no_number"),
        ("0,123", AD, "too_many"),
        ("1,23", AD, "too_many"),
        ("1234,567", AD, "too_many"),
        ("1.5,234", AD, "too_many"),
    ],
)
def test_what_is_no_answer(text: str, family: Family, reason: str | None) -> None:
    assert read(_in_tag(text), family).reason == reason


def test_without_a_block_there_is_no_answer() -> None:
    assert read("12.5", AD).reason == "no_tag"


@pytest.mark.parametrize(
    ("text", "by_k"),
    [
        (".5", ("5", "", "")),
        ("−5", ("5", "", "")),
        ("0.5-0.7", ("-0.7", "0.5,-0.7", "")),
        ("12,5", ("5", "12,5", "")),
        ("12,345", ("12345", "", "")),
        ("[100,200,300,400]", ("100200300400", "", "")),
        ("0,0,100,200", ("0100200", "0,0100200", "")),
        ("x1=0.1,y1=0.2,x2=0.3,y2=0.4", ("0.4", "2,0.4", "2,0.3,2,0.4")),
        ("10mm2", ("2", "10,2", "")),
        ("1.2.3", ("3", "1.2,3", "")),
        ("1_000", ("000", "1,000", "")),
        ("nan", ("", "", "")),
        ("١٢", ("١٢", "", "")),
    ],
)
def test_what_the_other_package_reads(text: str, by_k: tuple[str, str, str]) -> None:
    assert tuple(read_protocol(_in_tag(text), k) for k in (1, 2, 4)) == by_k


_NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 4))


@settings(deadline=None, max_examples=150)
@given(values=st.lists(_NUMBERS, min_size=4, max_size=4), spelling=st.sampled_from(["plain", "list", "unit", "lines"]))
def test_numbers_come_back_in_every_spelling(values: list[float], spelling: str) -> None:
    for family in FAMILIES:
        wanted = tuple(values[: family.n_values])
        texts = [f"{value:.4f}" for value in wanted]
        unit = next(iter(sorted(family.units)))
        text = {
            "plain": ", ".join(texts),
            "list": f"[{','.join(texts)}]",
            "unit": ", ".join(f"{one} {unit}" for one in texts),
            "lines": "\n".join(texts),
        }[spelling]
        assert read(_in_tag(text), family).values == wanted


@settings(deadline=None, max_examples=300)
@given(text=st.text(st.sampled_from("0123456789.,-+−eE xmm°%[](){}\"':/^_\n\\²½٣<>"), max_size=30))
def test_a_reading_has_exactly_k_finite_numbers_or_a_reason(text: str) -> None:
    for family in FAMILIES:
        found = read(_in_tag(text), family)
        if found.values is None:
            assert found.reason in REASONS
        else:
            assert found.reason is None
            assert len(found.values) == family.n_values
            assert all(map(math.isfinite, found.values))
