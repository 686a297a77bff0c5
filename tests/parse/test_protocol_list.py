"""The published protocol's reading of a list, kept with its faults."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.parse.ranked_list import MAX_CANDIDATES, protocol_list, protocol_ten


@pytest.mark.parametrize(
    ("reply", "ranked"),
    [
        ("1. A\n2) B", ["A", "B"]),
        ("2. B\n1. A", ["B", "A"]),
        ("١. A", ["A"]),
        ("A\n- B; * C", ["A", "B", "C"]),
        ("1. A 2. B", ["A 2. B"]),
        ("<think>x</think>1. A 2. B", ["A", "B"]),
        ("<think>x</think>1. A", ["A"]),
        ("<think>1. x\n2. y</think>\n1. A\n2. B", ["A", "B"]),
        ("<think>1. A", ["<think>1. A"]),
        ("1. x</think>\n2. B", ["x</think>", "B"]),
        ("<b>1. A</b>", ["<b>1. A</b>"]),
        ("", []),
        (" \n;-* ", []),
    ],
)
def test_readings(reply: str, ranked: list[str]) -> None:
    assert protocol_list(reply) == ranked


def test_ten_distinct_are_kept() -> None:
    assert protocol_ten([*"abA", "", *"cdefghijklm"]) == list("abcdefghij")
    assert protocol_ten([]) == []


@given(st.text())
def test_any_text_gives_at_most_ten_distinct_candidates(reply: str) -> None:
    ranked = protocol_list(reply)
    assert len(ranked) <= MAX_CANDIDATES
    assert len({name.lower() for name in ranked}) == len(ranked)
    assert all(ranked)


@given(st.lists(st.sampled_from(["<think>", "</think>", "<THINK>", "1. a", "\n", "2) b ", "x"])).map("".join))
def test_thinking_goes_as_the_lazy_pattern_takes_it(reply: str) -> None:
    without = re.sub(r"<think>.*?</think>", "", reply, flags=re.DOTALL | re.IGNORECASE)
    if "<think>" not in without.lower():
        lines = [m[1].strip() for m in (re.match(r"\s*\d+[.)]\s*(.+)", x) for x in without.strip().splitlines()) if m]
        if len(lines) > 1:
            assert protocol_list(reply) == protocol_ten(lines)


@pytest.mark.parametrize("piece", ["<think>", "1. ", " ", "\n", ";", "</think><think>", "9", "<think>1. a </think>"])
def test_a_megabyte_is_read_in_no_time(piece: str) -> None:
    reply = piece * (1_000_000 // len(piece))
    start = time.process_time()
    protocol_list(reply)
    assert time.process_time() - start < 5
