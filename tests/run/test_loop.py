"""The loop of one process: a failing sample fails alone, everything else is written down."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from PIL import Image

from mrarebench_hf.errors import ModelError
from mrarebench_hf.model import Request
from mrarebench_hf.records import ImagePart, Prompt, Response, TextPart
from mrarebench_hf.run import loop
from mrarebench_hf.run.group import join
from mrarebench_hf.run.plan import Chunk, Item


def png() -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (4, 3), 7).save(buffer, "PNG")
    return buffer.getvalue()


class Stub:
    """Answers with the id; raises on the ids it is told to, however large the batch."""

    slug = "stub"
    needs_references = False
    generation: dict[str, object] = {}  # noqa: RUF012

    def __init__(self, poison: dict[str, Exception] | None = None) -> None:
        self.poison = poison or {}
        self.batches: list[list[str]] = []

    def identity(self, task: str) -> dict[str, str | None]:
        return {"backend": "stub", "name": "stub", "revision": None}

    def fit(self, task: str, references: Sequence[object]) -> None:
        raise AssertionError

    def generate(self, requests: Sequence[Request]) -> list[Response]:
        self.batches.append([r.prompt.index for r in requests])
        for request in requests:
            if request.prompt.index in self.poison:
                raise self.poison[request.prompt.index]
        return [Response(r.prompt.index, "ok", f"{r.prompt.index}:{len(r.pictures)}") for r in requests]


def run(
    stub: Stub, n: int, size: int, pictures: dict[int, tuple[bytes | None, ...]] | None = None
) -> dict[str, Response]:
    items = [Item("Diagnosis", row, f"mark{row}", 1.0) for row in range(n)]
    stored: dict[str, Response] = {}

    def request(item: Item) -> Request:
        data = (pictures or {}).get(item.row, (png(),))
        parts = (*(ImagePart(d) for d in data), TextPart("Question"))
        return Request(Prompt(str(item.row), parts), "diagnosis")

    taken: list[int] = []
    feed = loop.Feed(
        request=request,
        explain=lambda item: f"row {item.row} has no picture in the file",
        store=lambda item, response: stored.update({item.fingerprint: response}),
        progress=taken.append,
    )
    plan = [Chunk(tuple(items[i : i + size])) for i in range(0, n, size)]
    loop.run(plan, stub, join(60), feed)
    assert taken == list(range(1, len(plan) + 1))
    return stored


def test_every_sample_gets_its_own_answer() -> None:
    assert {k: r.text for k, r in run(Stub(), 5, 2).items()} == {f"mark{i}": f"{i}:1" for i in range(5)}


def test_nothing_to_do_calls_nobody() -> None:
    stub = Stub()
    assert run(stub, 0, 2) == {}
    assert stub.batches == []


def test_a_failing_sample_fails_alone_and_the_batch_is_halved() -> None:
    stub = Stub({"2": RuntimeError("CUDA out of memory"), "5": ValueError("bad shape")})
    stored = run(stub, 8, 8)
    assert {k for k, r in stored.items() if r.status == "failed"} == {"mark2", "mark5"}
    assert (stored["mark2"].reason, stored["mark5"].reason) == ("out_of_memory", "model_error")
    assert stored["mark5"].error == "ValueError: bad shape"
    assert [len(b) for b in stub.batches][:2] == [8, 4]


def test_br06_unusable_pictures_fail_their_own_item_with_the_reason() -> None:
    pictures = {1: (png(), b"no picture at all"), 3: (None,)}
    stub = Stub()
    stored = run(stub, 4, 4, pictures)
    assert {k for k, r in stored.items() if r.reason == "picture"} == {"mark1", "mark3"}
    assert str(stored["mark1"].error).startswith("picture 2 of 2: ")
    assert stored["mark3"].error == "picture 1 of 1: row 3 has no picture in the file"
    assert stub.batches == [["0", "2"]]


def test_half_characters_do_not_end_a_run() -> None:
    class Surrogate(Stub):
        def generate(self, requests: Sequence[Request]) -> list[Response]:
            return [Response(r.prompt.index, "ok", "1. \ud800 x \ud83d\ude00") for r in requests]

    assert run(Surrogate(), 1, 1)["mark0"].text == "1. \ufffd x \U0001f600"


def test_what_no_sample_is_to_blame_for_ends_the_run() -> None:
    with pytest.raises(ModelError, match="cannot load"):
        run(Stub({"1": ModelError("cannot load the checkpoint")}), 3, 3)
