"""What is read of a reply that thinks aloud."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.parse._thinking import after_thinking
from mrarebench_hf.parse.ranked_list import strict_list
from mrarebench_hf.score.ranked_diagnosis import Reference, aggregate, score_items

TAGS = ["<think>", "</think>", "<THINKING>", "</thinking>", "[THINK]", "[/THINK]", "1. Fabry", "\n", " ", "◁think▷"]


@pytest.mark.parametrize(
    ("reply", "text", "unclosed"),
    [
        ("<think>a</think>1. X", "1. X", False),
        ("<think>a</think>\n\n<think>b</think>\n1. X", "1. X", False),
        ("a</think>1. X", "1. X", False),
        ("<think>a<think>b</think>c</think>1. X", "1. X", False),
        ("<THINKING>a</Thinking> \n 1. X \n", " 1. X", False),
        ("[THINK]a[/THINK]1. X", "1. X", False),
        ("◁think▷a◁/think▷1. X", "1. X", False),
        ('<think time="1">a</think>1. X', "1. X", False),
        ("<thinking_process>a</thinking_process>1. X", "1. X", False),
        ("<seed:think>a</seed:think>1. X", "1. X", False),
        ("<unused94>thought\na<unused95>1. X", "1. X", False),
        ("<unused94>thought\n1. X", "", True),
        ("[reasoning from image 2] 1. X", "[reasoning from image 2] 1. X", False),
        ("<|channel|>final <|constrain|>json<|message|>1. X", "1. X", False),
        ("<|channel|>commentary to=f <|constrain|>json<|message|>1. X", "", True),
        ("1. X\n<think>check</think>", "1. X", False),
        ("<think>1. X", "", True),
        ("1. X <think> or rather", "", True),
        ("I think 1. X", "I think 1. X", False),
        ("", "", False),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>1. X", "1. X", False),
        ("<|channel|>analysis<|message|>1. X", "", True),
        ("<|channel|>", "", True),
    ],
)
def test_only_the_text_after_thinking_counts(reply: str, text: str, unclosed: bool) -> None:
    answer = after_thinking(reply)
    assert (answer.text, answer.unclosed) == (text, unclosed)


@given(st.lists(st.sampled_from(TAGS)).map("".join))
def test_what_is_left_holds_no_thinking_tag(reply: str) -> None:
    text = after_thinking(reply).text
    assert "<think>" not in text
    assert "</thinking>" not in text
    assert after_thinking(text).text == text


def test_br16_a_diagnosis_only_considered_while_thinking_is_no_hit() -> None:
    gold = Reference("Fabry disease")
    replies = [
        "<think>1. Fabry disease</think>\n1. Pompe disease\n2. Gaucher disease",
        "weighing it, Fabry fits</think>1. Pompe disease",
        "<think>1. Fabry disease 2.",
        "I think of these:\n1. Pompe disease\n2. Fabry disease",
    ]
    items = score_items(replies, [gold] * 4)
    assert [item.strict_first_hit_rank for item in items] == [None, None, None, 2]
    assert [item.strict_status for item in items] == ["scored", "scored", "unparsed", "scored"]
    assert items[2].reason == "unclosed_thinking"
    assert aggregate(items).counts()["reasons"] == {"unclosed_thinking": 1}
    assert strict_list(replies[3]).candidates == ("Pompe disease", "Fabry disease")
