"""ORDER BY and GROUP BY by the place in the SELECT list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def positions(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """``ORDER BY 2`` for the expression that is shown second."""
    from sqlglot import exp

    if not isinstance(node, exp.Ordered | exp.Group):
        return
    select = node.find_ancestor(exp.Select)
    if select is None or isinstance(node.parent, exp.SetOperation):
        return
    shown = [one.unalias() for one in select.selects]
    if isinstance(node, exp.Ordered):
        order = node.parent
        # The order of a window, or within an aggregate, knows no places.
        if node.this in shown and isinstance(order, exp.Order) and order.parent is select:
            yield lambda n: n.set("this", exp.Literal.number(shown.index(n.this) + 1))
    elif node.expressions and all(one in shown for one in node.expressions):
        places = [exp.Literal.number(shown.index(one) + 1) for one in node.expressions]
        yield lambda n: n.set("expressions", [one.copy() for one in places])
