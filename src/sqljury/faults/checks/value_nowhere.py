"""A text that no column has."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.searching import (
    SPELLED_NULLS,
    is_empty,
    other_column,
    some_of,
    sought_texts,
    spelled_alike,
)


@check("AU103", sees=Sees.TREE | Sees.ROWS, read=(4, 5))
def value_nowhere(query: Query) -> Iterator[Finding]:
    """A text is compared with a column that never has it, nor has any other column."""
    for one, text in sought_texts(query):
        name = one.column.name
        if text.lower() in SPELLED_NULLS or is_empty(query, one.table):
            continue
        if spelled_alike(query, one.table, name, text):
            continue
        if other_column(query, one, text) is None:
            values = some_of(query.values(one.table, name, 5))
            yield Finding(
                reason=f"{one.table}.{name} is never {text!r}, and no other column is.",
                part=text,
                evidence={"sought": text, "column_holds": values},
            )
