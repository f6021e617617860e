"""What the functions of this package take."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import cast

from sqljury.benchmarks import read_cases
from sqljury.case import Case

PathLike = str | os.PathLike[str]


def databases_spec(databases: PathLike | Sequence[PathLike] | None) -> str | None:
    """One text for all places that databases come from, as :func:`open_databases` takes it."""
    if databases is None:
        return None
    if isinstance(databases, (str, os.PathLike)):
        return str(databases)
    return ",".join(str(part) for part in databases)


def cases_of(cases: Iterable[Case] | PathLike | Sequence[PathLike]) -> Iterable[Case]:
    """The cases themselves, or those of the files."""
    if isinstance(cases, (str, os.PathLike)):
        return read_cases([cases])
    if isinstance(cases, Sequence) and cases and not isinstance(cases[0], Case):
        return read_cases(cast("Sequence[PathLike]", cases))
    return cast("Iterable[Case]", cases)
