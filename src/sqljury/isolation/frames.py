"""Messages over pipes: JSON, each after its length."""

from __future__ import annotations

import json
import struct
from typing import IO, Any, TypeVar, cast

from sqljury.isolation.plain import from_plain, to_plain

_LENGTH = struct.Struct("<Q")
_LONGEST = 1 << 30

T = TypeVar("T")


def send(stream: IO[bytes], message: object) -> None:
    """Write one message: a value that :func:`to_plain` knows."""
    send_bytes(stream, json.dumps(to_plain(message), separators=(",", ":")).encode())


def receive(stream: IO[bytes], kind: type[T] | Any) -> T:
    """Read one message, which must be of that type.

    Raises:
        EOFError: the other side is gone.
        ValueError: it is something else.
    """
    try:
        return cast("T", from_plain(kind, json.loads(receive_bytes(stream))))
    except RecursionError:
        raise ValueError("a message that is nested too deeply") from None


def send_bytes(stream: IO[bytes], body: bytes) -> None:
    """Write one message as it is."""
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def receive_bytes(stream: IO[bytes]) -> bytes:
    """Read one message as it is.

    Raises:
        EOFError: the other side is gone.
        ValueError: it is longer than any of ours.
    """
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    if length > _LONGEST:
        raise ValueError(f"a message of {length} bytes")
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return found
