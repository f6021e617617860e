"""Mistakes in ORDER BY and LIMIT, and in queries for the greatest value."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.variants.base import Change, QueryContext, all_of, limit_of, parts

# ---------------------------------------------------------------- order
# Another order: the other direction, one key less, or none.


def order(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Reverses the direction of a sort key, removes a key, or removes ORDER BY."""
    if isinstance(node, exp.Ordered):
        yield _turned_around
        if len(node.parent.expressions if node.parent else ()) > 1:
            yield lambda n: n.pop()
    if isinstance(node, exp.Order):
        yield lambda n: n.pop()


def _turned_around(ordered: exp.Expr) -> None:
    descending = not ordered.args.get("desc")
    ordered.set("desc", descending or None)
    ordered.set("nulls_first", not descending)  # SQLite's default


# ---------------------------------------------------------------- extreme
# One row with the greatest value instead of all rows with it, and the other way round.


def extreme(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces ``ORDER BY x LIMIT 1`` by ``x = (SELECT MIN(x) …)``, and the other way round.

    They differ if rows tie.
    """
    if not isinstance(node, exp.Select) or node.args.get("group") is not None:
        return
    if _first_of(node) is not None:
        yield _all_greatest
    where = node.args.get("where")
    if where is not None and node.args.get("order") is None:
        for place, one in enumerate(parts(where.this)):
            if _greatest(one) is not None:
                yield _one_greatest(place)


def _first_of(select: exp.Select) -> exp.Expr | None:
    """The sort key of ORDER BY … LIMIT 1 if it is a single column, else None."""
    order = select.args.get("order")
    if order is None or limit_of(select) != "1":
        return None
    key = order.expressions[0]
    alone = len(order.expressions) == 1 and isinstance(key.this, exp.Column)
    return key if alone else None


def _all_greatest(select: exp.Select) -> None:
    key = _first_of(select)
    assert key is not None
    function = exp.Max if key.args.get("desc") else exp.Min
    inner = select.copy()
    for clause in ("order", "limit", "distinct"):
        select.set(clause, None)
        inner.set(clause, None)
    inner.set("expressions", [function(this=key.this.copy())])
    same = exp.EQ(this=key.this.copy(), expression=exp.Subquery(this=inner))
    where = select.args.get("where")
    own = parts(where.this if where is not None else None)
    select.set("where", exp.Where(this=all_of([*own, same])))


def _greatest(condition: exp.Expr) -> exp.Expr | None:
    """The MAX or MIN of a condition ``column = (SELECT MAX(column) …)``, else None."""
    if not (isinstance(condition, exp.EQ) and isinstance(condition.expression, exp.Subquery)):
        return None
    inner = condition.expression.this
    one = inner.selects[0] if isinstance(inner, exp.Select) and len(inner.selects) == 1 else None
    fits = isinstance(one, exp.Max | exp.Min) and isinstance(condition.this, exp.Column)
    return one if fits else None


def _one_greatest(place: int) -> Change:
    def change(select: exp.Select) -> None:
        conditions = parts(select.args["where"].this)
        found = conditions.pop(place)
        down = isinstance(_greatest(found), exp.Max)
        rest = all_of(conditions)
        select.set("where", exp.Where(this=rest) if rest is not None else None)
        ordered = exp.Ordered(this=found.this.copy(), desc=down or None, nulls_first=not down)
        select.set("order", exp.Order(expressions=[ordered]))
        select.set("limit", exp.Limit(expression=exp.Literal.number(1)))

    return change
