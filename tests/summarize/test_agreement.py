"""Agreement of judges: kappa by hand and against an independent implementation, and what is compared at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from mrarebench_hf.summarize.agreement import agreement, cohen_kappa


def document(judge: str, number: int = 1, **verdicts: Any) -> dict[str, Any]:
    rows = [{"index": index, "content_sha256": "x", "verdict": verdict} for index, verdict in verdicts.items()]
    return {"judge": judge, "rubric": "evidence", "pass": number, "verdicts": rows}


def test_kappa_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed 0.7, by chance 0.5 (the textbook's example).
    a = [1] * 25 + [0] * 25
    b = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(a, b) == pytest.approx(0.4)


@pytest.mark.parametrize(("a", "b"), [([], []), ([1, 1], [1, 1])])
def test_kappa_is_undefined_where_chance_explains_all(a: list[int], b: list[int]) -> None:
    assert cohen_kappa(a, b) is None


def test_unequal_lists_are_refused() -> None:
    with pytest.raises(ValueError, match="equally many, got 1 and 2"):
        cohen_kappa([1], [1, 0])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40))
def test_kappa_equals_an_independent_implementation(pairs: list[tuple[int, int]]) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    found = cohen_kappa(a, b)
    if found is not None:
        assert found == pytest.approx(cohen_kappa_score(a, b))
        assert found <= 1


def test_points_of_shared_questions_are_compared_kind_by_kind() -> None:
    first = document("A", one={"required": [1, 0], "contradicted": [0, 0]}, two={"required": [1], "contradicted": [0]})
    second = document("B", 2, one={"required": [1, 1], "contradicted": [0, 0]}, two=None, three={"required": [1]})
    found = agreement(first, second)
    assert found is not None
    assert found["judges"] == ["A", "B (pass 2)"]
    assert (found["n_both"], found["n_one_only"]) == (1, 2)
    assert found["verdicts"]["required"] == {"n": 2, "agreement": 0.5, "kappa": 0.0}
    assert found["verdicts"]["contradicted"] == {"n": 2, "agreement": 1.0, "kappa": None}
    assert found["verdicts"]["all"]["n"] == 4


def test_verdicts_on_another_answer_are_not_compared() -> None:
    first, second = document("A", one={"label": "rare"}), document("B", one={"label": "rare"})
    second["verdicts"][0]["content_sha256"] = "y"
    assert agreement(first, second) is None
