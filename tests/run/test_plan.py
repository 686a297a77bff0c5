"""The order of work."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf.run.plan import Item, chunks, cost
from mrarebench_hf.run.work import pack, unpack

ITEMS = st.lists(
    st.builds(
        Item,
        work=st.sampled_from(["Diagnosis", "Diagnosis_TO"]),
        row=st.integers(0, 10_000),
        fingerprint=st.just("mark"),
        cost=st.floats(0, 1e6),
    ),
    unique_by=lambda item: (item.work, item.row),
)


@given(items=ITEMS, size=st.integers(1, 9), seed=st.integers())
def test_every_sample_once_dearest_first_and_never_two_conditions_in_a_batch(
    items: list[Item], size: int, seed: int
) -> None:
    plan = chunks(items, size)
    assert sorted((i.work, i.row) for c in plan for i in c.items) == sorted((i.work, i.row) for i in items)
    assert all(1 <= len(c.items) <= size and len({i.work for i in c.items}) == 1 for c in plan)
    assert [c.items[0].cost for c in plan] == sorted((c.items[0].cost for c in plan), reverse=True)
    shuffled = list(items)
    random.Random(seed).shuffle(shuffled)
    assert chunks(shuffled, size) == plan
    assert unpack(pack(plan)) == plan


def test_cost_grows_with_pictures_and_text() -> None:
    assert cost([], 4) == 1
    assert cost([(28, 28), (28, 56)], 0) == 3
