"""Equivalent ways to sort, and clauses that change nothing."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.variants.base import Change, QueryContext, limit_of

# ---------------------------------------------------------------- positions
# ORDER BY and GROUP BY with positions in the SELECT list.


def positions(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces keys of ORDER BY and GROUP BY by their positions in the SELECT list."""
    if not isinstance(node, exp.Ordered | exp.Group):
        return
    select = node.find_ancestor(exp.Select)
    if select is None or isinstance(node.parent, exp.SetOperation):
        return
    shown = [one.unalias() for one in select.selects]
    if isinstance(node, exp.Ordered):
        order = node.parent
        # ORDER BY in a window or an aggregate does not take positions.
        if node.this in shown and isinstance(order, exp.Order) and order.parent is select:
            yield lambda n: n.set("this", exp.Literal.number(shown.index(n.this) + 1))
    elif node.expressions and all(one in shown for one in node.expressions):
        places = [exp.Literal.number(shown.index(one) + 1) for one in node.expressions]
        yield lambda n: n.set("expressions", [one.copy() for one in places])


# ---------------------------------------------------------------- first of order
# ORDER BY … LIMIT 1 for MAX or MIN, and the other way round.


def first_of_order(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces ``SELECT MAX(a)`` by ``SELECT a … ORDER BY a DESC LIMIT 1``, and back."""
    if not isinstance(node, exp.Select) or len(node.selects) != 1 or node.args.get("group"):
        return
    shown = node.selects[0]
    if isinstance(shown, exp.Max | exp.Min) and isinstance(shown.this, exp.Column):
        yield _first
    order = node.args.get("order")
    if order is None or limit_of(node) != "1":
        return
    alone = len(order.expressions) == 1 and order.expressions[0].this == shown
    if alone and isinstance(shown, exp.Column):
        yield _greatest


def _first(select: exp.Select) -> None:
    shown = select.selects[0]
    down = isinstance(shown, exp.Max)
    key = exp.Ordered(this=shown.this.copy(), desc=down or None, nulls_first=not down)
    select.set("expressions", [shown.this.copy()])
    select.set("order", exp.Order(expressions=[key]))
    select.set("limit", exp.Limit(expression=exp.Literal.number(1)))


def _greatest(select: exp.Select) -> None:
    function = exp.Max if select.args["order"].expressions[0].args.get("desc") else exp.Min
    select.set("expressions", [function(this=select.selects[0].copy())])
    for clause in ("order", "limit", "distinct"):
        select.set(clause, None)


# ---------------------------------------------------------------- idle clause
# ORDER BY or DISTINCT in a subquery where it changes nothing.


def idle_clause(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Adds or removes DISTINCT, or adds ORDER BY, in the query of an IN."""
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
    key = exp.Ordered(this=inner.selects[0].unalias().copy(), nulls_first=True)
    inner.set("order", exp.Order(expressions=[key]))
