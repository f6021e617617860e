"""What the statements of some cases can cost on a warehouse, before any of them runs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack, closing

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.databases.protocol import Database
from sqljury.databases.warehouses import price
from sqljury.evidence import billed_of
from sqljury.execution import Execution
from sqljury.runs.settings import RunSettings
from sqljury.verdict import Billed


def statement_prices(cases: Iterable[Case], settings: RunSettings) -> tuple[Billed, int]:
    """The most that the references and predictions can cost, each text once for each database; and
    the number of statements that would not run.

    Raises:
        InfrastructureError: the warehouse cannot be reached.
    """
    sources = settings.sources
    total, refused = Billed(), 0
    if sources.databases is None:
        return total, refused
    databases = open_databases(sources.databases, descriptions=sources.descriptions)
    known: dict[str, Database | None] = {}
    seen: set[tuple[str, str]] = set()
    with ExitStack() as stack:
        for case in cases:
            if case.db_id not in known:
                opened = known[case.db_id] = databases.open(case.db_id)
                if opened is not None:
                    stack.enter_context(closing(opened))
            database = known[case.db_id]
            for text in (*case.reference_sqls, case.predicted_sql):
                if database is None or not isinstance(text, str) or (case.db_id, text) in seen:
                    continue
                seen.add((case.db_id, text))
                found = price(database, text, settings.limits)
                if isinstance(found, Execution):
                    refused += 1
                elif found is not None:
                    total += billed_of(found, 0.0)
    return total, refused
