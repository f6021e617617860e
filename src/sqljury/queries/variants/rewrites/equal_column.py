"""The other side of a join's equality for one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, home_of, is_inner, parts

if TYPE_CHECKING:
    from sqlglot import exp


def equal_column(node: exp.Expr, around: Around) -> Iterator[Change]:
    """``b.a_id`` for ``a.id`` where both are equal in every row."""
    from sqlglot import exp

    if not isinstance(node, exp.Column) or node.find_ancestor(exp.Join, exp.Select) is None:
        return
    select = node.find_ancestor(exp.Join, exp.Select)
    if not isinstance(select, exp.Select):
        return
    joins = select.args.get("joins") or []
    if not all(is_inner(join) for join in joins):
        return
    home = home_of(node, around)
    if home is None:
        return
    own = exp.column(node.name, table=home.source)
    for join in joins:
        for one in parts(join.args.get("on")):
            if isinstance(one, exp.EQ) and isinstance(one.expression, exp.Column):
                for side, other in ((one.this, one.expression), (one.expression, one.this)):
                    if _same(side, own):
                        yield _instead(other)


def _same(one: exp.Expr, other: exp.Expr) -> bool:
    return str(one.sql()).casefold() == str(other.sql()).casefold()


def _instead(other: exp.Expr) -> Change:
    return lambda n: n.replace(other.copy())
