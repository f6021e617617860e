"""UNION for OR, where a key or DISTINCT makes rows differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, home_of

if TYPE_CHECKING:
    from sqlglot import exp


def or_to_union(node: exp.Expr, around: Around) -> Iterator[Change]:
    """One query for each of two conditions."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or node.args.get("where") is None:
        return
    plain = not any(node.args.get(one) for one in ("group", "order", "limit", "having"))
    if not plain or isinstance(node.parent, exp.SetOperation | exp.In):
        return
    if not isinstance(node.args["where"].this.unnest(), exp.Or) or _aggregates(node):
        return
    homes = [home_of(one, around) for one in node.selects]
    keyed = not node.args.get("joins") and any(home is not None and home.unique for home in homes)
    if keyed or node.args.get("distinct"):
        yield _union


def _aggregates(select: exp.Select) -> bool:
    from sqlglot import exp

    return any(isinstance(one.unalias(), exp.AggFunc) for one in select.selects)


def _union(select: exp.Select) -> None:
    from sqlglot import exp

    either = select.args["where"].this.unnest()
    sides = []
    for condition in (either.left, either.right):
        side = select.copy()
        side.set("where", exp.Where(this=condition.copy()))
        side.set("distinct", None)
        sides.append(side)
    select.replace(exp.Union(this=sides[0], expression=sides[1], distinct=True))
