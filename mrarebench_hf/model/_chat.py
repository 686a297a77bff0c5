"""Stage model, shared: one question to an OpenAI-compatible server, and what becomes of it, by name.

In: messages. Out: a ``Response``, answered or failed with a reason; it raises only where no question at all can be
answered. Keys come from the environment, and are cut out of every text that a server sends back.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from mrarebench_hf.errors import EndpointError, UsageError
from mrarebench_hf.model._completion import Completion, Failure, of_reply, of_status
from mrarebench_hf.records import Response, Usage

__all__ = ["KEY_VARIABLE", "Chat", "Endpoint", "added", "checked_url"]

_LOG = logging.getLogger(__name__)

KEY_VARIABLE = "OPENAI_API_KEY"
_URL_VARIABLE = "OPENAI_BASE_URL"
_MAX_BACKOFF_S = 30.0
_SECRET_NAME = re.compile(r"key|token|secret|password", re.IGNORECASE)
_MIN_SECRET = 8  # a shorter value would cut words out of texts


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where questions go, and how.

    Attributes:
        model: the model's name on the server.
        base_url: the server's address, with or without ``/v1``; None for ``$OPENAI_BASE_URL``, else OpenAI's.
        key_variable: name of the environment variable that holds the key.
        timeout_s: how long one request may take.
        retries: how often a request that failed in passing is sent again.
        backoff_s: the first pause before that, where the server names none; it doubles each time.
        parameters: sent with every request; one that the server refuses by name is left out from then on.
    """

    model: str
    base_url: str | None = None
    key_variable: str = KEY_VARIABLE
    timeout_s: float = 120.0
    retries: int = 5
    backoff_s: float = 0.5
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise UsageError("the model's name is empty")
        if self.base_url is not None:
            checked_url(self.base_url)
        if not (self.timeout_s > 0 and self.retries >= 0 and self.backoff_s >= 0):
            raise UsageError(
                f"a timeout must be above 0 and retries 0 or more, got {self.timeout_s:g} s and {self.retries}"
            )

    def key(self) -> str:
        """The key from the environment; a server of one's own may need none.

        Raises:
            EndpointError: when there is none and the server is OpenAI's.
        """
        key = os.environ.get(self.key_variable, "").strip()
        if not key and self.address is None:
            raise EndpointError(
                f"{self.model} needs a key in ${self.key_variable}; for a server of your own give its base URL"
            )
        return key or "none"

    @property
    def address(self) -> str | None:
        """The server's address as it is used, None for OpenAI's."""
        url = self.base_url or os.environ.get(_URL_VARIABLE, "").strip()
        return checked_url(url) if url else None


def checked_url(url: str) -> str:
    """A server's address in the form that the client wants.

    Raises:
        UsageError: for an address without scheme and host, or with a secret in it, which is not repeated.

    >>> checked_url("http://localhost:8000/"), checked_url("https://host/openai/v1")
    ('http://localhost:8000/v1', 'https://host/openai/v1')
    """
    parts = urlsplit(url.strip())
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UsageError(
            "the base URL holds a user name, a query or a fragment, and a URL ends up in files: give the bare address, "
            f"and the key in ${KEY_VARIABLE}"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"a base URL must look like http://host:port/v1, got {url!r:.80}")
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") or "/v1", "", ""))


