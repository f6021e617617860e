"""A query that does not run."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.execution import Status
from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query


@check("AU201", sees=Sees.ROWS, read=(2, 2))
def does_not_run(query: Query) -> Iterator[Finding]:
    """The query does not run on its database."""
    if query.result.status is Status.ERROR:
        yield Finding(reason=query.result.message, evidence={"error": query.result.message})
