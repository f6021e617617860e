"""Makes data frames of pandas or polars, whichever is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sqljury.errors import InputError

_LIBRARIES = ("pandas", "polars")


def data_frame(rows: Sequence[dict[str, Any]], library: str | None = None) -> Any:
    """A data frame of rows; a row that lacks a column has no value in it.

    Args:
        library: ``pandas`` or ``polars``; by default the first that is installed.

    Raises:
        InputError: SJ803: neither is installed, or the library is another one.
    """
    if library not in (None, *_LIBRARIES):
        raise InputError(
            "SJ803", f"data frames cannot be made with {library!r}.", hint="pandas or polars."
        )
    names = (library,) if library else _LIBRARIES
    found = next((name for name in names if find_spec(name)), None)
    if found is None:
        raise InputError(
            "SJ803",
            f"{' and '.join(names)} {'is' if library else 'are'} not installed.",
            hint=f"Run: pip install {names[0]}",
        )
    columns = dict.fromkeys(name for row in rows for name in row)
    whole = [{name: row.get(name) for name in columns} for row in rows]
    return import_module(found).DataFrame(whole)
