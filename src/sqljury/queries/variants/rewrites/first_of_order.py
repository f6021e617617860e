"""The first value in order for the greatest, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def first_of_order(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """``SELECT a … ORDER BY a DESC LIMIT 1`` for ``SELECT MAX(a)``, and the other way round."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or len(node.selects) != 1 or node.args.get("group"):
        return
    shown = node.selects[0]
    if isinstance(shown, exp.Max | exp.Min) and isinstance(shown.this, exp.Column):
        yield _first
    order, limit = node.args.get("order"), node.args.get("limit")
    if order is None or limit is None or limit.expression.name != "1":
        return
    alone = len(order.expressions) == 1 and order.expressions[0].this == shown
    if alone and isinstance(shown, exp.Column):
        yield _greatest


def _first(select: exp.Select) -> None:
    from sqlglot import exp

    shown = select.selects[0]
    down = isinstance(shown, exp.Max)
    key = exp.Ordered(this=shown.this.copy(), desc=down or None, nulls_first=not down)
    select.set("expressions", [shown.this.copy()])
    select.set("order", exp.Order(expressions=[key]))
    select.set("limit", exp.Limit(expression=exp.Literal.number(1)))


def _greatest(select: exp.Select) -> None:
    from sqlglot import exp

    function = exp.Max if select.args["order"].expressions[0].args.get("desc") else exp.Min
    select.set("expressions", [function(this=select.selects[0].copy())])
    for clause in ("order", "limit", "distinct"):
        select.set(clause, None)
