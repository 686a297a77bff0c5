"""Similarity by TF-IDF, and how a backend is chosen."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.errors import UsageError
from mrarebench_hf.similarity import open_similarity

TFIDF = open_similarity("tfidf")


def test_values_by_hand() -> None:
    # Two one-word texts in three documents: "ring" in all, so its weight is 1; "dark" and "dark ring" in one, 1 + ln 2.
    weight = 1 + np.log(4 / 2)
    found = TFIDF.matrix(["the ring"], ["dark ring", "a ring"])
    assert found == pytest.approx(np.array([[1 / np.sqrt(1 + 2 * weight**2), 1.0]]))
    assert found.dtype == np.float64


def test_weights_depend_on_the_pair_of_lists() -> None:
    alone = TFIDF.matrix(["dark ring"], ["dark core"])[0, 0]
    among = TFIDF.matrix(["dark ring"], ["dark core", "dark mass", "dark rim"])[0, 0]
    assert among < alone


@pytest.mark.parametrize("text", ["戈", "The.", "It is.", "я", "ok a", "1"])
def test_br26_equal_texts_are_alike_where_no_word_counts(text: str) -> None:
    other = "及"
    assert TFIDF.matrix([text], [f" {text}\n", other]).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("text", ["戈谢病", "болезнь Гоше", "مرض غوشيه", "liver biopsy"])
def test_br26_identical_text_is_one_in_any_script(text: str) -> None:
    assert TFIDF.matrix([text], [text])[0, 0] == pytest.approx(1)


@pytest.mark.parametrize("text", ["", " ", "\x0c"])
def test_br26_nothing_is_like_nothing(text: str) -> None:
    assert TFIDF.matrix([text], ["liver biopsy", text]).tolist() == [[0.0, 0.0]]
    assert TFIDF.matrix([text], [text]).tolist() == [[0.0]]


def test_empty_lists_give_empty_matrices() -> None:
    assert TFIDF.matrix([], ["a ring"]).shape == (0, 1)
    assert TFIDF.matrix(["a ring"], []).shape == (1, 0)
    assert TFIDF.matrix([], []).shape == (0, 0)


def test_nothing_is_prepared_or_cut() -> None:
    TFIDF.prepare(["a ring"])
    assert TFIDF.n_truncated(["ring " * 1000]) == 0
    assert TFIDF.name == "tfidf"


@given(st.lists(st.text(max_size=12), max_size=4), st.lists(st.text(max_size=12), max_size=4))
def test_values_lie_between_zero_and_one(a: list[str], b: list[str]) -> None:
    found = TFIDF.matrix(a, b)
    assert found.shape == (len(a), len(b))
    assert np.all(found >= 0)
    assert np.all(found <= 1 + 1e-9)
    assert found == pytest.approx(TFIDF.matrix(b, a).T)


@pytest.mark.parametrize("spec", ["", " "])
def test_an_empty_name_is_refused(spec: str) -> None:
    with pytest.raises(UsageError, match="the name of the similarity is empty"):
        open_similarity(spec)


def test_importing_and_tfidf_load_no_model_library() -> None:
    code = (
        "import sys\n"
        "import mrarebench_hf.similarity as s\n"
        "print([n for n in ('torch', 'sentence_transformers', 'sklearn') if n in sys.modules])\n"
        "s.open_similarity('tfidf').matrix(['a ring'], ['a ring'])\n"
        "print([n for n in ('torch', 'sentence_transformers') if n in sys.modules])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.split("\n")[:2] == ["[]", "[]"]
