"""Lines of verdicts: the protocol's reading to the letter, and a strict one that would rather refuse than guess."""

from __future__ import annotations

import contextlib
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.errors import ReplyError
from mrarebench_hf.parse.verdict_lines import protocol_verdicts, strict_lines

GOLDEN = Path(__file__).parents[1] / "golden" / "t2_cases.jsonl.gz"


def recorded() -> list[dict[str, Any]]:
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as file:
        return [case for case in map(json.loads, file) if case["kind"] == "parse_binary"]


def test_the_protocol_s_reading_of_every_recorded_reply() -> None:
    cases = recorded()
    assert len(cases) == 267
    assert [protocol_verdicts(case["reply"], case["n"]) for case in cases] == [case["vec"] for case in cases]


def test_the_strict_reading_of_recorded_replies_is_what_was_meant_or_none() -> None:
    n_read = 0
    for case in recorded():
        if "intended" in case:
            try:
                found = strict_lines(case["reply"], case["n"])
            except ReplyError:
                continue
            assert [int(verdict) for verdict in found] == case["intended"], case["reply"]
            n_read += 1
    assert n_read >= 69


@pytest.mark.parametrize(
    "reply",
    [
        "YES\nNO",
        "1. YES\n2. NO",
        "2: NO\n1: YES",
        "Line 1: Yes\nLine 2: No",
        "YES (1)\n\nNO (2)",
        "**YES**\n**NO**",
        "1) [yes]\n2) [no]",
        "```\nYES\nNO\n```",
        "Verdicts:\nYES\nNO",
        "Coverage:\nYES\nContradiction:\nNO",
        "YES - it says so, no doubt\nNO – because there is nothing",
        "YES\nNO\nOverall: YES",
        "YES\nNO\nThat is all.",
        "是\n否",
        "ＹＥＳ\nＮＯ",
        "YES\r\nNO\r\n",
    ],
)
def test_whole_replies_are_read(reply: str) -> None:
    assert strict_lines(reply, 2) == [True, False]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "no_verdicts"),
        ("eyes\nknow", "no_verdicts"),
        ("YES", "too_few_verdicts"),
        ("YES\nNO\nYES", "too_many_verdicts"),
        ("No problem, here they are:\nYES\nNO", "line_in_doubt"),
        ("YES NO", "line_in_doubt"),
        ("YES, partly\nNO", "line_in_doubt"),
        ("YES\nunclear\nNO", "line_in_doubt"),
        ("Overall: YES\nYES\nNO", "line_in_doubt"),
        ("1. YES\nNO", "mixed_numbering"),
        ("1. YES\n1. NO", "wrong_numbers"),
        ("2. YES\n3. NO", "wrong_numbers"),
    ],
)
def test_what_is_not_whole_is_refused_by_name(reply: str, reason: str) -> None:
    with pytest.raises(ReplyError) as told:
        strict_lines(reply, 2)
    assert told.value.reason == reason


@given(st.lists(st.booleans(), min_size=1, max_size=20), st.randoms())
def test_numbered_lines_may_come_in_any_order(verdicts: list[bool], random: Any) -> None:
    lines = [f"{number}: {'YES' if verdict else 'NO'}" for number, verdict in enumerate(verdicts, 1)]
    random.shuffle(lines)
    assert strict_lines("\n".join(lines), len(verdicts)) == verdicts
    with pytest.raises(ReplyError):
        strict_lines("\n".join(lines[1:]), len(verdicts))


@given(st.text(max_size=80), st.integers(0, 5))
def test_any_text_is_read_or_refused(text: str, n: int) -> None:
    with contextlib.suppress(ReplyError):
        assert len(strict_lines(text, n)) == n
