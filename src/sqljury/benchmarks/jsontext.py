"""JSON text, read so that an element's line is known and a repeated key is noticed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from sqljury.case import Json

_SPACE = re.compile(r"[ \t\n\r]*")


class Repeated(Exception):  # noqa: N818 - what happened, turned into a user's error by the caller
    """A key that stands twice in one object; its text is the key."""

    line = 0
    """Of the list's element; 0 where the text is no list."""


def parse(text: str, *, unique: bool = False) -> Json:
    """One JSON value.

    Args:
        unique: refuse an object in which a key stands twice (json keeps the last, silently).

    Raises:
        json.JSONDecodeError: with line and column.
        Repeated: with the key.
    """
    return json.loads(text, object_pairs_hook=_unique if unique else None)


def elements(text: str) -> Iterator[tuple[Json, int]]:
    """The elements of a JSON list, each with the line on which it begins.

    Raises:
        json.JSONDecodeError, Repeated: as :func:`parse`.
    """
    at = _skip(text, _skip(text, 0) + 1)
    line, counted = 1, 0
    while not text.startswith("]", at):
        line += text.count("\n", counted, at)
        counted = at
        try:
            value, at = _DECODER.raw_decode(text, at)
        except Repeated as twice:
            twice.line = line
            raise
        yield value, line
        at = _skip(text, at)
        if text.startswith(",", at):
            at = _skip(text, at + 1)
            if text.startswith("]", at):
                raise json.JSONDecodeError("a comma before the end of the list", text, at)
        elif not text.startswith("]", at):
            raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
    if (end := _skip(text, at + 1)) < len(text):
        raise json.JSONDecodeError("Extra data", text, end)


def dump(value: Json, *, indent: int | None = None) -> str:
    """JSON text as people read it; half of a surrogate pair is escaped, it has no UTF-8."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if text.isascii() or text.encode("utf-8", "ignore").decode() == text:
        return text
    return json.dumps(value, indent=indent)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    out = dict(pairs)
    if len(out) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise Repeated(key)
            seen.add(key)
    return out


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)
