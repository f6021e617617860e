"""Import what a user wrote and asked for by name."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType


def import_plugin(name: str) -> ModuleType:
    """A user's module, of his own folder too, in which nothing is found that is elsewhere.

    The current folder comes last: what lies in it can be asked for by name, and stands in for no
    module of Python's, of ours, or of a package that is installed.

    Raises:
        ImportError: there is none of that name.
    """
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
        importlib.invalidate_caches()
    return importlib.import_module(name)
