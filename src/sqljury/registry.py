"""Registries of things that one file adds: found by name, without a list of modules."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar

from sqljury.trusted import check_trusted, is_brought_along, is_trusted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

_NO_OTHER_NAMES: Mapping[str, str] = MappingProxyType({})


class Registry(Generic[T]):
    """Things of one kind by name: those in sqljury's packages, and those in installed plugins.

    A module adds its things when it is imported. :meth:`get` imports the module of the thing's
    name; :meth:`all` imports every module of the packages. sqljury's own thing wins over an
    installed one of the same name. A plugin in the current folder is imported only if the user has
    trusted the folder.

    Args:
        packages: the packages whose modules add things; modules in subpackages do not.
        group: the group of entry points by which installed plugins offer things.
        modules: the modules of things that are not named like their module, by the thing's name.
    """

    def __init__(
        self, *packages: str, group: str, modules: Mapping[str, str] = _NO_OTHER_NAMES
    ) -> None:
        self._packages = packages
        self._group = group
        self._modules = modules
        self._is_complete = False
        self._things: dict[str, T] = {}
        self._priorities: dict[str, int] = {}

    def add(self, name: str, thing: T, *, priority: int = 0) -> None:
        """Add a thing; things with a lower priority are listed, and tried, first."""
        self._things[name] = thing
        self._priorities[name] = priority

    def get(self, name: str) -> T | None:
        """The thing of a name, or None; imports only the plugin that offers it.

        Raises:
            InputError: SJ009: only a plugin in the current folder, which is not trusted, offers it.
        """
        if name not in self._things:
            self._import(self._modules.get(name, name))
        if name not in self._things and name in self._installed:
            self.add(name, self._installed[name].load())
        elif name not in self._things and name in self._untrusted:
            code = self._untrusted[name].value
            check_trusted(Path.cwd(), [f"run code: {code}"], f"{name!r} of a package in it")
        return self._things.get(name)

    def holds(self, name: str, thing: T) -> bool:
        """True if the thing is registered under a name; imports nothing."""
        return self._things.get(name) is thing

    def names(self) -> tuple[str, ...]:
        """All names, sorted; imports no plugin."""
        self._import_all()
        return tuple(sorted({*self._things, *self._installed}))

    def all(self) -> dict[str, T]:
        """Every thing by its name, sorted by priority and then by name."""
        for name in self.names():
            self.get(name)
        order = sorted(self._things, key=lambda name: (self._priorities[name], name))
        return {name: self._things[name] for name in order}

    def _import(self, module: str) -> None:
        for package in self._packages if module.isidentifier() else ():
            if find_spec(f"{package}.{module}") is not None:
                importlib.import_module(f"{package}.{module}")

    def _import_all(self) -> None:
        for package in () if self._is_complete else self._packages:
            for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
                if not module.ispkg:
                    importlib.import_module(f"{package}.{module.name}")
        self._is_complete = True

    @cached_property
    def _installed(self) -> dict[str, EntryPoint]:
        return {
            point.name: point for point in self._offered if point not in self._untrusted.values()
        }

    @cached_property
    def _untrusted(self) -> dict[str, EntryPoint]:
        found = {point.name: point for point in self._offered if is_brought_along(point)}
        return {} if found and is_trusted(Path.cwd()) else found

    @cached_property
    def _offered(self) -> tuple[EntryPoint, ...]:
        if not _may_offer(self._group):
            return ()
        # Imported late: it loads the email parser.
        from importlib.metadata import entry_points

        return tuple(entry_points(group=self._group))


def _may_offer(group: str) -> bool:
    """False if no installed package has entry points of this group.

    Only folders with ``*-info`` folders are looked through, as Python does; any other place on the
    path, or an importer of another package, may offer anything.
    """
    others = (finder for finder in sys.meta_path if finder is not PathFinder)
    if any(hasattr(finder, "find_distributions") for finder in others):
        return True
    heading = f"[{group}]".encode()
    for place in map(Path, dict.fromkeys(sys.path)):
        if place.suffix == ".egg" or place.is_file():
            return True
        with suppress(OSError):
            for name in os.listdir(place):  # noqa: PTH208 - a tenth of the time
                if name.endswith(".egg"):
                    return True
                file = place / name / "entry_points.txt" if name.endswith("-info") else None
                if file is not None and file.is_file() and heading in file.read_bytes():
                    return True
    return False
