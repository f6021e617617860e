"""One HTTP exchange through a vendor's SDK: time limit, size limit, failures."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NoReturn

from sqljury.llm.chat import Json
from sqljury.llm.limits import CallFailedError, failure, refused_for_its_text
from sqljury.secrets import redacted, redacted_json

MAX_BYTES = 16 * 1024 * 1024
"""A larger reply is taken as a fault of the server."""


def unredirected(sdk: Any) -> Any:
    """An SDK's HTTP client that follows no redirect, so neither prompt nor key goes elsewhere."""
    return sdk.DefaultHttpxClient(follow_redirects=False)


def exchange(send: Callable[[], AbstractContextManager[Any]], sdk: Any, timeout: float) -> Json:
    """The raw JSON that a server answers, read to its end within the time limit.

    Args:
        send: a call of an SDK ``with_streaming_response``, with the SDK's retries off.
        sdk: the SDK's module; all of them use the same names for exceptions.

    Raises:
        CallFailedError: the answer is not a JSON object.
    """
    try:
        return _object(received(send, sdk, timeout))
    except sdk.APIStatusError as error:
        message = redacted(str(error.message))
        return rejection(error.status_code, message) or _raised(error, message)


def fetched(send: Callable[[], AbstractContextManager[Any]], sdk: Any, timeout: float) -> Json:
    """Like :func:`exchange`, for requests without text for a model.

    Raises:
        CallFailedError: the answer is not a JSON object.
    """
    try:
        return _object(received(send, sdk, timeout))
    except sdk.APIStatusError as error:
        return _raised(error, redacted(str(error.message)))


def received(
    send: Callable[[], AbstractContextManager[Any]],
    sdk: Any,
    timeout: float,
    most: int = MAX_BYTES,
) -> bytes:
    """The whole body that a server sends.

    Raises:
        CallFailedError: nothing was received, or not all of it.
        APIStatusError: the SDK's exception, with the server's message.
    """
    deadline = time.monotonic() + timeout
    try:
        with send() as response:
            return _body(response, deadline, timeout, most)
    except (CallFailedError, sdk.APIStatusError):
        raise
    except sdk.APITimeoutError as error:
        raise _too_slow(timeout) from error
    except sdk.APIConnectionError as error:
        raise _broken(error.__cause__ or error) from error
    except OSError as error:
        raise _broken(error) from error
    except Exception as error:
        # While a body is read, SDKs pass on exceptions of their HTTP library.
        if not type(error).__module__.startswith("http"):
            raise
        if "Timeout" in type(error).__name__:
            raise _too_slow(timeout) from error
        raise _broken(error) from error


def _body(response: Any, deadline: float, timeout: float, most: int) -> bytes:
    # The SDKs' timeout is per piece; a server that sends slowly could block a thread for ever.
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > most:
            raise CallFailedError(f"the reply is larger than {most} bytes", charged=True)
        if time.monotonic() > deadline:
            raise _too_slow(timeout)
    return bytes(body)


def _object(body: bytes) -> Json:
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError) as error:
        start = redacted(body[:2000].decode("utf-8", "backslashreplace"))[:80]
        raise malformed(f"not JSON: {start!r}") from error
    if not isinstance(raw, dict):
        raise malformed("not an object")
    # Some endpoints return the request, including the key.
    return redacted_json(raw)


def malformed(why: str) -> CallFailedError:
    """The error for a reply that does not have the provider's form."""
    return CallFailedError(f"the reply is malformed: {why}", again=True, charged=True)


@contextmanager
def well_formed() -> Iterator[None]:
    """Turns missing parts of a reply into CallFailedError."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise malformed(f"{type(error).__name__}: {error}") from error


def _too_slow(timeout: float) -> CallFailedError:
    return CallFailedError(f"no reply within {timeout:g} s", again=True, charged=True)


def _broken(error: BaseException) -> CallFailedError:
    text = str(error) or type(error).__name__
    never_there = type(error).__name__ == "ConnectError"
    return CallFailedError(
        f"the connection failed: {text}", again=True, charged=not never_there, absent=never_there
    )


def rejection(status: int, message: str) -> Json:
    """The stored answer of an endpoint that refuses a text; None if it failed for another
    reason."""
    if refused_for_its_text(status, message):
        return {"rejected": {"status": status, "message": message}}
    return None


def _raised(error: Any, message: str) -> NoReturn:
    raise failure(error.status_code, error.response.headers, message) from error
