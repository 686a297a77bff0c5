"""A judge on loopback that misbehaves on demand: a real HTTP server for the chat-completions protocol.

Run as a program it serves right verdicts after a fixed latency and prints its port: the peer of a benchmark.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

POINTS = re.compile(r"^(Required|Optional) points:\n((?:\d+\. .*\n?)*)", re.MULTILINE)
ANSWER = re.compile(r"<answer-[0-9a-f]{8}>\n(.*?)\n</answer-", re.DOTALL)


@dataclass
class Fault:
    """What the server does instead of answering rightly.

    Attributes:
        status: an error status, with ``headers`` and ``error`` as its body's error.
        text: the reply's text in place of the right one, or a function of the right one.
        message: further fields of the reply's message; ``content`` may be None.
        body: the whole body, as it is.
        sleep_s: wait before answering.
        cut: close the connection without an answer.
        finish_reason: of the reply.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: dict[str, Any] = field(default_factory=dict)
    text: str | Callable[[str], str] | None = None
    message: dict[str, Any] | None = None
    body: str | bytes | None = None
    sleep_s: float = 0.0
    cut: bool = False
    finish_reason: str = "stop"


def right(text: str) -> str:
    """The right verdicts as JSON: a point is present where the answer holds its words."""
    answer = ANSWER.search(text)
    words = answer[1].casefold() if answer else ""
    points = []
    for _, block in POINTS.findall(text):
        for number, point in re.findall(r"^(\d+)\. (?:\[[^\]]*\] )?(.*)$", block, re.MULTILINE):
            points.append({"id": int(number), "present": point.casefold() in words, "contradicted": False})
    return json.dumps({"points": points})


class JudgeServer:
    """The server's state; faults are taken in order, one a request, then everything is right.

    Attributes:
        faults: what is still to go wrong.
        always: what goes wrong whenever ``faults`` is empty; None for nothing.
        requests: (time, headers, body) of every request.
        most_at_once: the largest number of requests under way together.
        limit_bytes: larger requests get 413.
        url: the base URL.
    """

    def __init__(self, faults: Sequence[Fault] = (), latency_s: float = 0.0) -> None:
        self.faults = list(faults)
        self.always: Fault | None = None
        self.requests: list[tuple[float, dict[str, str], dict[str, Any]]] = []
        self.most_at_once = 0
        self.limit_bytes: int | None = None
        self.latency_s = latency_s
        self.url = ""
        self._under_way = 0

    async def chat(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        self.requests.append((time.monotonic(), dict(request.headers), json.loads(raw)))
        self._under_way += 1
        self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            fault = self.faults.pop(0) if self.faults else self.always or Fault()
            await asyncio.sleep(fault.sleep_s or self.latency_s)
            if self.limit_bytes is not None and len(raw) > self.limit_bytes:
                return web.json_response({"error": {"message": "Cannot POST"}}, status=413)
            return self._answer(request, fault, json.loads(raw))
        finally:
            self._under_way -= 1

    def _answer(self, request: web.Request, fault: Fault, body: dict[str, Any]) -> web.StreamResponse:
        if fault.cut:
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        if fault.status != 200:
            return web.json_response({"error": fault.error}, status=fault.status, headers=fault.headers)
        if fault.body is not None:
            data = fault.body if isinstance(fault.body, bytes) else fault.body.encode()
            return web.Response(body=data, content_type="application/json")
        content = right(body["messages"][-1]["content"])
        if fault.text is not None:
            content = fault.text if isinstance(fault.text, str) else fault.text(content)
        message = {"role": "assistant", "content": content, **(fault.message or {})}
        choice = {"index": 0, "message": message, "finish_reason": fault.finish_reason}
        usage = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
        return web.json_response({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})


@contextmanager
def serving(*faults: Fault, latency_s: float = 0.0) -> Iterator[JudgeServer]:
    """Serve in a thread until the block ends."""
    server = JudgeServer(faults, latency_s)
    ready, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    def run() -> None:
        loop.run_until_complete(_serve(server, ready, stop))
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


async def _serve(server: JudgeServer, ready: threading.Event, stop: asyncio.Event, port: int = 0) -> None:
    app = web.Application(client_max_size=64 << 20)
    app.router.add_post("/v1/chat/completions", server.chat)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, backlog=512)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    ready.set()
    print(server.url, flush=True) if __name__ == "__main__" else None
    await stop.wait()
    await runner.cleanup()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.2)
    asyncio.run(_serve(JudgeServer(latency_s=parser.parse_args().latency), threading.Event(), asyncio.Event()))
