"""Another column of the same table and affinity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.trees.affinity import declared_affinity
from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


_OTHER_COLUMNS = 3


def column(node: exp.Expr, around: Around) -> Iterator[Change]:
    """Other columns of the same table and affinity, the next ones first."""
    from sqlglot import exp

    if not isinstance(node, exp.Column) or node.find_ancestor(exp.Join) is not None:
        return
    own = around.tables.get(node.table.casefold()) if node.table else None
    holders = [own] if own is not None else list(around.tables.values())
    table = next((t for t in holders if t.column(node.name) is not None), None)
    own_column = table.column(node.name) if table is not None else None
    if table is None or own_column is None:
        return
    at = table.columns.index(own_column)
    others = [*table.columns[at + 1 :], *table.columns[:at]]
    wanted = declared_affinity(own_column.type)
    same = [other.name for other in others if declared_affinity(other.type) == wanted]
    for name in same[:_OTHER_COLUMNS]:
        yield _named(name)


def _named(column: str) -> Change:
    """Another column in the same place."""
    from sqlglot import exp

    return lambda n: n.set("this", exp.to_identifier(column))
