"""Whether an object has the shape that a JSON schema asks for, in words for the model."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping

from sqljury.llm.chat import Json

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
    """Raise ValueError where a schema says more than :func:`fault` understands."""
    unknown = sorted(set(schema) - _KNOWN)
    if unknown or not isinstance(schema.get("type", ""), str):
        raise ValueError(f"schemas cannot use {', '.join(unknown) or 'a list of types'} here")
    for part in (*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])):
        check_schema(part)


def fault(value: Json, schema: Mapping[str, Json], path: str = "the answer") -> str:
    """What is wrong with a value, or an empty text. Nothing is converted: `"false"` is a text.

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
        return _out_of_range(value, schema, path)
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


def _out_of_range(value: float, schema: Mapping[str, Json], path: str) -> str:
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    return "" if low <= value <= high else f"{path} must lie in [{low}, {high}], not {value}"


def _same(value: Json, allowed: Json) -> bool:
    # True == 1 to Python, not to JSON.
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
    """The object with the keys that were asked for, in their order; others say nothing."""
    if schema.get("additionalProperties", True):
        return dict(value)
    return {name: value[name] for name in schema.get("properties", {}) if name in value}


def placeholder(schema: Mapping[str, Json]) -> Json:
    """A value of this shape, with yes wherever a yes or no is asked for."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: placeholder(part) for name, part in schema.get("properties", {}).items()}
    empty: Mapping[str, Json] = {"array": [], "string": "", "boolean": True, "null": None}
    return empty[kind] if kind in empty else max(0, schema.get("minimum", 0))
