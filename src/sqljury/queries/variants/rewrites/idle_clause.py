"""ORDER BY or DISTINCT in a subquery where it changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def idle_clause(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """An order or DISTINCT in the query of an IN, added or left out."""
    from sqlglot import exp

    query = node.args.get("query") if isinstance(node, exp.In) else None
    inner = query.this if query is not None else None
    if not isinstance(inner, exp.Select) or inner.args.get("limit") is not None:
        return
    if inner.args.get("distinct"):
        yield lambda n: n.args["query"].this.set("distinct", None)
    else:
        yield lambda n: n.args["query"].this.set("distinct", exp.Distinct())
    if inner.args.get("order") is None and len(inner.selects) == 1:
        yield lambda n: _ordered(n.args["query"].this)


def _ordered(inner: exp.Select) -> None:
    from sqlglot import exp

    key = exp.Ordered(this=inner.selects[0].unalias().copy(), nulls_first=True)
    inner.set("order", exp.Order(expressions=[key]))
