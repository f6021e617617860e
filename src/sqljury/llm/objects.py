"""Finds the JSON object in a model's text, and checks that it has the required shape."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import replace

from sqljury.extraction import without_thoughts
from sqljury.llm.chat import Json, Message, Reply, Request, one_line

_KNOWN = (
    {"type", "properties", "required", "additionalProperties", "enum", "items"}
    | {"minimum", "maximum"}
    | {"description", "title", "$schema"}
)


def _number(value: Json) -> bool:
    finite = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    return finite and not isinstance(value, bool)


_TYPES: Mapping[str, tuple[str, Callable[[Json], bool]]] = {
    "object": ("an object", lambda value: isinstance(value, dict)),
    "array": ("a list", lambda value: isinstance(value, list)),
    "string": ("a text", lambda value: isinstance(value, str)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "number": ("a number", _number),
    "integer": ("a whole number", lambda value: _number(value) and float(value).is_integer()),
    "null": ("null", lambda value: value is None),
}


def check_schema(schema: Mapping[str, Json]) -> None:
    """Raises ValueError if a schema uses more than :func:`fault` can check."""
    unknown = sorted(set(schema) - _KNOWN)
    if unknown or not isinstance(schema.get("type", ""), str):
        raise ValueError(f"schemas cannot use {', '.join(unknown) or 'a list of types'} here")
    for part in (*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])):
        check_schema(part)


def fault(value: Json, schema: Mapping[str, Json], path: str = "the answer") -> str:
    """Why a value does not fit the schema, or an empty text. Values are not converted: `"false"` is
    a text.

    >>> fault({"verdict": "false"}, {"properties": {"verdict": {"type": "boolean"}}})
    '`verdict` must be true or false, not "false"'
    """
    kind = schema.get("type")
    if kind is not None and not _TYPES[kind][1](value):
        return f"{path} must be {_TYPES[kind][0]}, not {_shown(value)}"
    if "enum" in schema and not any(_same(value, allowed) for allowed in schema["enum"]):
        choices = ", ".join(_shown(choice) for choice in schema["enum"])
        return f"{path} must be one of {choices}, not {_shown(value)}"
    if _number(value):
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        return "" if low <= value <= high else f"{path} must lie in [{low}, {high}], not {value}"
    if isinstance(value, dict):
        return _object_fault(value, schema, path)
    if isinstance(value, list) and "items" in schema:
        found = (fault(one, schema["items"], f"{path}[{i}]") for i, one in enumerate(value))
        return next(filter(None, found), "")
    return ""


def _object_fault(value: Mapping[str, Json], schema: Mapping[str, Json], path: str) -> str:
    for name in schema.get("required", ()):
        if name not in value:
            return f"`{name}` is missing"
    for name, part in schema.get("properties", {}).items():
        inner = f"`{name}`" if path == "the answer" else f"{path}.{name}"
        found = fault(value[name], part, inner) if name in value else ""
        if found:
            return found
    return ""


def _same(value: Json, allowed: Json) -> bool:
    # In Python True == 1, in JSON it is not.
    return type(value) is type(allowed) and bool(value == allowed)


def _shown(value: Json) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f'"{value[:40]}…"' if len(value) > 40 else f'"{value}"'
    return json.dumps(value)[:40]


def trimmed(value: Mapping[str, Json], schema: Mapping[str, Json]) -> dict[str, Json]:
    """The object with only the keys of the schema, in the schema's order."""
    if schema.get("additionalProperties", True):
        return dict(value)
    return {name: value[name] for name in schema.get("properties", {}) if name in value}


def placeholder(schema: Mapping[str, Json]) -> Json:
    """A value of this shape, with yes in every place for yes or no."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: placeholder(part) for name, part in schema.get("properties", {}).items()}
    empty: Mapping[str, Json] = {"array": [], "string": "", "boolean": True, "null": None}
    return empty[kind] if kind in empty else max(0, schema.get("minimum", 0))


_MAX_CHARS = 100_000
_MAX_OBJECTS = 50
_MAX_RESTARTS = 10

_BLOCK = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
# A string that is never closed extends to the end, so no pattern reads a character twice.
_STRING = r'"(?:[^"\\]|\\.)*+"?'
_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_BRACE = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)


class NoObjectError(ValueError):
    """There is no JSON object; the text is the reason, as it is sent to the model."""


def candidates(text: str) -> list[dict[str, Json]]:
    """The different JSON objects that a text offers as its answer.

    Looks at the whole text; if it is not one object, in fenced blocks; if there is none, in the
    prose.

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
            # If one object contradicts itself, another one next to it is not used instead.
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
    """A key occurs with two values."""


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
    # Half a surrogate pair is valid in JSON, but cannot be written to a file.
    text = json.dumps(value, ensure_ascii=False)
    encoded = text.encode("utf-8", "replace")
    return value if encoded == text.encode("utf-8", "surrogatepass") else json.loads(encoded)


