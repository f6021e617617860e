"""How many tokens a request has, before anybody has counted them."""

from __future__ import annotations

from sqljury.llm.chat import Request, one_line

_BYTES_PER_TOKEN = 4
_PER_MESSAGE = 4
"""What chat formats put around a message."""


def _bytes(request: Request) -> int:
    schema = "" if request.schema is None else one_line(request.schema)
    texts = [schema, *(message.content for message in request.messages)]
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def likely_tokens(request: Request) -> int:
    """The rule of thumb: four bytes of UTF-8 are a token, each message has four more."""
    return -(-_bytes(request) // _BYTES_PER_TOKEN) + _PER_MESSAGE * len(request.messages)


def most_tokens(request: Request) -> int:
    """What it cannot exceed: no token is shorter than a byte."""
    return _bytes(request) + 16 * (len(request.messages) + 1)
