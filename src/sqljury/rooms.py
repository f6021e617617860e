"""Packages whose public names are imported on first use, so that a command pays for what it uses.

Such a package imports its names for type checkers alone; :func:`lazily` reads these imports:

    if TYPE_CHECKING:
        from sqljury.tables.compare import compare
    else:
        __getattr__ = lazily(__name__)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

_IMPORT = re.compile(r"^    from (\S+) import (?:\(([^)]*)\)|(.*?))\r?$", re.MULTILINE)


def lazily(package: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package.

    A name that is also a file of the package must be imported above: the file, once imported, would
    stand in its place.
    """
    module = sys.modules[package]

    @cache
    def homes() -> dict[str, str]:
        spec: Any = module.__spec__
        source = spec.loader.get_data(spec.origin).decode()
        return {
            name.partition(" as ")[0]: home
            for home, several, one in _IMPORT.findall(source)
            for name in re.split(r",\s*", (several or one).strip().rstrip(","))
        }

    def found(name: str) -> Any:
        home = "" if name.startswith("__") else homes().get(name)
        if not home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home), name)
        setattr(module, name, value)
        return value

    return found
