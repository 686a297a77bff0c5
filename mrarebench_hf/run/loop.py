"""The inference loop of one process: take a chunk, ask, write every answer down at once.

A sample that fails, fails alone: a batch that raises is halved until the guilty sample stands by itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mrarebench_hf.errors import MRareBenchError, PictureError
from mrarebench_hf.model import Backend, Request
from mrarebench_hf.records import Response
from mrarebench_hf.run.group import Group
from mrarebench_hf.run.plan import Chunk, Item
from mrarebench_hf.source.picture import to_rgb

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Feed", "run"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Feed:
    """How the loop gets at its samples and rid of its answers.

    Attributes:
        request: item → request, pictures not yet decoded.
        explain: item → reasons of pictures that the source could not give.
        store: (item, response) written down for good.
        progress: called with the number of chunks that all processes have taken so far.
    """

    request: Callable[[Item], Request]
    explain: Callable[[Item], str]
    store: Callable[[Item, Response], None]
    progress: Callable[[int], None]


def run(plan: Sequence[Chunk], backend: Backend, group: Group, feed: Feed) -> None:
    """Work through a plan together with the group's other processes; returns when no chunk is left.

    Raises:
        ModelError, StoreError: what no sample is to blame for ends the run.
    """
    while (number := group.take()) < len(plan):
        chunk = plan[number]
        ready: list[tuple[Item, Request]] = []
        for item in chunk.items:
            prepared = _prepare(item, feed)
            if isinstance(prepared, Response):
                feed.store(item, prepared)
            else:
                ready.append((item, prepared))
        for item, response in _ask(backend, ready):
            feed.store(item, response)
        feed.progress(number + 1)


def _prepare(item: Item, feed: Feed) -> Request | Response:
    """Decode a sample's pictures, or say why it cannot be asked."""
    request = feed.request(item)
    pictures: list[Image] = []
    for number, data in enumerate(request.prompt.images, 1):
        try:
            if data is None:
                raise PictureError(feed.explain(item))
            pictures.append(to_rgb(data))
        except PictureError as error:
            message = f"picture {number} of {len(request.prompt.images)}: {error}"
            _LOG.warning("id %s fails: %s", request.prompt.index, message)
            return Response(request.prompt.index, "failed", reason="picture", error=message)
    return Request(request.prompt, request.task, tuple(pictures), request.references)


def _ask(backend: Backend, batch: Sequence[tuple[Item, Request]]) -> Iterator[tuple[Item, Response]]:
    if not batch:
        return
    try:
        responses = backend.generate([request for _, request in batch])
    except MRareBenchError:
        raise
    except Exception as error:  # whatever a model raises on some input must not take the other samples down
        _free_memory()
        if len(batch) > 1:
            half = len(batch) // 2
            _LOG.info("a batch of %d failed (%s); trying halves", len(batch), type(error).__name__)
            yield from _ask(backend, batch[:half])
            yield from _ask(backend, batch[half:])
            return
        item, request = batch[0]
        _LOG.warning("id %s fails: %s: %s", request.prompt.index, type(error).__name__, error)
        yield item, _failure(request.prompt.index, error)
        return
    for (item, _), response in zip(batch, responses, strict=True):
        yield item, _storable(response)


def _storable(response: Response) -> Response:
    """The response with half characters, which no file can hold, replaced."""
    text = response.text
    if text is None or not any("\ud800" <= character <= "\udfff" for character in text):
        return response
    return replace(response, text=text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _failure(index: str, error: Exception) -> Response:
    reason = "out_of_memory" if "out of memory" in str(error).lower() else "model_error"
    return Response(index, "failed", reason=reason, error=f"{type(error).__name__}: {error}")


def _free_memory() -> None:
    """Give the accelerator's cached blocks back, so that a smaller batch finds room."""
    import sys

    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
