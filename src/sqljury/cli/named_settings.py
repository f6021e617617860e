"""``--set NAME=VALUE``: settings of a command that have no option of their own.

A dataclass of settings declares them as it declares options, by a help text alone. The fields of a
dataclass inside a dataclass have its field name before theirs: ``outer.inner``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from sqljury.errors import InputError

HELP = "help"
"""``--set help`` prints the list of settings instead of running the command."""
_TYPES = {int: "whole number", float: "number", bool: "true or false", str: "text"}


@dataclass(frozen=True, slots=True)
class NamedSetting:
    """A field of settings that ``--set`` sets."""

    name: str
    kind: Any
    default: Any
    help: str

    @property
    def typed(self) -> str:
        """Its type in words: ``whole number``, ``cosine | linear``."""
        return " | ".join(_words(self.kind))

    @property
    def shown_default(self) -> str:
        """Its default, as it would be typed."""
        if isinstance(self.default, tuple):
            return ",".join(self.default)
        return "none" if self.default is None else str(self.default).lower()

    def value(self, text: str) -> Any:
        """The value that was typed.

        Raises:
            InputError: SJ003: the text is no value of this type.
        """
        from pydantic import TypeAdapter, ValidationError

        if text == "none" and NoneType in get_args(self.kind):
            return None
        typed = TypeAdapter(self.kind)
        try:
            if get_origin(self.kind) is tuple:
                return typed.validate_python(tuple(text.split(",")))
            return typed.validate_strings(text)
        except ValidationError:
            raise InputError(
                "SJ003",
                f"--set {self.name}={text}: expected {self.typed}.",
                hint=f"The default is {self.shown_default!r}.",
            ) from None


def _words(kind: Any) -> Iterator[str]:
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    elif get_origin(kind) is tuple:
        yield f"{', '.join(_words(get_args(kind)[0]))}; several joined by commas"
    elif isinstance(kind, type) and kind in _TYPES:
        yield _TYPES[kind]
    elif kind is NoneType:
        yield "none"
    else:
        for part in get_args(kind):
            yield from _words(part)


def settings_in(kind: Any, before: str = "") -> Iterator[NamedSetting]:
    """The fields of a dataclass that are declared by a help text alone, and those inside them."""
    hints = get_type_hints(kind, include_extras=True)
    for one in fields(kind):
        hint = hints[one.name]
        if is_dataclass(hint):
            yield from settings_in(hint, f"{before}{one.name}.")
        elif get_origin(hint) is Annotated and isinstance(hint.__metadata__[0], str):
            plain, help_text = get_args(hint)[:2]
            default = None if one.default is MISSING else one.default
            yield NamedSetting(f"{before}{one.name}", plain, default, help_text)


def parsed(known: Mapping[str, NamedSetting], given: Sequence[str]) -> dict[str, Any]:
    """The values of ``--set``, by name; a later one replaces an earlier one.

    Raises:
        InputError: SJ003: no ``NAME=VALUE``, an unknown name, or a value of another type.
    """
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        setting = known.get(name.strip().replace("-", "_"))
        if not equals or setting is None:
            import difflib

            near = difflib.get_close_matches(name, known, n=1)
            meant = [known[near[0]]] if near else list(known.values())
            raise InputError(
                "SJ003",
                f"--set {text}: "
                + (f"there is no setting {name!r}." if equals else "expected NAME=VALUE."),
                hint=("Did you mean " if near else "Settings: ")
                + ", ".join(f"{one.name} ({one.typed}; {one.shown_default})" for one in meant)
                + ("? " if near else ". ")
                + f"`--set {HELP}` explains all.",
            )
        found[setting.name] = setting.value(value)
    return found


def listing(known: Mapping[str, NamedSetting]) -> str:
    """All settings with their defaults, types and help texts, two lines each."""
    return "\n".join(
        f"{one.name}={one.shown_default}  ({one.typed})\n    {one.help}" for one in known.values()
    )
