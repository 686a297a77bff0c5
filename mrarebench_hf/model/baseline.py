"""Baselines that bracket every table and rehearse a run without a model; none of them looks at a picture.

``oracle`` answers with the case's references, ``prior`` with the commonest of the whole data (of measurements: the
medians), ``random`` with ones drawn from the whole data, ``center`` with a box in the middle, ``refusal`` declines,
``scripted=FILE`` takes answers from a JSON object id → text.
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
from mrarebench_hf.errors import ModelError, UnknownNameError, UsageError
from mrarebench_hf.measured import View
from mrarebench_hf.model import Request, Settings
from mrarebench_hf.model._measured_replies import REFUSAL as _MEASURED_REFUSAL
from mrarebench_hf.model._measured_replies import TargetPool, measured_reply
from mrarebench_hf.model._slug import slug
from mrarebench_hf.records import Response

__all__ = ["open_model"]

_Cases = Sequence[Mapping[str, Any]]
_Pool = _Cases | TargetPool
_Rule = Callable[[Request, _Pool], str]

# The references of a measurement hold its numbers under this name, those of a case have none such.
_TARGET = "target"
_N_GUESSES = 10
_REFUSAL = "I'm sorry, but I can't interpret medical images or provide a diagnosis."


def open_model(name: str, settings: Settings) -> _Baseline:
    """Open ``oracle``, ``prior``, ``random``, ``center``, ``refusal`` or ``scripted=FILE``.

    Raises:
        UnknownNameError: for any other name.
        ModelError: when a script cannot be read.
    """
    if name.startswith("scripted="):
        path = Path(name.removeprefix("scripted="))
        script = _read_script(path)
        return _Baseline(f"scripted={path.name}", lambda request, _: script[request.prompt.index], script)
    rules: dict[str, Callable[[Request, _Cases], str]] = {
        "oracle": _oracle,
        "prior": _prior,
        "random": lambda request, cases: _random(request, cases, settings.seed),
        "center": _center,
        "refusal": lambda _request, _cases: _REFUSAL,
    }
    if name not in rules:
        raise UnknownNameError("baseline", name, [*rules, "scripted=FILE"])

    def rule(request: Request, pool: _Pool) -> str:
        if isinstance(pool, TargetPool):
            return measured_reply(name, _target(request.references), pool, settings.seed, request.prompt.index)
        return rules[name](request, pool)

    return _Baseline(name, rule, settings.seed if name == "random" else None)


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
        pool = self._pools[task]
        answers = [pool.targets, _MEASURED_REFUSAL] if isinstance(pool, TargetPool) else [pool, _REFUSAL]
        content = json.dumps([self._parameter, *answers], sort_keys=True)
        revision = hashlib.sha256(content.encode()).hexdigest()[:16]
        return {"backend": "baseline", "name": f"baseline:{self._name}", "revision": revision}

    def fit(self, task: str, references: _Cases) -> None:
        """Keep the references of all cases of a task, or the targets of all its measurements.

        Raises:
            UsageError: for ``center`` where no boxes are asked for, and for targets that differ in their count of
                numbers.
        """
        pool = _pool(references)
        if self._name == "center" and not (isinstance(pool, TargetPool) and pool.is_box):
            raise UsageError(f"the baseline 'center' answers with a box, and {task} asks for none: use another one")
        self._pools[task] = pool

    def generate(self, requests: Sequence[Request]) -> list[Response]:
        """Answer by the rule; a case that a script leaves out fails alone."""
        return [self._answer(request) for request in requests]

    def view(self, size_px: tuple[int, int]) -> View:
        """The picture as it is."""
        size = float(size_px[0]), float(size_px[1])
        return View(size, size)

    def _answer(self, request: Request) -> Response:
        index = request.prompt.index
        try:
            text = self._rule(request, self._pools[request.task])
        except KeyError:
            return Response(index, "failed", reason="not_scripted", error=f"the script has no answer for id {index!r}")
        return Response(index, "ok", text, finish_reason="stop")


def _pool(references: _Cases) -> _Pool:
    measured = bool(references) and _TARGET in references[0]
    return TargetPool.of(map(_target, references)) if measured else list(references)


def _target(references: Mapping[str, Any] | None) -> tuple[float, ...]:
    assert references is not None
    return tuple(map(float, references[_TARGET]))


def _oracle(request: Request, _cases: _Cases) -> str:
    assert request.references is not None
    return tasks.get(request.task).reply([request.references])


def _prior(request: Request, pool: _Cases) -> str:
    reply = tasks.get(request.task).reply
    counts = collections.Counter(reply([case]) for case in pool)
    by_reply = {reply([case]): case for case in pool}
    ranked = sorted(by_reply, key=lambda text: (-counts[text], text))
    return reply([by_reply[text] for text in ranked[:_N_GUESSES]])


def _random(request: Request, pool: _Cases, seed: int) -> str:
    # A generator per case: an answer must not depend on which process asks, or when.
    generator = random.Random(f"{seed}\0{request.prompt.index}")
    return tasks.get(request.task).reply(generator.sample(list(pool), min(_N_GUESSES, len(pool))))


def _center(request: Request, _cases: _Cases) -> str:
    raise UsageError(f"the baseline 'center' answers with a box, and {request.task} asks for none: use another one")


def _read_script(path: Path) -> dict[str, str]:
    try:
        script = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read the script {path}: {error}; it must be a JSON object id → answer") from error
    if not isinstance(script, dict) or not all(isinstance(text, str) for text in script.values()):
        raise ModelError(f"the script {path} must be a JSON object whose values are answers, as text")
    return script
