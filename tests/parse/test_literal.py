"""Targets as text: JSON or literals, never evaluated."""

from __future__ import annotations

from typing import Any

import pytest

from mrarebench_hf.parse.literal import numbers


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("[0.1, 0.2, 0.5, 0.6]", (0.1, 0.2, 0.5, 0.6)),
        ("(10, 5)", (10.0, 5.0)),
        (" [1, 2] ", (1.0, 2.0)),
        ("[1., 2.,]", (1.0, 2.0)),
        ("45.3", (45.3,)),
        ("-1e-3", (-0.001,)),
        (45, (45.0,)),
        ([31.2, 18], (31.2, 18.0)),
        ((1, 2), (1.0, 2.0)),
    ],
)
def test_numbers_of_a_target(target: Any, found: tuple[float, ...]) -> None:
    assert numbers(target) == found


@pytest.mark.parametrize(
    "target",
    [
        "__import__('os').getcwd()", "print(1)", "nan", "NaN", "[NaN, 1]", "inf", "1e999", "1" * 400,
        "[np.float64(1.0)]", "[[1, 2]]", "[]", "()", "", "abc", "True", "[true]", "null", "{'a': 1}", "[" * 900,
        "[1" * 2000, None, True, {}, [None], ["1"], "1j", b"1", "(" * 200,
    ],
)  # fmt: skip
def test_anything_else_is_refused(target: Any) -> None:
    with pytest.raises(ValueError, match="target"):
        numbers(target)


def test_an_integer_beyond_any_double_is_not_finite() -> None:
    with pytest.raises(ValueError, match="not finite"):
        numbers([10**400])