def _braced(text: str) -> Iterator[str]:
    """The parts of a text from an outermost opening brace to its closing one.

    A brace in prose that is never closed would hide what follows, so the search restarts after it.
    """
    start = text.find("{")
    for _ in range(_MAX_RESTARTS):
        unclosed = yield from _closed(text, start)
        if unclosed < 0:
            return
        start = text.find("{", unclosed + 1)


def _closed(text: str, position: int) -> Generator[str, None, int]:
    """Yields closed parts; returns the position of the last opening brace that is not closed, else
    -1."""
    start = text.find("{", position) if position >= 0 else -1
    while start >= 0:
        depth = 0
        # Quotes count only inside braces: prose has apostrophes and inch marks.
        for match in _BRACE.finditer(text, start):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if depth == 0:
                break
        else:
            return start
        yield text[start : match.end()]
        start = text.find("{", match.end())
    return -1


_SHOWN_BACK = 4_000


def understood(
    reply: Reply, schema: Mapping[str, Json] | None, *, cut: bool = False
) -> tuple[Mapping[str, Json] | None, str]:
    """The object and an empty text, or None and the reason why there is no object.

    Args:
        cut: accept an answer that was cut off, because only the likelihood of its first tokens is
            needed.
    """
    problem = unusable(reply)
    if problem and not (cut and reply.finish == "length" and reply.logprobs):
        return None, problem
    if schema is None:
        return {"text": reply.text}, ""
    try:
        found = candidates(reply.text)
    except NoObjectError as error:
        return None, f"not the JSON that was asked for: {error}"
    faults = [fault(one, schema) for one in found]
    valid = [trimmed(one, schema) for one, wrong in zip(found, faults, strict=True) if not wrong]
    if not valid:
        return None, f"not the JSON that was asked for: {faults[-1]}"
    if any(one != valid[0] for one in valid):
        return None, "not the JSON that was asked for: it holds several different answers"
    return valid[0], ""


def unusable(reply: Reply) -> str:
    """Why a reply cannot be an answer, whatever its text; empty if it can."""
    if reply.finish == "rejected":
        return f"the endpoint does not take this question: {reply.refusal}"
    if reply.refusal or reply.finish == "content_filter":
        return f"a refusal: {reply.refusal or 'stopped by a content filter'}"
    if reply.finish == "length":
        return f"the answer was cut after {reply.completion_tokens} tokens"
    return "" if reply.text.strip() else "an empty answer"


def asked_again(request: Request, original: Request, reply: Reply, problem: str) -> Request:
    """The request for the next attempt: the same question; if there was an answer, with what was
    wrong with it."""
    messages = original.messages
    if not unusable(reply):
        messages = (
            *original.messages,
            Message("assistant", reply.text[:_SHOWN_BACK]),
            Message(
                "user",
                f"This cannot be used: {problem}. Answer the same question again, with one JSON "
                "object of the shape that was asked for and nothing else.",
            ),
        )
    return replace(original, messages=messages, again=request.again + 1)


def with_schema_in_words(request: Request) -> tuple[Message, ...]:
    """The messages with the schema written in words, for an endpoint that does not accept
    schemas."""
    if request.schema is None:
        return request.messages
    wanted = (
        "# Form of the answer\n\nOne JSON object and nothing else, valid under this JSON schema:\n"
        + one_line(request.schema)
    )
    # Many chat templates accept only one system message, at the start.
    first, *rest = request.messages
    if first.role == "system":
        return (Message("system", f"{first.content}\n\n{wanted}"), *rest)
    return (Message("system", wanted), first, *rest)