class Chat:
    """A client of one endpoint, for use inside one event loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        import openai

        self.endpoint = endpoint
        self.dropped: set[str] = set()
        self._secrets = _secrets(endpoint)
        self._quiet_until = 0.0
        # Retries are ours: they are counted, named, and wait for the whole client where the server says so.
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.key(),
            base_url=endpoint.address,
            timeout=endpoint.timeout_s,
            max_retries=0,
            http_client=openai.DefaultAioHttpClient(),  # half the time of the other one, at many requests together
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def ask(self, index: str, messages: Sequence[Mapping[str, Any]], **parameters: Any) -> Response:
        """Ask one question, again after a failure that may pass.

        Args:
            index: id of what is asked about.
            messages: in the chat-completions form.
            parameters: of this request, over those of the endpoint.

        Raises:
            EndpointError: when the server will answer no question of this client.
        """
        wanted = {**self.endpoint.parameters, **parameters}
        n_bytes = len(json.dumps(messages))
        usage, n_retries, start = Usage(), 0, time.monotonic()
        while True:
            await self._wait()
            sent = {name: value for name, value in wanted.items() if name not in self.dropped}
            outcome = await self._once(messages, sent, n_bytes)
            usage = added(usage, outcome.usage)
            if isinstance(outcome, Completion):
                text = self._clean(outcome.text)
                return Response(index, "ok", text, outcome.finish_reason, latency_s=_since(start), usage=usage)
            if self._dropped_now(outcome, sent):
                continue
            error = self._clean(outcome.error)
            if outcome.hopeless:
                raise EndpointError(f"{self.endpoint.model} cannot be asked: {error}")
            if not outcome.passing or n_retries >= self.endpoint.retries:
                return Response(
                    index, "failed", reason=outcome.reason, error=error, latency_s=_since(start), usage=usage
                )
            await self._pause(outcome, n_retries)
            n_retries += 1

    async def _once(
        self, messages: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any], n_bytes: int
    ) -> Completion | Failure:
        import openai

        body = {"model": self.endpoint.model, "messages": messages, **parameters}
        try:
            # Untyped, because the client would take milliseconds to look through each message and schema, and fails in
            # a way of its own on each kind of odd reply.
            return of_reply(await self._client.post("/chat/completions", cast_to=object, body=body))
        except (json.JSONDecodeError, RecursionError) as error:
            return of_reply(getattr(error, "doc", ""))
        except openai.APIStatusError as error:
            reply = error.response
            return of_status(reply.status_code, reply.headers, reply.content, n_bytes, tuple(parameters))
        except openai.APIConnectionError as error:
            causes = list(_causes(error))
            # The client calls some refused connections a timeout too; the first cause tells.
            if any(isinstance(cause, TimeoutError) for cause in causes):
                return Failure("timeout", f"no answer within {self.endpoint.timeout_s:g} s", passing=True)
            return Failure("connection", f"no connection: {causes[-1]}", passing=True)
        except Exception as error:  # bytes that are no text, a header too long: one odd reply must not end a run
            return Failure("malformed", f"the reply cannot be taken in: {type(error).__name__} {error}", passing=True)

    def _dropped_now(self, failure: Failure, sent: Mapping[str, Any]) -> bool:
        name = failure.refused_parameter
        if name is None or name not in sent:
            return False
        if name not in self.dropped:
            self.dropped.add(name)
            _LOG.warning("%s does not take %s; it is left out from now on", self.endpoint.model, name)
        return True

    async def _pause(self, failure: Failure, n_retries: int) -> None:
        if failure.retry_after_s is not None:
            # The limit is that of the key, not of one request: everybody waits.
            self._quiet_until = max(self._quiet_until, time.monotonic() + failure.retry_after_s)
        else:
            await asyncio.sleep(min(_MAX_BACKOFF_S, self.endpoint.backoff_s * 2**n_retries) * random.uniform(0.5, 1))

    async def _wait(self) -> None:
        while (left := self._quiet_until - time.monotonic()) > 0:
            await asyncio.sleep(left)

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def added(a: Usage, b: Usage) -> Usage:
    """The tokens of two requests together; None where neither tells."""
    pairs = ((a.prompt_tokens, b.prompt_tokens), (a.completion_tokens, b.completion_tokens))
    return Usage(*(None if x is None and y is None else (x or 0) + (y or 0) for x, y in pairs))


def _secrets(endpoint: Endpoint) -> tuple[str, ...]:
    """Values of the environment that must appear nowhere, the longest first."""
    named = {value.strip() for name, value in os.environ.items() if _SECRET_NAME.search(name)}
    named.add(os.environ.get(endpoint.key_variable, "").strip())
    return tuple(sorted((value for value in named if len(value) >= _MIN_SECRET), key=len, reverse=True))


def _since(start: float) -> float:
    return time.monotonic() - start
