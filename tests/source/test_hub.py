"""The Hub as a source, against a stand-in server on this machine that answers the calls of huggingface_hub."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mrarebench_hf.source.hub import Wanted

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "/datasets/junzhin/MRareBench"
PROGRAM = """
import json, sys
from mrarebench_hf.errors import DataNotFoundError
from mrarebench_hf.source.resolve import locate
try:
    found = locate("diagnosis", revision=json.loads(sys.argv[1]))
    print(json.dumps([found.path.read_text(), found.source, found.revision]))
except DataNotFoundError as error:
    print(json.dumps(str(error)))
"""


class Hub:
    """A repository on a loopback server."""

    def __init__(self) -> None:
        self.files = {"some/where/diagnosis_opened.tsv": b"index\n1\n", "README.md": b"hello"}
        self.status = 200
        self.asked: list[str] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(body=True)

            def do_HEAD(self) -> None:
                self._answer(body=False)

            def _answer(self, *, body: bool) -> None:
                hub.asked.append(self.path)
                status, headers, content = hub.answer(self.path)
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                if body:
                    self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        path = path.split("?")[0]
        if self.status != 200:
            return self.status, {"X-Error-Message": "out of order"}, b""
        if path.startswith(f"/api{REPOSITORY}"):
            if path.endswith("/revision/unknown"):
                return 404, {"X-Error-Code": "RevisionNotFound", "X-Error-Message": "no such revision"}, b""
            siblings = [{"rfilename": name} for name in self.files]
            info = {"id": "junzhin/MRareBench", "sha": COMMIT, "siblings": siblings, "private": False}
            return 200, {"Content-Type": "application/json"}, json.dumps(info).encode()
        name = path.removeprefix(f"{REPOSITORY}/resolve/").partition("/")[2]
        content = self.files.get(name)
        if content is None:
            return 404, {"X-Error-Code": "EntryNotFound"}, b""
        etag = hashlib.sha256(content).hexdigest()
        return 200, {"ETag": f'"{etag}"', "X-Repo-Commit": COMMIT}, content


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()
    yield hub
    hub.server.shutdown()
    hub.server.server_close()


def ask(hub: Hub, home: Path, revision: str | None = None, **environment: str) -> Any:
    base = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "LMUData"))}
    settings = {
        "HOME": str(home),
        "HF_HOME": str(home / "hf"),
        "HF_ENDPOINT": hub.url,
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "NO_PROXY": "127.0.0.1",
    }
    command = [sys.executable, "-c", PROGRAM, json.dumps(revision)]
    done = subprocess.run(command, env={**base, **settings, **environment}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_found_downloaded_and_found_again_offline(hub: Hub, tmp_path: Path) -> None:
    expected = ["index\n1\n", "hub:junzhin/MRareBench", COMMIT]
    assert ask(hub, tmp_path) == expected
    assert ask(hub, tmp_path, COMMIT) == expected
    n_asked = len(hub.asked)
    assert ask(hub, tmp_path, HF_HUB_OFFLINE="1") == expected
    assert ask(hub, tmp_path, COMMIT, HF_HUB_OFFLINE="1") == expected
    assert len(hub.asked) == n_asked
    assert "is not in the cache" in ask(hub, tmp_path, "other", HF_HUB_OFFLINE="1")


def test_a_repository_without_the_file(hub: Hub, tmp_path: Path) -> None:
    del hub.files["some/where/diagnosis_opened.tsv"]
    words = ask(hub, tmp_path)
    assert words.startswith(
        "no diagnosis_opened.tsv for T1 Diagnosis: the Hub dataset junzhin/MRareBench holds no file of that name."
    )


def test_an_unknown_revision(hub: Hub, tmp_path: Path) -> None:
    assert "the Hub dataset junzhin/MRareBench at revision 'unknown' cannot be had" in ask(hub, tmp_path, "unknown")


def test_a_repository_that_may_not_be_read(hub: Hub, tmp_path: Path) -> None:
    hub.status = 401
    words = ask(hub, tmp_path)
    assert "the Hub dataset junzhin/MRareBench cannot be had: " in words
    assert "401" in words
    assert "\n" not in words


def test_no_network_uses_what_is_there(hub: Hub, tmp_path: Path) -> None:
    assert ask(hub, tmp_path)[2] == COMMIT
    nowhere = "http://127.0.0.1:9"
    assert ask(hub, tmp_path, HF_ENDPOINT=nowhere)[2] == COMMIT
    words = ask(hub, tmp_path / "empty", HF_ENDPOINT=nowhere)
    assert "the Hub cannot be reached" in words
    assert "--data-dir takes the folder" in words


def test_the_likeliest_place_wins() -> None:
    wanted = Wanted("f.tsv", ("a/f.tsv", "R/a/f.tsv", "f.tsv"))
    assert wanted.among(["x/f.tsv", "f.tsv", "R/a/f.tsv"]) == "R/a/f.tsv"
    assert wanted.among(["z/y/f.tsv", "x/f.tsv", "x/f.tsv.md"]) == "x/f.tsv"
    assert wanted.among(["g.tsv"]) is None
