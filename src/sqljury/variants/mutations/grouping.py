"""Mistakes in GROUP BY."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.variants.base import Change, QueryContext, origin_of, own_columns

# ---------------------------------------------------------------- group key
# GROUP BY another column.


def group_key(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces a group key by another column that the query reads, or of the same table."""
    if not isinstance(node, exp.Column) or not isinstance(node.parent, exp.Group):
        return
    select = node.find_ancestor(exp.Select)
    home = origin_of(node, context)
    if select is None or home is None:
        return
    for other in dict.fromkeys(own_columns(select)):
        if other != node and origin_of(other, context) is not None:
            yield _instead(other)
    for column in home.table.columns[:4]:
        if column.name.casefold() != node.name.casefold():
            yield _instead(exp.column(column.name, table=home.source))


def _instead(other: exp.Expr) -> Change:
    return lambda n: n.replace(other.copy())
