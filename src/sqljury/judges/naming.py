"""Makes judges from names such as ``execution:spider``, and names from judges."""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

from sqljury.errors import InputError
from sqljury.isolation import import_plugin
from sqljury.judge_name import JudgeName
from sqljury.judges.base import JUDGES, Judge, as_judge

# ------------------------------------------------------------
# The options of a judge: the fields of its dataclass, explained in the docstring's Args section.

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
    """The default as it is written in a judge's name; empty if there is none."""
    help: str
    """What it means, from the docstring; empty if the docstring does not mention it."""


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
    """The values of options that are given as text, converted to the types of their fields.

    Raises:
        InputError: SJ304: there is no such option, or its value has the wrong type.
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
    """A value as it is written in a judge's name."""
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
    """The options in the ``Args`` section of a class's docstring, each with its description."""
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


# ------------------------------------------------------------
# A judge by its name, and the name of a judge.

# The text by which a user named their own judge; workers import it by the same text.
_IMPORTED_AS: dict[type[Any], str] = {}


def registered() -> dict[str, type[Any]]:
    """All judge classes by name: built in, registered by decorator, or from entry points."""
    return JUDGES.all()


def make_judge(spec: str | JudgeName | Judge) -> Judge:
    """The judge with this name; a judge is returned as it is.

    Raises:
        InputError: there is no such judge, or it does not have such an option.
    """
    if isinstance(spec, str):
        spec = JudgeName.parse(spec)
    return _named(spec) if isinstance(spec, JudgeName) else as_judge(spec)


def _named(name: JudgeName) -> Judge:
    cls = _imported(name.name) if name.is_imported else class_named(name.name)
    options = dict(name.options)
    if name.variant:
        variant = getattr(cls, "variant", None)
        if variant is None:
            raise InputError("SJ304", f"{cls.name} has no variants.", where=str(name))
        options = {variant: name.variant, **options}
    values = parsed_options(cls, options, str(name))
    try:
        return as_judge(cls(**values))
    except (TypeError, ValueError) as error:
        raise InputError(
            "SJ304", f"the judge cannot be made with these options: {error}", where=str(name)
        ) from error


def class_named(name: str) -> type[Any]:
    """The class of the judge of this name.

    Raises:
        InputError: SJ301: there is no judge of this name.
    """
    cls = JUDGES.get(name)
    if cls is None:
        import difflib

        near = difflib.get_close_matches(name, JUDGES.names(), n=1)
        meant = f"Did you mean {near[0]!r}? " if near else ""
        raise InputError(
            "SJ301",
            f"there is no judge {name!r}.",
            hint=f"{meant}Known: {', '.join(JUDGES.names())}; your own as package.module:Class.",
        )
    return cls


def _imported(path: str) -> type[Any]:
    module_name, _, class_name = path.rpartition(":")
    if not module_name:
        raise InputError("SJ303", f"{path!r} names a module but no class.", hint="Write mod:Class.")
    try:
        module = _module(module_name)
    except Exception as error:  # the user's own file can raise anything
        raise InputError(
            "SJ303",
            f"cannot import the judge {path!r}: {type(error).__name__}: {error}.",
            hint=f"Looked for from {Path.cwd()}; write FILE.py:Class or package.module:Class.",
        ) from error
    cls = getattr(module, class_name, None)
    if not isinstance(cls, type):
        own = [one for one in vars(module).values() if isinstance(one, type)]
        names = [one.__name__ for one in own if one.__module__ == module.__name__]
        raise InputError(
            "SJ303",
            f"there is no class {class_name!r} in {module_name}.",
            hint=f"Its classes: {', '.join(names) or 'none'}.",
        )
    _IMPORTED_AS[cls] = path
    return cls


def _module(name: str) -> Any:
    if not name.endswith(".py"):
        return import_plugin(name)
    file = Path(name).resolve()
    spec = importlib.util.spec_from_file_location(f"_sqljury_user_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def spec_of(judge: Judge) -> str:
    """The canonical name of a judge as text, see :func:`name_of`.

    >>> from sqljury.judges import make_judge
    >>> spec_of(make_judge("execution:spider"))
    'execution:spider'
    """
    return str(name_of(judge))


def name_of(judge: Judge) -> JudgeName:
    """The canonical name, from which :func:`make_judge` makes an equal judge.

    Options at their defaults are left out."""
    cls = type(judge)
    if not JUDGES.holds(judge.name, cls):
        path = _IMPORTED_AS.get(cls, f"{cls.__module__}:{cls.__qualname__}")
        return JudgeName(path).with_options(**_changed(judge))
    options = _changed(judge)
    if judge.variant is None:
        return JudgeName(judge.name).with_options(**options)
    options.pop(judge.variant, None)
    return JudgeName(judge.name, typed(getattr(judge, judge.variant))).with_options(**options)


def _changed(judge: Judge) -> dict[str, str]:
    """The options that differ from their defaults, as text."""
    if not is_dataclass(judge):
        return {}
    values = ((field, getattr(judge, field.name)) for field in fields(judge))
    return {field.name: typed(value) for field, value in values if value != field.default}
