"""Stage judge: questions in, replies out as they come, many at a time in one event loop.

The engine is the client; this hands out questions, reads each reply as it comes, asks again where one cannot be read,
and stops where a server answers nothing any more.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from mrarebench_hf.errors import EndpointError, ReplyError
from mrarebench_hf.judge._rubric import Content, Form, Question, Rubric
from mrarebench_hf.judge._settings import JudgeSettings
from mrarebench_hf.model._chat import Chat, added
from mrarebench_hf.records import Response, Usage

__all__ = ["Asked", "ask_all"]

# So many failures of the server in a row, without an answer between, and it is taken for gone.
_MAX_IN_A_ROW = 20
# Failures that are the server's, and no matter of one question or one reply.
_OF_THE_SERVER = ("connection", "http_", "malformed", "no_choices", "server_error", "timeout")


@dataclass(frozen=True, slots=True)
class Asked:
    """How asking went.

    Attributes:
        stopped: why it was stopped before all questions had an outcome, None otherwise.
        dropped: parameters that the server did not take.
    """

    stopped: str | None
    dropped: frozenset[str]


def ask_all(
    rubric: Rubric, questions: Sequence[Question], settings: JudgeSettings, store: Callable[[int, Response], None]
) -> Asked:
    """Ask every question; ``store`` gets each one's number and outcome as soon as it is there."""
    return _run(_ask(rubric, questions, settings, store))


async def _ask(
    rubric: Rubric, questions: Sequence[Question], settings: JudgeSettings, store: Callable[[int, Response], None]
) -> Asked:
    chat = Chat(settings.endpoint())
    feed = iter(list(enumerate(questions)))
    watch = _Watch(max(_MAX_IN_A_ROW, 2 * settings.concurrency))
    # One thread writes, so that waiting for the disk holds up no request.
    with ThreadPoolExecutor(max_workers=1) as disk:
        workers = [
            asyncio.create_task(_work(rubric, feed, settings, chat, watch, _Sink(store, disk)))
            for _ in range(min(settings.concurrency, len(questions)))
        ]
        try:
            await asyncio.gather(*workers)
        except EndpointError as error:
            return Asked(str(error), frozenset(chat.dropped))
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            await chat.close()
    return Asked(None, frozenset(chat.dropped))


async def _work(
    rubric: Rubric,
    feed: Iterator[tuple[int, Question]],
    settings: JudgeSettings,
    chat: Chat,
    watch: _Watch,
    sink: _Sink,
) -> None:
    stored: asyncio.Future[None] | None = None
    for number, question in feed:
        response = await _one(rubric, question, settings, chat)
        if stored is not None:
            await stored  # the next question is asked while the last outcome is being written
        stored = sink.put(number, response)
        watch.see(response)
    if stored is not None:
        await stored


async def _one(rubric: Rubric, question: Question, settings: JudgeSettings, chat: Chat) -> Response:
    """The outcome of one question."""
    complaint: str | None = None
    usage = Usage()
    for last in [False] * settings.rereads + [True]:
        form: Form = "lines" if "response_format" in chat.dropped else settings.form
        messages = rubric.messages(question.content, form, complaint)
        response = await chat.ask(question.index, messages, **_asked_for(rubric, question.content, form))
        usage = added(usage, response.usage)
        response = replace(response, usage=usage)
        if response.text is None:
            return response
        try:
            rubric.read(response.text, question.content)
        except ReplyError as error:
            complaint = str(error)
            if last:
                begin = " ".join(response.text[:120].split())
                told = f"{error}; it began {begin!r}"
                return replace(response, status="failed", text=None, reason=error.reason, error=told)
        else:
            return response
    raise AssertionError("the last round returns")


def _asked_for(rubric: Rubric, content: Content, form: Form) -> dict[str, Any]:
    return {"response_format": rubric.response_format(content)} if form == "json" else {}


class _Sink:
    """Stores outcomes one after the other, in another thread."""

    def __init__(self, store: Callable[[int, Response], None], disk: Executor) -> None:
        self._store = store
        self._disk = disk

    def put(self, number: int, response: Response) -> asyncio.Future[None]:
        return asyncio.get_running_loop().run_in_executor(self._disk, self._store, number, response)


class _Watch:
    """Counts failures of the server in a row, and says when it is enough."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._in_a_row = 0

    def see(self, response: Response) -> None:
        if response.reason is None or not response.reason.startswith(_OF_THE_SERVER):
            self._in_a_row = 0
            return
        self._in_a_row += 1
        if self._in_a_row >= self._most:
            raise EndpointError(
                f"the last {self._most} questions got no answer ({response.reason}: {response.error}), so no more "
                "were asked"
            )


def _run(work: Coroutine[Any, Any, Asked]) -> Asked:
    """Run to the end, also where a loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: list[Asked] = []
    fault: list[BaseException] = []

    def inside() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:
            fault.append(error)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    if fault:
        raise fault[0]
    return outcome[0]
