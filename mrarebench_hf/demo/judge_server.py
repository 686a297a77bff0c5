"""A judge for the demo: an HTTP server on loopback that speaks the chat-completions protocol and grades by a rule.

The rule knows no medicine: a point is present where the answer holds its words, a list names the diagnosis where it
holds the name. It stands in for a model, so that the demo shows every number without a key or a network.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["NAME", "judge_server"]

NAME = "demo-judge"
_BLOCK = re.compile(r"<(\w+)-[0-9a-f]{8}>\n(.*?)\n</\1-[0-9a-f]{8}>", re.DOTALL)
_POINTS = re.compile(r"^(Required|Optional) points:\n((?:\d+\. .*\n?)*)", re.MULTILINE)
_POINT = re.compile(r"^(\d+)\. (?:\[[^\]]*\] )?(.*)$", re.MULTILINE)


@contextlib.contextmanager
def judge_server() -> Iterator[str]:
    """Serve until the block ends; gives the base URL."""
    server = _Server(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # a judge is asked many questions at once


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer one question."""
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = question["messages"][-1]["content"]
        message = {"role": "assistant", "content": json.dumps(_verdict(text))}
        reply = {
            "id": "demo",
            "object": "chat.completion",
            "created": 0,
            "model": question["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {
                "prompt_tokens": len(text.split()),
                "completion_tokens": len(message["content"].split()),
                "total_tokens": 0,
            },
        }
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


def _verdict(text: str) -> dict[str, Any]:
    blocks = dict(_BLOCK.findall(text))
    if "list" in blocks:
        names = [line.split(". ", 1)[-1].casefold() for line in blocks["list"].splitlines()]
        found = [blocks["diagnosis"].casefold() in name for name in names]
        return {
            "presence": any(found),
            "top1": found[0],
            "type_match": 3 if any(found) else 0,
            "specificity": all(len(name.split()) > 1 for name in names),
            "coherence": any(found),
        }
    answer = _plain(blocks["answer"])
    points = [point for _, block in _POINTS.findall(text) for point in _POINT.findall(block)]
    return {
        "points": [
            {"id": int(number), "present": _plain(point) in answer, "contradicted": f"no {_plain(point)}" in answer}
            for number, point in points
        ]
    }


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().strip(".")
