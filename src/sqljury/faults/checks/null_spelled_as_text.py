"""NULL, None and the like as texts."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.searching import SPELLED_NULLS, is_in


@check("AU108", sees=Sees.TREE | Sees.ROWS)
def null_spelled_as_text(query: Query) -> Iterator[Finding]:
    """A column is compared with the text 'null' or the like, which it never has; it has NULLs."""
    for one in query.comparisons:
        for constant in one.constants:
            text = constant.value
            # NULL is not found unequal to a text either: <> 'null' drops the rows that were meant.
            spelled = isinstance(text, str) and text.lower() in SPELLED_NULLS
            if not isinstance(text, str) or not spelled or not one.is_search:
                continue
            name = one.column.name
            if not is_in(query, one.table, name, text) and _has_null(query, one.table, name):
                reason = f"{one.table}.{name} is never the text {text!r}, but it is NULL in rows."
                yield Finding(reason=reason, part=text)


def _has_null(query: Query, table: str, column: str) -> bool:
    source, name = query.source(table), query.quoted(column)
    return bool(query.rows(f"SELECT 1 FROM {source} WHERE {name} IS NULL LIMIT 1"))
