"""The options of a judge: the fields of its dataclass, with what its docstring says of them."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from sqljury.errors import InputError

_KINDS: Final = {"int": "integer", "float": "number", "bool": "true or false"}
_PARSERS: Final[dict[str, Callable[[str], Any]]] = {"int": int, "float": float}
_ARGUMENT: Final = re.compile(r"    (\w+(?:, \w+)*): +(.*)")


@dataclasses.dataclass(frozen=True, slots=True)
class JudgeOption:
    """An option as ``key=value`` in a judge's name."""

    name: str
    kind: str
    """``text``, ``integer``, ``number`` or ``true or false``."""
    default: str
    """As it is typed; empty where there is none."""
    help: str
    """What it means; empty where the judge does not say."""


def options_of(cls: type[Any]) -> tuple[JudgeOption, ...]:
    """A judge's options, in the order of its fields."""
    told = {name: text for one in reversed(cls.__mro__) for name, text in _told(one)}
    return tuple(
        JudgeOption(
            name=field.name,
            kind=_KINDS.get(_type_name(field), "text"),
            default="" if field.default is None else typed(field.default),
            help=told.get(field.name, ""),
        )
        for field in _fields(cls)
    )


def parsed_options(cls: type[Any], texts: dict[str, str], where: str) -> dict[str, Any]:
    """The values of options that are given as text.

    Raises:
        InputError: SJ304: there is no such option, or its value is of another type.
    """
    fields = {field.name: field for field in _fields(cls)}
    for key in texts:
        if key not in fields:
            raise InputError(
                "SJ304",
                f"{cls.name} has no option {key!r}.",
                where=where,
                hint=f"Options: {', '.join(fields) or 'none'}, written key=value.",
            )
    return {key: _value(fields[key], text, where) for key, text in texts.items()}


def typed(value: Any) -> str:
    """A value as it is typed."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _fields(cls: type[Any]) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()


def _type_name(field: dataclasses.Field[Any]) -> str:
    name = field.type.__name__ if isinstance(field.type, type) else str(field.type)
    return name.removesuffix(" | None")


def _value(field: dataclasses.Field[Any], text: str, where: str) -> Any:
    kind = _type_name(field)
    if kind == "bool":
        return _truth(field.name, text, where)
    try:
        return _PARSERS.get(kind, str)(text)
    except ValueError as error:
        raise InputError("SJ304", f"{field.name}={text} is not a {kind}.", where=where) from error


def _truth(key: str, text: str, where: str) -> bool:
    if text.lower() in ("true", "yes", "1"):
        return True
    if text.lower() in ("false", "no", "0"):
        return False
    raise InputError("SJ304", f"{key}={text} is neither true nor false.", where=where)


def _told(cls: type[Any]) -> Iterator[tuple[str, str]]:
    """What the ``Args`` section of a docstring says of each option."""
    _, _, section = inspect.cleandoc(vars(cls).get("__doc__") or "").partition("\nArgs:\n")
    names: list[str] = []
    text = ""
    for line in section.splitlines():
        if line and not line.startswith("    "):
            break
        started = _ARGUMENT.fullmatch(line)
        if started is not None:
            yield from ((name, text) for name in names)
            names, text = started[1].split(", "), started[2]
        else:
            text = f"{text} {line.strip()}".strip()
    yield from ((name, text) for name in names)
