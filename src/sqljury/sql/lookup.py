"""Which column a name in a query stands for: the one rule by which all readers of queries go.

The innermost FROM that knows the name decides; a qualifier admits only the tables of that name.
What a table is, and which columns it has, differs between readers: a schema's names
(:mod:`sqljury.sql.names`), sqlglot's scopes (:mod:`sqljury.sql.resolve`), sets of places
(:mod:`sqljury.sql.value_profile.sources`), positions in a row
(:mod:`sqljury.trees.from_sql.scopes`), nodes of a text that is being changed
(:mod:`sqljury.variants.base`). So it is given as a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Table = TypeVar("Table")
Column = TypeVar("Column")


def columns_named(
    qualifier: str,
    scopes: Iterable[Iterable[tuple[str, Table]]],
    column_of: Callable[[Table], Column | None],
) -> list[Column]:
    """All that a name can mean in the innermost scope that knows it, in the order of its tables.

    Empty where no scope knows it; several are for the caller to choose from, or to refuse.

    Args:
        qualifier: what stands before the dot; empty for a name alone.
        scopes: from the inside out, the tables of each with the names that the query gives them.
        column_of: what the name means in a table, None where the table has no such column.

    >>> inner, outer = [("t", {"id": 1})], [("t", {"x": 2}), ("u", {"x": 3})]
    >>> columns_named("", [inner, outer], lambda table: table.get("x"))
    [2, 3]
    >>> columns_named("u", [inner, outer], lambda table: table.get("x"))
    [3]
    """
    for tables in scopes:
        found = []
        for name, table in tables:
            column = column_of(table) if not qualifier or name == qualifier else None
            if column is not None:
                found.append(column)
        if found:
            return found
    return []
