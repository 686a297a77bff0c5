"""Stage model, shared: the reply or the error of a chat-completions server in, an answer or a named failure out; pure.

A reply without usable text is a failure with its reason, never an empty answer. Source: field report BR-37.
"""

from __future__ import annotations

import contextlib
import email.utils
import json
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from mrarebench_hf.records import Usage

__all__ = ["Completion", "Failure", "of_reply", "of_status"]

# A server that asks for a longer pause than this will not answer in this run.
MAX_PAUSE_S = 600.0
_SHOWN = 300
_PASSING = {408, 409, 425, 429}
# What servers call a parameter in their complaints, where it is not its own name.
_OTHER_NAMES = {"response_format": ("json_schema", "structured output", "guided"), "max_completion_tokens": ()}


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer.

    Attributes:
        text: not blank.
        finish_reason: the server's word.
        usage: tokens, where the server tells.
    """

    text: str
    finish_reason: str | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer.

    Attributes:
        reason: short machine-readable cause, for counting.
        error: the cause in words.
        passing: whether the same request may succeed later.
        hopeless: whether no request of this client can succeed.
        refused_parameter: a parameter that the server does not take; the request may succeed without it.
        retry_after_s: the pause that the server asks for.
        usage: tokens spent nevertheless.
    """

    reason: str
    error: str
    passing: bool = False
    hopeless: bool = False
    refused_parameter: str | None = None
    retry_after_s: float | None = None
    usage: Usage = field(default_factory=Usage)


def of_reply(reply: object) -> Completion | Failure:
    """Read the reply of a server that says that all is well.

    Args:
        reply: the body, as JSON where it is that, otherwise as text.

    >>> of_reply({"choices": []}).reason
    'no_choices'
    """
    if isinstance(reply, str):  # a server that does not say that it sends JSON
        with contextlib.suppress(ValueError, RecursionError):
            reply = json.loads(reply)
    if not isinstance(reply, Mapping):
        return Failure("malformed", f"the server's reply is no JSON object: {str(reply)[:_SHOWN]!r}", passing=True)
    usage = _usage(reply.get("usage"))
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        told = _message(reply.get("error"))
        reason = "server_error" if told else "no_choices"
        return Failure(reason, told or "the server's reply holds no choices", passing=True, usage=usage)
    return _of_choice(choices[0], usage)


def _of_choice(choice: Mapping[str, Any], usage: Usage) -> Completion | Failure:
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    finish = choice.get("finish_reason")
    finish_reason = finish if isinstance(finish, str) else None
    text = _text(message.get("content"))
    if finish_reason == "content_filter":
        return Failure("content_filter", "the server's content filter stopped the answer", usage=usage)
    if text.strip():
        return Completion(text, finish_reason, usage)
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return Failure("refusal", f"the model refuses: {refusal[:_SHOWN]}", usage=usage)
    if finish_reason == "length":
        return Failure("truncated", "the token budget was spent before the answer began", usage=usage)
    return Failure("empty", "the answer is empty", passing=True, usage=usage)


def of_status(
    status: int, headers: Mapping[str, str], body: bytes, n_bytes: int, sent: Collection[str] = ()
) -> Failure:
    """Read a reply with an error status.

    Args:
        status: the HTTP status.
        headers: of the reply.
        body: of the reply.
        n_bytes: size of the request, which is told where size may be the cause.
        sent: names of the optional parameters that the request held.

    >>> of_status(429, {"retry-after": "2"}, b"", 10).retry_after_s
    2.0
    """
    error = _json_error(body)
    told = _message(error) or _begin(body)
    words = f"HTTP {status}: {told}"
    code = str(error.get("code") or error.get("type") or "")
    if status in (401, 403) or code in ("insufficient_quota", "invalid_api_key", "model_not_found"):
        return Failure(f"http_{status}", words, hopeless=True)
    if status in (400, 422):
        refused = _refused(error, told, sent)
        return Failure(f"http_{status}", words, refused_parameter=refused)
    if status in _PASSING or status >= 500:
        pause = _retry_after(headers)
        return Failure(f"http_{status}", words, passing=pause is None or pause <= MAX_PAUSE_S, retry_after_s=pause)
    size = f"HTTP {status} to a request of {n_bytes} bytes: {told}"
    return Failure("too_large" if status == 413 else f"http_{status}", size)


def _refused(error: Mapping[str, Any], told: str, sent: Collection[str]) -> str | None:
    named = error.get("param")
    for name in sent:
        words = (name, *_OTHER_NAMES.get(name, ()))
        if named == name or any(word in told.lower() for word in words):
            return name
    return None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, by the header in milliseconds, in seconds, or as a date."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after", "")
        return max(0.0, float(value)) if value.strip() else None
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _json_error(body: bytes) -> Mapping[str, Any]:
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    error = reply.get("error", reply) if isinstance(reply, Mapping) else None
    return error if isinstance(error, Mapping) else {"message": error}


def _message(error: object) -> str:
    found = error.get("message") or error.get("detail") if isinstance(error, Mapping) else error
    return "" if found is None else _whole(str(found))[:_SHOWN]


def _text(content: object) -> str:
    """The answer; parts of text are joined, everything else is no answer."""
    if isinstance(content, str):
        return _whole(content)
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return _whole("".join(part for part in parts if isinstance(part, str)))
    return ""


def _whole(text: str) -> str:
    """Half of a surrogate pair, which JSON can hold and no file can, becomes a replacement character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _begin(body: bytes) -> str:
    return repr(body[:_SHOWN].decode("utf-8", "replace"))


def _usage(value: object) -> Usage:
    if not isinstance(value, Mapping):
        return Usage()
    counts = [value.get("prompt_tokens"), value.get("completion_tokens")]
    return Usage(*(count if isinstance(count, int) and not isinstance(count, bool) else None for count in counts))
