"""A LIMIT that takes some of the rows that tie."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query, Row, shown
from sqljury.sql import without_limit


@check("AU204", sees=Sees.ROWS, read=(25, 25))
def limit_cuts_tie(query: Query) -> Iterator[Finding]:
    """LIMIT takes some of several rows that tie, so the answer is one of several."""
    wider = without_limit(query.sql, query.dialect)
    if wider is None or not wider.limit:
        return
    found = query.rows(wider.query.sql)
    if found is None or len(found) <= wider.limit:
        return
    last, next_ = found[wider.limit - 1], found[wider.limit]
    plain: list[Row] = [wider.query.plain(last), wider.query.plain(next_)]
    if wider.query.keys(last) == wider.query.keys(next_) and plain[0] != plain[1]:
        yield Finding(
            reason=f"row {wider.limit} and the row that LIMIT cuts off tie.",
            part=f"LIMIT {wider.limit}",
            evidence={"kept": shown([plain[0]]), "cut": shown([plain[1]])},
        )
