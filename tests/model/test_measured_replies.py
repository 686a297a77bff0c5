"""What baselines answer to requests for measurements."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrarebench_hf import families
from mrarebench_hf.errors import UnknownNameError, UsageError
from mrarebench_hf.model import Request, Settings, open_model
from mrarebench_hf.model._measured_replies import KINDS, TargetPool, measured_reply
from mrarebench_hf.parse.measurement import read
from mrarebench_hf.records import Prompt, Response, TextPart

POOL = [(10.0, 5.0), (30.0, 20.0), (20.0, 1.0), (90.0, 6.0)]
NUMBERS = st.one_of(
    st.floats(-1e100, 1e100),
    st.sampled_from([0.0, 1e-7, 5e-324, 41.23105625617661, 1e16, 1e22, 1e100, 0.1 + 0.2, 35120.0]),
)


def values(reply: str, family: str) -> tuple[float, ...] | None:
    return read(reply, families.get(family)).values


@given(NUMBERS)
def test_an_oracle_of_one_number_reads_back_exactly(number: float) -> None:
    reply = measured_reply("oracle", (number,), TargetPool.of([]), 0, "a")
    assert values(reply, "AD") == (number,)


@given(st.tuples(NUMBERS, NUMBERS))
def test_an_oracle_of_two_numbers_reads_back_exactly(target: tuple[float, float]) -> None:
    assert values(measured_reply("oracle", target, TargetPool.of([]), 0, "a"), "TL") == target


@given(st.tuples(*[st.floats(0, 1)] * 4))
def test_an_oracle_of_a_box_reads_back_exactly(target: tuple[float, ...]) -> None:
    assert values(measured_reply("oracle", target, TargetPool.of([]), 0, "a"), "Detection") == target


def test_numbers_of_numpy_are_written_as_numbers() -> None:
    import numpy as np

    target = (np.float64(12.5), np.float64(8.0))
    assert measured_reply("oracle", target, TargetPool.of([target]), 0, "a") == "<answer>12.5, 8.0</answer>"
    assert measured_reply("prior", target, TargetPool.of([target]), 0, "a") == "<answer>12.5, 8.0</answer>"


def test_the_prior_is_the_median_of_each_number() -> None:
    assert values(measured_reply("prior", POOL[0], TargetPool.of(POOL), 0, "a"), "TL") == (25.0, 5.5)


def test_the_center_is_a_box_and_nothing_else() -> None:
    box = (0.1, 0.2, 0.3, 0.4)
    assert values(measured_reply("center", box, TargetPool.of([box]), 0, "a"), "Detection") == (0.25, 0.25, 0.75, 0.75)
    with pytest.raises(UsageError, match="'center' answers with a box"):
        measured_reply("center", (1.0, 2.0), TargetPool.of(POOL), 0, "a")


def test_a_refusal_holds_no_answer() -> None:
    reply = measured_reply("refusal", POOL[0], TargetPool.of(POOL), 0, "a")
    assert read(reply, families.get("TL")).reason == "no_tag"


def test_other_kinds_are_told() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'oracle'"):
        measured_reply("orcle", POOL[0], TargetPool.of(POOL), 0, "a")


@given(st.permutations(POOL), st.integers(0, 9), st.text(max_size=9))
def test_a_draw_depends_on_seed_and_sample_alone(pool: list[tuple[float, float]], seed: int, sample_id: str) -> None:
    for target in POOL:
        reply = measured_reply("random", target, TargetPool.of(pool), seed, sample_id)
        assert reply == measured_reply("random", target, TargetPool.of(POOL), seed, sample_id)
        assert values(reply, "TL") in set(POOL) - {target}


def test_draws_reach_every_other_target() -> None:
    drawn = {measured_reply("random", POOL[0], TargetPool.of(POOL), 0, str(n)) for n in range(200)}
    assert {values(reply, "TL") for reply in drawn} == set(POOL[1:])
    assert len({measured_reply("random", POOL[0], TargetPool.of(POOL), seed, "a") for seed in range(50)}) > 1


def test_a_pool_of_one_is_drawn_from() -> None:
    assert values(measured_reply("random", (7.0,), TargetPool.of([(7.0,)]), 0, "a"), "AD") == (7.0,)


@pytest.mark.parametrize("kind", ["prior", "random"])
def test_an_empty_pool_is_told(kind: str) -> None:
    with pytest.raises(UsageError, match="needs the targets of the task"):
        measured_reply(kind, (1.0,), TargetPool.of([]), 0, "a")


@pytest.mark.parametrize("targets", [[(1.0,), (1.0, 2.0)], [(float("nan"),)], [(1.0, float("inf"))], [()]])
def test_targets_of_one_task_are_alike_and_finite(targets: list[tuple[float, ...]]) -> None:
    with pytest.raises(UsageError, match="equally many numbers, all finite"):
        TargetPool.of(targets)


def ask(spec: str, targets: Sequence[tuple[float, ...]], settings: Settings | None = None) -> list[Response]:
    backend = open_model(spec, settings or Settings())
    references: list[dict[str, Any]] = [{"target": list(target)} for target in targets]
    backend.fit("task", references)
    return backend.generate(
        [Request(Prompt(f"sample {n}", (TextPart("Measure."),)), "task", (), one) for n, one in enumerate(references)]
    )


def test_the_backend_answers_measurements() -> None:
    oracle = ask("baseline:oracle", POOL)
    assert [values(str(one.text), "TL") for one in oracle] == POOL
    assert all(one.status == "ok" and one.finish_reason == "stop" for one in oracle)
    assert {values(str(one.text), "TL") for one in ask("baseline:prior", POOL)} == {(25.0, 5.5)}
    assert "can't" in str(ask("baseline:refusal", POOL)[0].text)
    boxes = [(0.1, 0.2, 0.3, 0.4), (0.2, 0.2, 0.9, 0.8)]
    assert values(str(ask("baseline:center", boxes)[0].text), "Detection") == (0.25, 0.25, 0.75, 0.75)


def test_the_backend_draws_by_sample_whatever_the_order() -> None:
    pool = [(float(n),) for n in range(50)]
    shuffled = random.Random(1).sample(pool, len(pool))
    backend, other = (open_model("baseline:random", Settings(seed=3)) for _ in range(2))
    backend.fit("task", [{"target": list(target)} for target in pool])
    other.fit("task", [{"target": list(target)} for target in shuffled])
    request = Request(Prompt("x", (TextPart("Measure."),)), "task", (), {"target": [7.0]})
    assert backend.generate([request]) == other.generate([request])
    assert backend.identity("task") == other.identity("task")


def test_the_center_is_refused_before_anything_is_asked() -> None:
    backend = open_model("baseline:center", Settings())
    with pytest.raises(UsageError, match="TL-task asks for none"):
        backend.fit("TL-task", [{"target": [1.0, 2.0]}])
    with pytest.raises(UsageError, match="diagnosis asks for none"):
        backend.fit("diagnosis", [{"answer": "Fabry disease", "answer_aliases": []}])


def test_a_baseline_of_measurements_is_known_by_its_targets() -> None:
    def revision(targets: Sequence[tuple[float, ...]]) -> str | None:
        backend = open_model("baseline:prior", Settings())
        backend.fit("task", [{"target": list(target)} for target in targets])
        return backend.identity("task")["revision"]

    assert revision([*POOL]) == revision([*reversed(POOL)]) != revision([*POOL[1:]])


def test_every_kind_is_a_baseline() -> None:
    for kind in KINDS:
        assert open_model(f"baseline:{kind}", Settings()).slug
