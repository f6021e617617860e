"""One HTTP exchange through a vendor's SDK: its time, its size, its failures."""

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
"""A reply larger than this is a server that has gone wrong."""


def unredirected(sdk: Any) -> Any:
    """An SDK's HTTP client that sends neither prompt nor key where a reply redirects to."""
    return sdk.DefaultHttpxClient(follow_redirects=False)


def exchange(send: Callable[[], AbstractContextManager[Any]], sdk: Any, timeout: float) -> Json:
    """The raw JSON that a server answers, read to its end within the time.

    Args:
        send: an SDK's call ``with_streaming_response``, its own retries off.
        sdk: the SDK's module; all of them name their exceptions alike.

    Raises:
        CallFailedError: anything but a JSON object came back.
    """
    try:
        return _object(received(send, sdk, timeout))
    except sdk.APIStatusError as error:
        message = redacted(str(error.message))
        return rejection(error.status_code, message) or _raised(error, message)


def fetched(send: Callable[[], AbstractContextManager[Any]], sdk: Any, timeout: float) -> Json:
    """As :func:`exchange`, where nothing that a model is to read is sent.

    Raises:
        CallFailedError: anything but a JSON object came back.
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
    """All that a server sends.

    Raises:
        CallFailedError: nothing came, or not all of it.
        APIStatusError: the SDK's own, with what the server says.
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
        # While a body is read the SDKs let their HTTP library's own exceptions through.
        if not type(error).__module__.startswith("http"):
            raise
        if "Timeout" in type(error).__name__:
            raise _too_slow(timeout) from error
        raise _broken(error) from error


def _body(response: Any, deadline: float, timeout: float, most: int) -> bytes:
    # The SDKs' timeout is for each piece; a server that drips could hold a thread for ever.
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
    # Some endpoints send back what they were sent, the key in it.
    return redacted_json(raw)


def malformed(why: str) -> CallFailedError:
    """A reply of another form than the provider's."""
    return CallFailedError(f"the reply is malformed: {why}", again=True, charged=True)


@contextmanager
def well_formed() -> Iterator[None]:
    """A reply without the parts that it must have is one more failure."""
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
    """What is kept of an endpoint that does not take a text; None where it failed otherwise."""
    if refused_for_its_text(status, message):
        return {"rejected": {"status": status, "message": message}}
    return None


def _raised(error: Any, message: str) -> NoReturn:
    raise failure(error.status_code, error.response.headers, message) from error
