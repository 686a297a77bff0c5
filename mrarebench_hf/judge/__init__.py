"""Stage judge: answers in, verdicts of an LLM judge out, each whole or missing with a reason; nothing asked twice.

Every public module here is a rubric: what is asked about an answer, and how the reply is read. Adding one is adding a
file that defines ``RUBRIC``; a task names the rubrics that judge it.
"""

from __future__ import annotations

from typing import cast

from mrarebench_hf import registry
from mrarebench_hf.judge._rubric import Content, Form, Question, Rubric, Verdict
from mrarebench_hf.judge._settings import JudgeSettings
from mrarebench_hf.judge._verdicts import Verdicts, judge

__all__ = ["Content", "Form", "JudgeSettings", "Question", "Rubric", "Verdict", "Verdicts", "get", "judge", "names"]


def names() -> tuple[str, ...]:
    """Names of all rubrics."""
    return registry.names(__name__)


def get(name: str) -> Rubric:
    """One rubric by name; raises UnknownNameError for any other."""
    return cast(Rubric, registry.load(__name__, name, kind="rubric").RUBRIC)
