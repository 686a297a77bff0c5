"""Replies of judges: JSON wherever it stands, by id, whole or refused; the recorded replies, differences by name."""

from __future__ import annotations

import contextlib
import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.errors import ReplyError
from mrarebench_hf.parse.judge_reply import dimensions, evidence, rarity

GOLDEN = Path(__file__).parents[1] / "golden" / "t1_judge_cases.jsonl.gz"
ONE = '{"points":[{"id":1,"present":true}]}'


def recorded(kind: str) -> list[dict[str, Any]]:
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as file:
        return [case for case in map(json.loads, file) if case["kind"] == kind]


def points(*present: bool) -> list[dict[str, Any]]:
    return [{"id": n, "present": verdict, "contradicted": False} for n, verdict in enumerate(present, 1)]


@pytest.mark.parametrize(
    "reply",
    [
        f"```json\n{ONE}\n```",
        f"Sure! Here it is: {ONE} Hope this helps.",
        '{"points":[{"id":1,"present":true,"reason":"uses ```code``` marks"}]}',
        f'An example: {{"points":[{{"id":1,"present":false}}]}}. The verdict: {ONE}',
        f"{ONE}\nA note: {{}}",
        f"{{not json}} {ONE}",
        '[{"id": "1", "present": "Yes"}]',
    ],
)
def test_br32_json_is_found_wherever_it_stands(reply: str) -> None:
    assert evidence(reply, 0, 1) == {"required": [], "optional": [1], "contradicted": []}


def test_lines_are_presence_of_all_points_then_contradiction_of_the_required_ones() -> None:
    assert evidence("YES\nNO\nYES\nNO\nYES", 2, 1) == {"required": [1, 0], "optional": [1], "contradicted": [0, 1]}


def test_br33_a_terse_judge_gives_no_recall_of_one() -> None:
    with pytest.raises(ReplyError, match=r"1 verdicts for 5 points; none on \[2, 3, 4, 5\]") as told:
        evidence(ONE, 5, 0)
    assert told.value.reason == "too_few_verdicts"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("<think>YES", "thinking"),
        ('{"points": [{"id": 3, "present": true}]}', "wrong_numbers"),
        ('{"points": [{"id": true, "present": true}]}', "wrong_numbers"),
        ('{"points": [{"id": "one", "present": true}]}', "wrong_numbers"),
        ('{"points": [{"id": 1, "present": true}, {"id": 1, "present": false}]}', "wrong_numbers"),
        ('{"points": [{"id": 1, "present": "partly"}]}', "line_in_doubt"),
        ('{"points": [{"id": 1}]}', "line_in_doubt"),
        ('{"points": "all"}', "no_verdicts"),
        ("[1, 2]", "no_verdicts"),
        ("7", "no_verdicts"),
    ],
)
def test_what_is_not_whole_is_refused_by_name(reply: str, reason: str) -> None:
    with pytest.raises(ReplyError) as told:
        evidence(reply, 0, 1)
    assert told.value.reason == reason


VERDICTS = st.lists(st.booleans(), min_size=1, max_size=8)


@given(VERDICTS, st.integers(0, 8), st.randoms())
def test_br33_verdicts_are_joined_by_id(verdicts: list[bool], n_required: int, random: Any) -> None:
    n_required = min(n_required, len(verdicts))
    expected = evidence(json.dumps({"points": points(*verdicts)}), n_required, len(verdicts) - n_required)
    assert expected["required"] + expected["optional"] == [int(verdict) for verdict in verdicts]
    shuffled = points(*verdicts)
    random.shuffle(shuffled)
    assert evidence(json.dumps({"points": shuffled}), n_required, len(verdicts) - n_required) == expected
    for broken in (shuffled[1:], [*shuffled, shuffled[0]]):
        with pytest.raises(ReplyError):
            evidence(json.dumps({"points": broken}), n_required, len(verdicts) - n_required)


@given(VERDICTS, st.text(st.characters(exclude_characters="{}[]<◁"), max_size=60), st.text(max_size=0))
def test_prose_around_json_changes_nothing(verdicts: list[bool], before: str, after: str) -> None:
    plain = json.dumps({"points": points(*verdicts)})
    assert evidence(f"{before}\n{plain}\n{after}", 0, len(verdicts)) == evidence(plain, 0, len(verdicts))


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (lambda: evidence(text, 2, 1), lambda: dimensions(text), lambda: rarity(text)):
        with contextlib.suppress(ReplyError):
            assert isinstance(read(), dict)


