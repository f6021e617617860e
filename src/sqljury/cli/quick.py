"""Reads a plain command line without typer, which takes longer to load than four cases to judge.

Only what has no mistake is read here. Anything else (an unknown option, a value of another type,
``--help``, several options in one word) is left to typer, which says what is wrong; so is a command
line for which a project file or an old name may count.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from sqljury.cli.flags import SET, FlagField, TypedWords, fields_of, named_settings
from sqljury.cli.named_settings import HELP

_NUMBERS = {int: re.compile(r"-?\d+"), float: re.compile(r"-?\d+(?:\.\d+)?")}


class _NotPlainError(Exception):
    """The command line is not plain."""


def values_of(function: Callable[..., None], words: Sequence[str]) -> dict[str, Any] | None:
    """The values of a command's options and arguments, as :func:`~sqljury.cli.flags.call` takes
    them; None if the words are not plain.

    Args:
        words: what was typed behind the command's name.
    """
    known = [one for one in fields_of(function) if one.hint is not TypedWords]
    try:
        options, rest = _split(_Options(known, has_set=bool(named_settings(function))), words)
        given = {one.name: _absent(one) for one in known if one.option is not None}
        for one in known:
            if one.name in options:
                found = [_value(one, text) for text in options[one.name]]
                given[one.name] = found if one.is_list else found[-1]
        if SET in options:
            given[SET] = options[SET]
        arguments = dict(_arguments([one for one in known if one.argument is not None], rest))
        absent = {one.name: one.default for one in known if one.argument is not None}
    except (_NotPlainError, ValueError):
        return None
    typed = {
        one.name: tuple(map(_first, _words(one)))
        for one in known
        if one.name in {**options, **arguments}
    }
    context = next((one.name for one in fields_of(function) if one.hint is TypedWords), None)
    return given | absent | arguments | ({} if context is None else {context: TypedWords(typed)})


class _Options:
    """The options of a command by the words that are typed for them."""

    def __init__(self, known: Sequence[FlagField], *, has_set: bool) -> None:
        self.flags: dict[str, tuple[str, str]] = {}
        """The parameter and the value."""
        self.valued = {"--set": SET} if has_set else {}
        for one in known:
            if one.option is None and one.argument is None:
                raise _NotPlainError
            if one.argument is not None:
                continue
            for word in _words(one):
                if _not_none(one.kind) is not bool:
                    self.valued[word] = one.name
                    continue
                yes, _, no = word.partition("/")
                self.flags |= {yes: (one.name, "yes")} | ({no: (one.name, "no")} if no else {})


def _first(word: str) -> str:
    """``--yes`` of ``--yes/--no``."""
    return word.partition("/")[0]


def _words(one: FlagField) -> tuple[str, ...]:
    if one.argument is not None:
        return (one.name,)
    said = one.option
    if said is None or not said.names:
        raise _NotPlainError
    return said.names


def _split(options: _Options, words: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """The texts of each option that was typed, by its parameter; the other words."""
    found: dict[str, list[str]] = {}
    rest = []
    left = iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        if word == "-" or not word.startswith("-"):
            rest.append(word)
        elif word in options.flags:
            parameter, text = options.flags[word]
            found.setdefault(parameter, []).append(text)
        elif name in options.valued and (name.startswith("--") or not equals):
            text = value if equals else next(left, "--")
            if text.startswith("-") and text != "-" and not equals:
                raise _NotPlainError
            found.setdefault(options.valued[name], []).append(text)
        else:
            raise _NotPlainError
    if HELP in found.get(SET, ()):
        raise _NotPlainError
    return found, rest


def _arguments(known: Sequence[FlagField], rest: list[str]) -> Iterator[tuple[str, Any]]:
    """The value of each argument that was typed; the last one may take several words."""
    for one in known:
        several = get_origin(_not_none(one.kind)) is list
        if several and one is not known[-1]:
            raise _NotPlainError
        if not rest:
            if one.is_required:
                raise _NotPlainError
            continue
        texts, rest = (rest, []) if several else (rest[:1], rest[1:])
        values = [_value(one, text) for text in texts]
        yield one.name, values if several else values[0]
    if rest:
        raise _NotPlainError


def _not_none(kind: Any) -> Any:
    """The type without ``| None``."""
    if get_origin(kind) in (Union, UnionType):
        (kind,) = [part for part in get_args(kind) if part is not NoneType]
    return kind


def _value(one: FlagField, text: str) -> Any:
    """The value that a text stands for.

    Raises:
        ValueError, _NotPlainError: it stands for none, or typer has to say.
    """
    if not text:
        raise _NotPlainError
    said = one.option
    if said is not None and said.parse is not None:
        try:
            return said.parse(text)
        except Exception:
            raise _NotPlainError from None
    kind = _not_none(one.kind)
    kind = get_args(kind)[0] if get_origin(kind) is list else kind
    if kind is bool:
        return text == "yes"
    if kind is Path:
        return _path(one, text)
    if kind in _NUMBERS and _NUMBERS[kind].fullmatch(text):
        number = kind(text)
        if said is not None and said.least is not None and number < said.least:
            raise _NotPlainError
        return number
    if kind is str:
        return text
    raise _NotPlainError


def _path(one: FlagField, text: str) -> Path:
    path = Path(text)
    exists = os.path.exists(text)  # noqa: PTH110 - False for any text
    needed = one.option is not None and one.option.must_exist
    wrong = one.argument is not None and one.argument.is_folder and not path.is_dir()
    if (exists and (wrong or not os.access(path, os.R_OK))) or (needed and not exists):
        raise _NotPlainError
    return path


def _absent(one: FlagField) -> Any:
    said, found = one.option, one.absent
    if one.is_required:
        raise _NotPlainError
    return found if said is None or said.parse is None else said.parse(found)
