"""A text that is not in the column it is compared with, and is in another one."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.searching import (
    is_empty,
    other_column,
    some_of,
    sought_texts,
    spelled_alike,
)


@check("AU102", sees=Sees.TREE | Sees.ROWS, read=(4, 4))
def value_in_other_column(query: Query) -> Iterator[Finding]:
    """A text is compared with a column that never has it, and another column has it."""
    for one, text in sought_texts(query):
        name = one.column.name
        if is_empty(query, one.table) or spelled_alike(query, one.table, name, text):
            continue
        place = other_column(query, one, text)
        if place is not None:
            values = some_of(query.values(one.table, name, 5))
            yield Finding(
                reason=f"{one.table}.{name} is never {text!r}; {'.'.join(place)} is.",
                part=text,
                evidence={"sought": text, "column_holds": values, "found_in": list(place)},
            )
