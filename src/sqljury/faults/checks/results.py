"""Results: a query that does not run, or that returns nothing."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.execution import Status
from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query, shown
from sqljury.faults.searching import is_empty


@check("AU201", sees=Sees.ROWS, read=(2, 2))
def does_not_run(query: Query) -> Iterator[Finding]:
    """The query does not run on its database."""
    if query.result.status is Status.ERROR:
        yield Finding(reason=query.result.message, evidence={"error": query.result.message})


@check("AU202", sees=Sees.TREE | Sees.ROWS, weak=True, read=(1, 4))
def empty_result(query: Query) -> Iterator[Finding]:
    """The query returns no rows, though none of its tables is empty."""
    table = query.result.table
    if table is not None and not table.rows and _has_rows(query):
        yield Finding(reason="the query returns no rows.")


@check("AU203", sees=Sees.TREE | Sees.ROWS, weak=True, read=(1, 4))
def null_result(query: Query) -> Iterator[Finding]:
    """Everything that the query returns is NULL, though none of its tables is empty."""
    rows = query.result.table.rows if query.result.table is not None else []
    if rows and all(cell is None for row in rows for cell in row) and _has_rows(query):
        yield Finding(reason="all that the query returns is NULL.", evidence={"rows": shown(rows)})


def _has_rows(query: Query) -> bool:
    return not any(is_empty(query, table.name) for table in query.tables)
