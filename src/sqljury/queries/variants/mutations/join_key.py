"""A join by other columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, home_of

if TYPE_CHECKING:
    from sqlglot import exp


_MOST = 3


def join_key(node: exp.Expr, around: Around) -> Iterator[Change]:
    """Another column of the table in a join's condition, keys and foreign keys first."""
    from sqlglot import exp

    if node.find_ancestor(exp.Join, exp.Select) is None or not isinstance(node.parent, exp.EQ):
        return
    if not isinstance(node.find_ancestor(exp.Join, exp.Select), exp.Join):
        return
    home = home_of(node, around)
    if home is None:
        return
    table = home.table
    keys = [*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)]
    names = dict.fromkeys([*keys, *(column.name for column in table.columns)])
    others = [name for name in names if name.casefold() != node.name.casefold()]
    for name in others[:_MOST]:
        yield _named(name)


def _named(name: str) -> Change:
    from sqlglot import exp

    return lambda n: n.set("this", exp.to_identifier(name))