@pytest.mark.parametrize("text", ["{" * 100_000, '{"a":' * 20_000, "[" * 100_000, "YES " * 50_000, "1. " * 50_000])
def test_hostile_text_costs_no_time(text: str) -> None:
    start = time.monotonic()
    with pytest.raises(ReplyError):
        evidence(text, 2, 1)
    assert time.monotonic() - start < 5


# What the harness makes of replies that are no five lines, or hold a grade that is none: docs/parity.md.
REFUSED_DIMENSIONS = {
    "YES, YES, 3, YES, YES": "too_few_verdicts",
    "YES\nYES\n2 out of 3\nYES\nYES": "line_in_doubt",
    "YES\nYES\nScore 2\nYES\nYES": "line_in_doubt",
    "YES\nYES\n4\nYES\nYES": "line_in_doubt",
    "YES\nYES\n10\nYES\nYES": "line_in_doubt",
    "YES\nYES\n-1\nYES\nYES": None,
    "Here are my answers:\nYES\nYES\n3\nYES\nYES": "too_many_verdicts",
    "Not present\nNo\n1\nNo issue, yes\nYes, no vague items": "line_in_doubt",
    "YES": "too_few_verdicts",
    "": "empty",
    "Failed to obtain answer via API.": "too_few_verdicts",
    "是\n否\n3\n是\n否": "line_in_doubt",
    '{"presence":"YES","top1":"NO","type_match":2}': "too_few_verdicts",
    "YES.\nNO.\n3 = synonym\nYES.\nNO.": "line_in_doubt",
    "yes yes\nno yes\n2 1\nyes no\nno": "line_in_doubt",
    "１\n２\n３\nYES\nNO": "line_in_doubt",
    "1. YES\n2. NO\n3. TYPE_MATCH (0-3): 2\n4. YES\n5. YES": "line_in_doubt",
    "YES\nNO\n3) 2\nYES\nNO\nextra line\nYES": "too_many_verdicts",
}
# Replies that the harness reads wrongly and we read as they are meant.
READ_OTHERWISE = {
    "YES\nYES\n3.\nYES\nYES": [1, 1, 3, 1, 1],
    "```\nYES\nYES\n3\nYES\nYES\n```": [1, 1, 3, 1, 1],
    "<think>hmm</think>\nYES\nYES\n3\nYES\nYES": [1, 1, 3, 1, 1],
}


def test_the_recorded_replies_of_the_t1_judge() -> None:
    for case in recorded("dims"):
        reply = case["reply"]
        try:
            found: object = list(dimensions(reply).values())
        except ReplyError as error:
            found = error.reason
        expected = READ_OTHERWISE.get(reply) or REFUSED_DIMENSIONS.get(reply) or case["dims"]
        assert found == expected, reply


def test_dimensions_as_json() -> None:
    reply = json.dumps({"presence": True, "top1": "no", "type_match": "2", "specificity": True, "coherence": False})
    assert dimensions(f"```json\n{reply}\n```") == {
        "presence": 1,
        "top1": 0,
        "type_match": 2,
        "specificity": 1,
        "coherence": 0,
    }
    assert dimensions(f'{reply} {{"note": 1}}') == dimensions(reply)
    with pytest.raises(ReplyError, match="type_match is True, not 0, 1, 2 or 3"):
        dimensions(reply.replace('"2"', "true"))


def test_the_recorded_replies_of_the_rare_candidate_judge() -> None:
    # Refused by us: no label, or one that is none. Read by us: the last object, a list, Python's quotes.
    otherwise = {'["rare"]': "rare", '{"label":"rare"} {"label":"generic"}': "generic", "{'label': 'rare'}": "rare"}
    for case in recorded("rare"):
        reply = case["reply"]
        try:
            found = rarity(reply)["label"]
        except ReplyError:
            assert case["record"]["label"] == "unknown", reply
        else:
            assert found == otherwise.get(reply, case["record"]["label"]), reply


def test_a_rarity_is_one_label() -> None:
    assert rarity("Non-rare.") == {"label": "nonrare"}
    for reply in ("rare\ngeneric", "perhaps rare", '{"label": null}'):
        with pytest.raises(ReplyError):
            rarity(reply)
