"""The one JSON object in what a model wrote: fenced, with prose around, with trailing commas."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Generator, Iterable, Iterator

from sqljury.extraction import without_thoughts
from sqljury.llm.chat import Json

_MAX_CHARS = 100_000
_MAX_OBJECTS = 50
_MAX_RESTARTS = 10

_BLOCK = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
# A string that is never closed runs to the end: then no pattern looks at a character twice.
_STRING = r'"(?:[^"\\]|\\.)*+"?'
_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_BRACE = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)


class NoObjectError(ValueError):
    """There is no JSON object; the text says why, as it is told to the model."""


def candidates(text: str) -> list[dict[str, Json]]:
    """The different JSON objects that a text offers as its answer.

    The whole text, else what stands in fenced blocks, else what stands in prose.

    Raises:
        NoObjectError: there is none, or it is broken.
    """
    said = text if text.lstrip().startswith("{") else without_thoughts(text)
    if len(said) > _MAX_CHARS:
        raise NoObjectError(f"it has {len(said)} characters, more than {_MAX_CHARS}")
    problem = ""
    for pieces in ([said], _BLOCK.findall(said), _braced(said)):
        found, problem = _objects(pieces)
        if found or problem:
            break
    if problem or not found:
        raise NoObjectError(problem or "it holds no complete JSON object")
    return found


def _objects(pieces: Iterable[str]) -> tuple[list[dict[str, Json]], str]:
    found: dict[str, dict[str, Json]] = {}
    for number, piece in enumerate(pieces):
        if number == _MAX_OBJECTS:
            return [], f"it holds more than {_MAX_OBJECTS} JSON objects"
        try:
            value = _loaded(piece)
        except _ContradictionError as error:
            # An object that contradicts itself is not outvoted by another one beside it.
            return [], f"the key {error.args[0]!r} occurs twice with different values"
        except (ValueError, RecursionError):
            continue
        found[json.dumps(value, sort_keys=True)] = value
    return list(found.values()), ""


def _loaded(text: str) -> dict[str, Json]:
    text = text.strip()
    if not text.startswith("{"):
        raise ValueError("not an object")
    text = _TRAILING_COMMA.sub(lambda match: "" if match[0] == "," else match[0], text)
    value = json.loads(
        text,
        object_pairs_hook=_distinct,
        parse_constant=_finite,
        parse_float=_finite,
        strict=False,
    )
    return _writable(value)


class _ContradictionError(ValueError):
    """A key with two values."""


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for key, value in pairs:
        if key in found and json.dumps(found[key]) != json.dumps(value):
            raise _ContradictionError(key)
        found[key] = value
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a JSON number")
    return number


def _writable(value: dict[str, Json]) -> dict[str, Json]:
    # Half a surrogate pair is valid in JSON, but in no file.
    text = json.dumps(value, ensure_ascii=False)
    encoded = text.encode("utf-8", "replace")
    return value if encoded == text.encode("utf-8", "surrogatepass") else json.loads(encoded)


def _braced(text: str) -> Iterator[str]:
    """Stretches from an outermost brace to the one that closes it.

    A brace in prose that is never closed hides what follows: then we start again behind it.
    """
    start = text.find("{")
    for _ in range(_MAX_RESTARTS):
        unclosed = yield from _closed(text, start)
        if unclosed < 0:
            return
        start = text.find("{", unclosed + 1)


def _closed(text: str, position: int) -> Generator[str, None, int]:
    """The closed stretches; the value is where the last one begins that is not, else -1."""
    start = text.find("{", position) if position >= 0 else -1
    while start >= 0:
        depth = 0
        # Quotes mean something inside of braces only: prose has apostrophes and inch marks.
        for match in _BRACE.finditer(text, start):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if depth == 0:
                break
        else:
            return start
        yield text[start : match.end()]
        start = text.find("{", match.end())
    return -1
