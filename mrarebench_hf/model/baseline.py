"""Baselines that bracket every table and rehearse a run without a model; none of them looks at a picture.

``oracle`` answers with the case's references, ``prior`` with the commonest of the whole data, ``random`` with ones
drawn from the whole data, ``refusal`` declines, ``scripted=FILE`` takes answers from a JSON object id → text.
"""

from __future__ import annotations

import collections
import hashlib
import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mrarebench_hf import tasks
from mrarebench_hf.errors import ModelError, UnknownNameError
from mrarebench_hf.model import Request, Settings
from mrarebench_hf.model._slug import slug
from mrarebench_hf.records import Response

__all__ = ["open_model"]

_References = Mapping[str, Any]
_Pool = Sequence[_References]
_Rule = Callable[[Request, _Pool], str]

_N_GUESSES = 10
_REFUSAL = "I'm sorry, but I can't interpret medical images or provide a diagnosis."


def open_model(name: str, settings: Settings) -> _Baseline:
    """Open ``oracle``, ``prior``, ``random``, ``refusal`` or ``scripted=FILE``.

    Raises:
        UnknownNameError: for any other name.
        ModelError: when a script cannot be read.
    """
    if name.startswith("scripted="):
        path = Path(name.removeprefix("scripted="))
        script = _read_script(path)
        return _Baseline(f"scripted={path.name}", lambda request, _: script[request.prompt.index], script)
    rules: dict[str, _Rule] = {
        "oracle": _oracle,
        "prior": _prior,
        "random": lambda request, pool: _random(request, pool, settings.seed),
        "refusal": lambda _request, _pool: _REFUSAL,
    }
    if name not in rules:
        raise UnknownNameError("baseline", name, [*rules, "scripted=FILE"])
    return _Baseline(name, rules[name], settings.seed if name == "random" else None)


class _Baseline:
    """A rule from a case, and the references of all cases, to an answer."""

    needs_references = True

    def __init__(self, name: str, rule: _Rule, parameter: Any) -> None:
        self.slug = slug(f"baseline:{name}")
        self.generation: Mapping[str, Any] = {}
        self._name = name
        self._rule = rule
        self._parameter = parameter
        self._pools: dict[str, _Pool] = {}

    def identity(self, task: str) -> Mapping[str, str | None]:
        """The name, and a hash of all that the answers to a task are made of."""
        content = json.dumps([self._parameter, self._pools[task], _REFUSAL], sort_keys=True)
        revision = hashlib.sha256(content.encode()).hexdigest()[:16]
        return {"backend": "baseline", "name": f"baseline:{self._name}", "revision": revision}

    def fit(self, task: str, references: _Pool) -> None:
        """Keep the references of all cases of a task."""
        self._pools[task] = list(references)

    def generate(self, requests: Sequence[Request]) -> list[Response]:
        """Answer by the rule; a case that a script leaves out fails alone."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Response:
        index = request.prompt.index
        try:
            text = self._rule(request, self._pools[request.task])
        except KeyError:
            return Response(index, "failed", reason="not_scripted", error=f"the script has no answer for id {index!r}")
        return Response(index, "ok", text, finish_reason="stop")


def _oracle(request: Request, _pool: _Pool) -> str:
    assert request.references is not None
    return tasks.get(request.task).reply([request.references])


def _prior(request: Request, pool: _Pool) -> str:
    reply = tasks.get(request.task).reply
    counts = collections.Counter(reply([case]) for case in pool)
    by_reply = {reply([case]): case for case in pool}
    ranked = sorted(by_reply, key=lambda text: (-counts[text], text))
    return reply([by_reply[text] for text in ranked[:_N_GUESSES]])


def _random(request: Request, pool: _Pool, seed: int) -> str:
    # A generator per case: an answer must not depend on which process asks, or when.
    generator = random.Random(f"{seed}\0{request.prompt.index}")
    return tasks.get(request.task).reply(generator.sample(list(pool), min(_N_GUESSES, len(pool))))


def _read_script(path: Path) -> dict[str, str]:
    try:
        script = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read the script {path}: {error}; it must be a JSON object id → answer") from error
    if not isinstance(script, dict) or not all(isinstance(text, str) for text in script.values()):
        raise ModelError(f"the script {path} must be a JSON object whose values are answers, as text")
    return script
