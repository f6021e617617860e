"""A text in another case or spelling than its column has it."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.edits import with_text_replaced
from sqljury.faults.query import Query
from sqljury.faults.searching import sought_texts, spelled_alike


@check("AU101", sees=Sees.TREE | Sees.ROWS, read=(9, 9))
def value_spelled_otherwise(query: Query) -> Iterator[Finding]:
    """A text is compared with a column that has it in another case or spelling only."""
    for one, text in sought_texts(query):
        stored = spelled_alike(query, one.table, one.column.name, text)
        if stored is not None and stored != text:
            yield Finding(
                reason=f"{one.table}.{one.column.name} is never {text!r}; it holds {stored!r}.",
                part=text,
                evidence={"sought": text, "stored": stored},
                proposal=with_text_replaced(query.sql, text, stored, query.dialect),
            )
