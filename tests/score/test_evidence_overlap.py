"""Overlap of answers with evidence points: values by hand, what counts as wrong, and the strict twins."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mrarebench_hf.errors import UsageError
from mrarebench_hf.parse.evidence_points import BUCKETS, Points, points_of
from mrarebench_hf.score.evidence_overlap import (
    METRICS,
    ItemOverlap,
    aggregate,
    case_values,
    counts,
    score_one,
    texts_of,
)
from mrarebench_hf.score.hierarchical_recall import hierarchical
from mrarebench_hf.similarity import open_similarity

THRESHOLDS = (0.3, 0.35, 0.4, 0.5, 0.6)
TFIDF = open_similarity("tfidf")


class Words:
    """Share of common words: |A ∩ B| / |A ∪ B| over lower-cased words; 0 for two blank texts."""

    name = "words"

    def matrix(self, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
        def words(text: str) -> set[str]:
            return set(text.lower().replace(".", " ").replace(":", " ").split())

        sides = [[words(text) for text in texts] for texts in (a, b)]
        return np.array([[len(x & y) / (len(x | y) or 1) for y in sides[1]] for x in sides[0]])


WORDS = Words()
RING = {"image": "Image 1", "point": "Dark ring.", "category": "macroscopic_pattern", "credit": "required"}
CORE = {"image": "Image 2", "point": "Bright core.", "category": "abstract_modality", "credit": "required"}
ABSCESS = {"image": None, "point": "Abscess wall.", "category": "cross_image_integration", "credit": "required"}
EXTRA = {"image": "Image 1", "point": "Thin rim.", "category": "x", "credit": "optional"}
POINTS = points_of([RING, CORE, ABSCESS, EXTRA])
NOTHING = points_of([])
RATIONALE = "It is an abscess."


def score(text: str | None, points: Points = POINTS, rationale: str = RATIONALE) -> ItemOverlap:
    return score_one(text, points, rationale, WORDS)


def test_values_by_hand() -> None:
    item = score("Image 1: Dark ring. Bright rim. It is an abscess.")
    assert item.status == "scored"
    # "[Image 1] Dark ring." is the words {[image, 1], dark, ring}; the first sentence {image, 1, dark, ring}: 2 of 6.
    # "[Image 2] Bright core." and "Bright rim.": 1 of 5. "Abscess wall." and "It is an abscess.": 1 of 5.
    assert item.maxsims["required"] == pytest.approx([2 / 6, 1 / 5, 1 / 5])
    # "[Image 1] Thin rim." and "Bright rim.": 1 of 5.
    assert item.maxsims["optional"] == pytest.approx([1 / 5])
    assert item.maxsims["groundedness"] == pytest.approx([2 / 6, 1 / 5, 1])
    # Only the first sentence says "image 1", none "image 2"; the third point has no picture.
    assert item.maxsims["image_grounded"] == pytest.approx([2 / 6, 0])
    assert item.values["det_n_sentences"] == 3
    assert item.values["det_required_meanmaxsim"] == pytest.approx((2 / 6 + 1 / 5 + 1 / 5) / 3)
    assert item.values["det_required_recall@0.3"] == pytest.approx(1 / 3)
    assert item.values["det_required_recall@0.35"] == 0
    assert item.values["det_grounded_ratio@0.6"] == pytest.approx(1 / 3)
    assert item.values["det_image_grounded_meanmaxsim"] == pytest.approx(1 / 6)
    assert item.values["det_hierarchical_required_recall"] == 0
    # Strict: labels are read, not compared, so "Dark ring." is found whole, and "It is an abscess." belongs to Image 1.
    assert item.strict_maxsims["required"] == pytest.approx([1, 1 / 3, 1 / 5])
    assert item.strict_maxsims["image_grounded"] == pytest.approx([1, 0])
    # The macro point is found, the modality is not, so the cross-image point could earn nothing.
    assert item.strict_values["strict_det_hierarchical_required_recall"] == pytest.approx(1 / 3.5)
    assert case_values(item)["strict_det_hierarchical_required_recall_drop"] == pytest.approx(1 / 3 - 1 / 3.5)


@pytest.mark.parametrize("limit", THRESHOLDS)
def test_a_threshold_is_reached_by_being_equal(limit: float) -> None:
    class Fixed(Words):
        def matrix(self, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
            return np.full((len(a), len(b)), limit)

    values = score_one("A mass.", POINTS, "", Fixed()).values
    assert [values[f"det_required_recall@{other}"] for other in THRESHOLDS] == [
        float(other <= limit) for other in THRESHOLDS
    ]
    assert values["det_hierarchical_required_recall"] == float(limit >= 0.5)


HEADINGS = "**Image 1:**\n- Dark ring.\n\n**Image 2:**\n- Bright core.\n\nTaken together: Abscess wall."


def test_a_perfect_answer_under_headings_is_perfect_in_the_strict_twin() -> None:
    item = score(HEADINGS)
    assert item.values["det_image_grounded_recall@0.5"] == 0
    assert item.strict_values["strict_det_image_grounded_meanmaxsim"] == 1
    assert item.strict_values["strict_det_image_grounded_recall@0.6"] == 1
    assert item.strict_values["strict_det_hierarchical_required_recall"] == 1
    swapped = score(HEADINGS.replace("Image 1", "Image 3").replace("Image 2", "Image 1"))
    assert swapped.strict_values["strict_det_image_grounded_recall@0.3"] == 0


def test_a_point_on_several_pictures_is_found_on_any_of_them() -> None:
    points = Points(("[Images 1-2] Dark ring.", "[Figure 3] Bright core."), (), ("other", "other"), ())
    item = score("Image 2: Dark ring.\nFig. 3: Bright core.", points)
    assert "det_image_grounded_meanmaxsim" not in item.values
    assert item.strict_maxsims["image_grounded"] == [1, 1]
    assert score(None, points).strict_maxsims["image_grounded"] == [0, 0]


@pytest.mark.parametrize("text", ["戈谢病", "болезнь Гоше", "It is.", "The."])
def test_br26_identical_text_is_one_in_the_strict_twin(text: str) -> None:
    points = points_of([{"image": "Image 1", "point": text, "credit": "required"}, CORE])
    item = score_one(f"Image 1: {text}\nSomething else.", points, "", TFIDF)
    assert item.strict_maxsims["required"][0] == pytest.approx(1)
    assert item.strict_maxsims["image_grounded"][0] == pytest.approx(1)
    alone = score_one(text, points_of([{"point": text, "credit": "required"}]), "", TFIDF)
    assert alone.values["det_required_meanmaxsim"] == pytest.approx(1)


@pytest.mark.parametrize("text", ["", " ", "\x0c", "\n", "-\n-"])
def test_br26_a_blank_answer_is_zero_everywhere_in_the_strict_twin_and_stays_in_n(text: str) -> None:
    item = score(text)
    assert item.status == "unparsed"
    # By the protocol it is only in the image-grounded metrics.
    assert item.values == {
        "det_n_sentences": 0,
        "det_image_grounded_meanmaxsim": 0,
        **{f"det_image_grounded_recall@{limit}": 0 for limit in THRESHOLDS},
    }
    assert set(item.strict_values.values()) == {0}
    assert item.maxsims["required"] == item.maxsims["optional"] == item.maxsims["groundedness"] == []
    perfect = score(HEADINGS.replace("Taken together: ", "\n"))
    alone, both = aggregate([perfect]), aggregate([perfect, item])
    for name in METRICS:
        if name.startswith("strict_det_required_") and any(bucket in name for bucket in BUCKETS):
            continue
        value, n = both.get(name, (None, 0))
        if name.startswith("strict_") or "image_grounded" in name:
            assert n == 2
            assert value == pytest.approx((alone[name][0] or 0) / 2)
        else:
            assert (value, n) == alone.get(name, (None, 0))
    assert both["strict_det_required_macro_pattern_meanmaxsim"] == (0.5, 2)
    assert both["det_required_macro_pattern_meanmaxsim"][1] == 1


def test_br30_a_missing_answer_is_wrong_and_stays_in_n() -> None:
    item = score(None)
    assert item.status == "missing"
    for values, prefix in ((item.values, ""), (item.strict_values, "strict_")):
        assert set(values.values()) == {0}
        assert {f"{prefix}{name}" for name in ("det_n_sentences", "det_mean_sent_groundedness")} < values.keys()
        assert values.keys() == {f"{prefix}{name}" for name in score("A mass.").values}
    both = aggregate([score("Dark ring."), item])
    assert both["det_required_macro_pattern_recall@0.3"] == (0.5, 2)
    assert both["det_required_meanmaxsim"][1] == both["det_mean_sent_groundedness"][1] == 2
    number = counts([item, score(""), score("A mass.")])
    assert (number["n_total"], number["n_scored"], number["n_unparsed"], number["n_missing"]) == (3, 1, 1, 1)
    assert number["det_required_macro_pattern_n_points"] == 2


@pytest.mark.parametrize("text", [None, "", "A mass."])
def test_a_case_without_anything_to_find_has_no_value(text: str | None) -> None:
    item = score(text, NOTHING, "")
    assert set(item.values) == {"det_n_sentences"}
    assert set(item.strict_values) == {"strict_det_n_sentences"}
    assert {value for value, _ in aggregate([item]).values()} == {None}


def test_a_rationale_alone_grounds_sentences() -> None:
    item = score("It is an abscess. A mass.", NOTHING)
    assert item.maxsims["groundedness"] == item.strict_maxsims["groundedness"] == pytest.approx([1, 0])
    assert item.values["det_grounded_ratio@0.5"] == 0.5
    assert "det_required_meanmaxsim" not in item.values


def test_only_what_is_said_after_thinking_counts_in_the_strict_twin() -> None:
    item = score("<think>Dark ring.</think>A mass.")
    assert item.strict_values["strict_det_required_meanmaxsim"] == 0
    assert score("<think>Dark ring. It goes on").strict_values["strict_det_n_sentences"] == 0


def test_wrong_answers_are_refused() -> None:
    with pytest.raises(UsageError, match="an answer must be a text or None, got 3"):
        score(3)  # type: ignore[arg-type]


def test_all_texts_are_told_beforehand() -> None:
    seen: set[str] = set()

    class Watching(Words):
        def matrix(self, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
            seen.update(a, b)
            return super().matrix(a, b)

    for text in (HEADINGS, "Image 1: 3 cm mass. No.", None, ""):
        seen.clear()
        score_one(text, POINTS, RATIONALE, Watching())
        told = texts_of(text, POINTS, RATIONALE)
        assert seen <= set(told)
        assert len(told) == len(set(told))


def test_items_are_ready_for_json() -> None:
    found = score("Dark ring.").as_dict()
    assert {"status", "required_maxsims", "optional_maxsims", "image_grounded_maxsims", "sent_groundedness"} < set(
        found
    )
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_br54_nothing_gives_null() -> None:
    found = aggregate([])
    assert set(found.values()) == {(None, 0)}
    assert counts([])["n_total"] == 0


def test_the_table_says_what_a_metric_is() -> None:
    assert len(METRICS) == 124
    headline = [name for name in METRICS if not name.startswith("strict_")]
    assert {f"strict_{name}" for name in headline} == set(METRICS) - set(headline)
    for name, metric in METRICS.items():
        assert metric.direction == ("lower" if name.endswith("_drop") else "higher")
        assert metric.description.endswith(".")
        assert "|" not in metric.description + metric.formula


PIECES = (
    "Dark ring. ",
    "Bright core.\n",
    "Image 1: ",
    "**Image 2:**\n",
    "- ",
    "图1：",
    "Abscess wall. ",
    "xyz ",
    "\n\n",
)
TEXTS = st.one_of(st.none(), st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.text(max_size=20))
ENTRIES = st.lists(st.sampled_from([RING, CORE, ABSCESS, EXTRA]), max_size=5)
CASES = st.lists(st.tuples(TEXTS, ENTRIES, st.sampled_from(["", RATIONALE])), max_size=5)


@settings(deadline=None)
@given(CASES, st.randoms(use_true_random=False))
def test_every_value_lies_in_its_range_in_any_order(
    cases: list[tuple[str | None, list[object], str]], random: object
) -> None:
    items = [score(text, points_of(entries), rationale) for text, entries, rationale in cases]
    found = aggregate(items)
    for name, (value, n) in found.items():
        assert (value is None) == (n == 0)
        assert value is None or (-1 if name.endswith("_drop") else 0) <= value <= 1
    pooled = set(METRICS) - set(case_values(score("")))
    for item in items:
        values = case_values(item)
        assert set(values) == set(METRICS) - pooled
        recall, gated, drop = (
            values[f"det_{name}"]
            for name in ("required_recall@0.5", "hierarchical_required_recall", "hierarchical_required_recall_drop")
        )
        assert (drop is None) == (recall is None)
        assert drop is None or (recall or 0) - (gated or 0) == drop
        hits = [int(sim >= 0.5) for sim in item.maxsims["required"]]
        expected = hierarchical(hits, item.buckets)
        assert gated == (expected and expected["hierarchical_required_recall"])
    random.shuffle(items)  # type: ignore[attr-defined]
    assert aggregate(items) == found


@settings(deadline=None)
@given(TEXTS, ENTRIES)
def test_an_answer_is_never_worse_than_none(text: str | None, entries: list[object]) -> None:
    answered, missing = (case_values(score(one, points_of(entries))) for one in (text, None))
    for name, metric in METRICS.items():
        if missing.get(name) is not None and metric.direction == "higher":
            assert missing[name] == 0
            # What the protocol leaves out (an answer without a sentence) has no value.
            assert answered[name] is None or answered[name] >= 0  # type: ignore[operator]
            assert answered[name] is not None or not name.startswith("strict_")
