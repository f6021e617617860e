"""Groups by another column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, home_of, own_columns

if TYPE_CHECKING:
    from sqlglot import exp


def group_key(node: exp.Expr, around: Around) -> Iterator[Change]:
    """Another column that the query reads, or another one of the table, in the place of a key."""
    from sqlglot import exp

    if not isinstance(node, exp.Column) or not isinstance(node.parent, exp.Group):
        return
    select = node.find_ancestor(exp.Select)
    home = home_of(node, around)
    if select is None or home is None:
        return
    for other in dict.fromkeys(own_columns(select)):
        if other != node and home_of(other, around) is not None:
            yield _instead(other)
    for column in home.table.columns[:4]:
        if column.name.casefold() != node.name.casefold():
            yield _instead(exp.column(column.name, table=home.source))


def _instead(other: exp.Expr) -> Change:
    return lambda n: n.replace(other.copy())
