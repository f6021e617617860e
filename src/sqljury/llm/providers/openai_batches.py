"""OpenAI's batches: a file of requests goes up, files of answers and of failures come down.

Source: https://platform.openai.com/docs/guides/batch
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqljury.llm.chat import Json, one_line
from sqljury.llm.limits import CallFailedError, failure
from sqljury.llm.providers.base import BatchNews
from sqljury.llm.providers.transport import fetched, malformed, received, rejection
from sqljury.secrets import redacted, redacted_json

_CHAT = "/v1/chat/completions"
_SECONDS = 60.0
_FILE_SECONDS = 900.0
"""For a file of requests or of answers."""
_LARGEST_FILE = 1 << 30
_ENDED = ("completed", "failed", "expired", "cancelled")
_MARK = "sqljury"
_PAGE = 100
_MOST_PAGES = 10


def submit(client: Any, sdk: Any, bodies: Mapping[str, Json], mark: str) -> str:
    """Upload the bodies of requests by key, and start a batch; its id.

    Args:
        mark: kept with the batch, so that :func:`find` knows it.
    """
    lines = [
        one_line({"custom_id": key, "method": "POST", "url": _CHAT, "body": body})
        for key, body in bodies.items()
    ]
    content = ("requests.jsonl", "\n".join(lines).encode())
    files, batches = client.files.with_streaming_response, client.batches.with_streaming_response
    with _of_form():
        file = fetched(
            lambda: files.create(file=content, purpose="batch", timeout=_FILE_SECONDS),
            sdk,
            _FILE_SECONDS,
        )
        batch = fetched(
            lambda: batches.create(
                input_file_id=str(file["id"]),
                endpoint=_CHAT,
                completion_window="24h",
                metadata={_MARK: mark},
                timeout=_SECONDS,
            ),
            sdk,
            _SECONDS,
        )
        return str(batch["id"])


def find(client: Any, sdk: Any, mark: str) -> str | None:
    """The id of the batch with this mark, among the last thousand."""
    batches = client.batches.with_streaming_response
    further: dict[str, str] = {}
    for _ in range(_MOST_PAGES):
        with _of_form():
            page = fetched(
                lambda: batches.list(limit=_PAGE, timeout=_SECONDS, **further),  # noqa: B023
                sdk,
                _SECONDS,
            )
            for batch in page["data"]:
                if (batch.get("metadata") or {}).get(_MARK) == mark:
                    return str(batch["id"])
            if not page.get("has_more") or not page["data"]:
                return None
            further = {"after": str(page["data"][-1]["id"])}
    return None


def fetch(client: Any, sdk: Any, batch: str) -> BatchNews:
    """The state of a batch, and when it has ended its answers and failures."""
    batches = client.batches.with_streaming_response
    with _of_form():
        found = fetched(lambda: batches.retrieve(batch, timeout=_SECONDS), sdk, _SECONDS)
        state = str(found["status"])
        if state not in _ENDED:
            counts = found.get("request_counts") or {}
            done = int(counts.get("completed") or 0) + int(counts.get("failed") or 0)
            return BatchNews("open", done)
        raws: dict[str, Json] = {}
        failures: dict[str, CallFailedError] = {}
        for name in ("output_file_id", "error_file_id"):
            for line in _lines(client, sdk, found.get(name)):
                _sort(line, raws, failures)
        return BatchNews(state, 0, raws, failures, _error(state, found))


def _lines(client: Any, sdk: Any, file: Json) -> list[str]:
    if not file:
        return []
    files = client.files.with_streaming_response
    try:
        body = received(
            lambda: files.content(str(file), timeout=_FILE_SECONDS),
            sdk,
            _FILE_SECONDS,
            _LARGEST_FILE,
        )
    except sdk.APIStatusError as error:
        message = redacted(str(error.message))
        raise failure(error.status_code, error.response.headers, message) from error
    # Not splitlines(): answers may hold other things that end a line.
    return [line for line in body.decode("utf-8", "replace").split("\n") if line.strip()]


def _sort(line: str, raws: dict[str, Json], failures: dict[str, CallFailedError]) -> None:
    """Put a line where it belongs; one that cannot be read says nothing of its request."""
    try:
        result = redacted_json(json.loads(line))
        key = str(result["custom_id"])
        response = result.get("response") or {}
        status, body = int(response.get("status_code") or 0), response.get("body")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return
    if status == 200 and isinstance(body, dict):
        raws[key] = body
    elif status >= 400:
        message = _as_the_sdk_words_it(status, body)
        rejected = rejection(status, message)
        if rejected is not None:
            raws[key] = rejected
        else:
            failures[key] = failure(status, {}, message)
    else:
        failures[key] = CallFailedError(f"the batch failed at it: {_said(result)}", again=True)


def _as_the_sdk_words_it(status: int, body: Json) -> str:
    """So that a verdict says the same as after a single call."""
    error = body.get("error", body) if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return f"Error code: {status}" + (f" - {message}" if message else "")


def _said(result: Json) -> str:
    error = result.get("error")
    error = error if isinstance(error, dict) else {}
    return ": ".join(str(error[key]) for key in ("code", "message") if error.get(key)) or "no reply"


def _error(state: str, found: Json) -> str:
    if state not in ("failed", "cancelled"):
        return ""
    reasons = [str(one.get("message")) for one in (found.get("errors") or {}).get("data") or ()]
    return "; ".join([state, *reasons])


@contextmanager
def _of_form() -> Iterator[None]:
    """A reply without the parts that it must have is one more failure."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise malformed(f"{type(error).__name__}: {error}") from error
