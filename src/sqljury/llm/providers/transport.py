"""One HTTP exchange through a vendor's SDK: its time, its size, its failures."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from sqljury.llm.chat import Json
from sqljury.llm.retry import CallFailedError, failure, refused_for_its_text

MAX_BYTES = 16 * 1024 * 1024
"""A reply larger than this is a server that has gone wrong."""


def exchange(send: Callable[[], AbstractContextManager[Any]], sdk: Any, timeout: float) -> Json:
    """The raw JSON that a server answers, read to its end within the time.

    Args:
        send: an SDK's call ``with_streaming_response``, its own retries off.
        sdk: the SDK's module; all of them name their exceptions alike.

    Raises:
        CallFailedError: anything but a JSON object came back.
    """
    deadline = time.monotonic() + timeout
    try:
        with send() as response:
            body = _body(response, deadline, timeout)
    except CallFailedError:
        raise
    except sdk.APIStatusError as error:
        return _rejection(error)
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
    return _object(body)


def _body(response: Any, deadline: float, timeout: float) -> bytes:
    # The SDKs' timeout is for each piece; a server that drips could hold a thread for ever.
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > MAX_BYTES:
            raise CallFailedError(f"the reply is larger than {MAX_BYTES} bytes", charged=True)
        if time.monotonic() > deadline:
            raise _too_slow(timeout)
    return bytes(body)


def _object(body: bytes) -> Json:
    try:
        raw = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise malformed(f"not JSON: {body[:80]!r}") from error
    if not isinstance(raw, dict):
        raise malformed("not an object")
    return raw


def malformed(why: str) -> CallFailedError:
    """A reply of another form than the provider's."""
    return CallFailedError(f"the reply is malformed: {why}", again=True, charged=True)


def _too_slow(timeout: float) -> CallFailedError:
    return CallFailedError(f"no reply within {timeout:g} s", again=True, charged=True)


def _broken(error: BaseException) -> CallFailedError:
    text = str(error) or type(error).__name__
    never_there = type(error).__name__ == "ConnectError"
    return CallFailedError(f"the connection failed: {text}", again=True, charged=not never_there)


def _rejection(error: Any) -> Json:
    status, message = error.status_code, str(error.message)
    if refused_for_its_text(status, message):
        return {"rejected": {"status": status, "message": message}}
    raise failure(status, error.response.headers, message) from error
