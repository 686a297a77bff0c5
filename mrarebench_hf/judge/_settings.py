"""Stage judge: what a user may say about the judge, checked before anything is asked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mrarebench_hf.errors import UsageError
from mrarebench_hf.judge._rubric import Form
from mrarebench_hf.model._chat import KEY_VARIABLE, Endpoint
from mrarebench_hf.records import Usage

__all__ = ["JudgeSettings"]

_PREFIX = "openai:"
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The judge, and how it is asked.

    Attributes:
        name: the judge's name on its server, with or without ``openai:`` before it.
        base_url: the server's address; None for ``$OPENAI_BASE_URL``, else OpenAI's.
        key_variable: name of the environment variable that holds the key.
        form: "json" asks for JSON by a schema (a server that does not take the schema is asked without), "lines" for
            one verdict a line.
        concurrency: most requests at a time.
        timeout_s: how long one request may take.
        retries: how often a request that failed in passing is sent again.
        rereads: how often a question is asked again whose reply could not be read.
        temperature: of the judge; None leaves it to the server.
        max_tokens: most tokens of a reply, thinking included; None leaves it to the server.
        passes: how often every question is asked, for agreement of the judge with itself; the first counts.
        rare: whether T1's candidates are classified too (one question per distinct name).
        prices: JSON file, judge's name → ``{"input", "output"}`` in dollars per million tokens.
        max_fail_rate: share of failed verdicts above which the run counts as failed, None for no limit.
        backoff_s: first pause after a failure for which the server names none.
    """

    name: str
    base_url: str | None = None
    key_variable: str = KEY_VARIABLE
    form: Form = "json"
    concurrency: int = 16
    timeout_s: float = 120.0
    retries: int = 5
    rereads: int = 2
    temperature: float | None = 0.0
    max_tokens: int | None = 8192
    passes: int = 1
    rare: bool = False
    prices: Path | None = None
    max_fail_rate: float | None = None
    backoff_s: float = 0.5

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.passes < 1 or self.rereads < 0:
            raise UsageError(
                f"concurrency and passes must be at least 1, rereads 0 or more, got {self.concurrency}, {self.passes} "
                f"and {self.rereads}"
            )
        if self.max_tokens is not None and self.max_tokens < 1:
            raise UsageError(f"the judge's max_tokens must be at least 1, got {self.max_tokens}")
        if self.max_fail_rate is not None and not 0 <= self.max_fail_rate <= 1:
            raise UsageError(f"the judge's max_fail_rate must lie between 0 and 1, got {self.max_fail_rate}")
        self.endpoint()
        self.price()

    @property
    def model(self) -> str:
        """The name as the server knows it."""
        return self.name.removeprefix(_PREFIX)

    def endpoint(self) -> Endpoint:
        """Where and how questions are sent."""
        wanted = {"temperature": self.temperature, "max_completion_tokens": self.max_tokens}
        return Endpoint(
            model=self.model,
            base_url=self.base_url,
            key_variable=self.key_variable,
            timeout_s=self.timeout_s,
            retries=self.retries,
            backoff_s=self.backoff_s,
            parameters={name: value for name, value in wanted.items() if value is not None},
        )

    def price(self) -> tuple[float, float] | None:
        """Dollars per token in and out, None without a price file.

        Raises:
            UsageError: when the file cannot be read or does not price this judge.
        """
        if self.prices is None:
            return None
        try:
            table: Any = json.loads(self.prices.read_bytes())
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read the prices in {self.prices}: {error}") from error
        entry = table.get(self.model) if isinstance(table, Mapping) else None
        found: list[Any] = [entry.get(side) for side in ("input", "output")] if isinstance(entry, Mapping) else []
        if not found or not all(_is_price(value) for value in found):
            raise UsageError(
                f'{self.prices} has no price of {self.model!r}: {{"{self.model}": {{"input": 0.5, "output": 2.0}}}} '
                "in dollars per million tokens"
            )
        return found[0] / _MILLION, found[1] / _MILLION

    def cost(self, usage: Usage) -> float | None:
        """Dollars for some tokens, None where prices or tokens are not known."""
        price = self.price()
        if price is None or usage.prompt_tokens is None:
            return None
        return usage.prompt_tokens * price[0] + (usage.completion_tokens or 0) * price[1]


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
