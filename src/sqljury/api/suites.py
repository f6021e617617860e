"""Build test suites."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.api.inputs import PathLike, cases_of, databases_spec
from sqljury.case import Case

if TYPE_CHECKING:
    from sqljury.uses.suite import SuiteReport


def build_suites(
    cases: Iterable[Case] | PathLike | Sequence[PathLike],
    databases: PathLike | Sequence[PathLike],
    out: PathLike,
    *,
    databases_per_query: int = 20,
    seed: int = 0,
    workers: int = 1,
    on_report: Callable[[SuiteReport, int], None] = lambda _report, _total: None,
) -> list[SuiteReport]:
    """Build a test suite for each database of the cases, from their references.

    Args:
        databases: the original databases, as for :func:`evaluate`; SQLite only.
        out: the folder of the suites (``DB_ID/*.sqlite``); existing suites are not built again.
        databases_per_query: the number of generated databases to try for each reference.
        workers: the number of processes; each builds the suite of one database.
        on_report: called with each suite's report when it is built, and the number of suites.

    Raises:
        InputError: no references, no databases, or ``out`` has other files in it.
    """
    from sqljury.uses.suite import SuiteOptions, build_suites

    options = SuiteOptions(
        databases=databases_spec(databases) or "",
        databases_per_query=databases_per_query,
        seed=seed,
    )
    return build_suites(cases_of(cases), options, Path(out), workers=workers, on_report=on_report)
