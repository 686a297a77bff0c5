"""Which block of an answer counts, by both rules."""

from __future__ import annotations

import pytest

from mrarebench_hf.parse.answer_block import first_block, last_block


@pytest.mark.parametrize(
    ("reply", "block"),
    [
        ("Use the form <answer>major, minor</answer>. <answer>12.5, 8.0</answer>", "12.5, 8.0"),
        ("<answer>10, 5</answer> wait <answer>12.5, 8.0</answer>", "12.5, 8.0"),
        ("<ANSWER>\n**12.5**, 8.0\n</ANSWER>", "\n**12.5**, 8.0\n"),
        ("<answer>12.5, 8.0", None),
    ],
)
def test_br17_the_last_complete_block_counts(reply: str, block: str | None) -> None:
    assert last_block(reply) == block


@pytest.mark.parametrize(
    ("reply", "block"),
    [
        ("<think><answer>1</answer></think> <answer>2</answer>", "2"),
        ("<think>maybe <answer>1</answer></think> I cannot tell", None),
        ("<answer>1</answer> and <answer>2", "1"),
        ("<answer>1 <answer>2</answer></answer>", "2"),
        ("< answer >3< /answer >", "3"),
        ('<answer type="box">4</answer>', "4"),
        ("</answer>5<answer>", None),
        ("<answers>6</answers>", None),
        ("<answer-box>6</answer-box>", None),
        ("<answer></answer>", ""),
        ("", None),
    ],
)
def test_a_block_is_complete_outside_thinking_and_in_any_case(reply: str, block: str | None) -> None:
    assert last_block(reply) == block


@pytest.mark.parametrize(
    ("reply", "block"),
    [
        ("<answer>10, 5</answer> wait <answer>12.5, 8.0</answer>", "10, 5"),
        ("<think><answer>1</answer></think> <answer>2</answer>", "1"),
        ("<ANSWER>1</ANSWER>", None),
        ("<answer >1</answer>", None),
        ("<answer>1\n2</answer>", "1\n2"),
        ("<answer>1 <answer>2</answer>", "1 <answer>2"),
    ],
)
def test_the_other_package_takes_the_first_block_in_lower_case(reply: str, block: str | None) -> None:
    assert first_block(reply) == block
