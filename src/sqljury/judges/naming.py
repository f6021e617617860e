"""A judge by its name, and the name of a judge."""

from __future__ import annotations

import difflib
import importlib.util
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from sqljury.errors import InputError
from sqljury.isolation import import_plugin
from sqljury.judge_name import JudgeName
from sqljury.judges.base import JUDGES, Judge, as_judge
from sqljury.judges.options import parsed_options, typed

# The text by which a user's own judge was named, and by which a worker finds it again.
_IMPORTED_AS: dict[type[Any], str] = {}


def registered() -> dict[str, type[Any]]:
    """Every known judge class by name: built in, decorated, or from entry points."""
    return JUDGES.all()


def make_judge(spec: str | JudgeName | Judge) -> Judge:
    """A judge from its name, as text or read already, or a judge.

    Raises:
        InputError: no such judge, or an option it does not have.
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
        raise InputError("SJ304", str(error), where=str(name)) from error


def class_named(name: str) -> type[Any]:
    """The class of a judge that is known by name.

    Raises:
        InputError: SJ301: there is none.
    """
    cls = JUDGES.get(name)
    if cls is None:
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
    except Exception as error:  # whatever a file of the user's own does when it is run
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
    """The text of :func:`name_of`.

    >>> from sqljury.judges import make_judge
    >>> spec_of(make_judge("execution:spider"))
    'execution:spider'
    """
    return str(name_of(judge))


def name_of(judge: Judge) -> JudgeName:
    """The canonical name, from which :func:`make_judge` makes the same; defaults are left out."""
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
    """The options that are not at their defaults, as text."""
    if not is_dataclass(judge):
        return {}
    values = ((field, getattr(judge, field.name)) for field in fields(judge))
    return {field.name: typed(value) for field, value in values if value != field.default}
