"""Equivalent ways to group and to filter groups."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.variants.base import Change, QueryContext, free_name, origin_of, own_columns

# ---------------------------------------------------------------- distinct to group
# GROUP BY for DISTINCT, and the other way round.


def distinct_to_group(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces DISTINCT by GROUP BY of all output columns, and the other way round."""
    if not isinstance(node, exp.Select) or not node.selects:
        return
    shown = [one.unalias() for one in node.selects]
    if not all(isinstance(one, exp.Column) and not one.find(exp.Star) for one in shown):
        return
    group = node.args.get("group")
    if node.args.get("distinct") and group is None:
        yield lambda n: _grouped(n, [one.copy() for one in shown])
    elif group is not None and group.expressions == shown and node.args.get("having") is None:
        order = node.args.get("order")
        if order is None or all(one.this in shown for one in order.expressions):
            yield _ungrouped


def _grouped(select: exp.Select, keys: list[exp.Expr]) -> None:
    select.set("distinct", None)
    select.set("group", exp.Group(expressions=keys))


def _ungrouped(select: exp.Select) -> None:
    select.set("group", None)
    select.set("distinct", exp.Distinct())


# ---------------------------------------------------------------- further group key
# An additional group key that another one determines.


def further_group_key(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Adds a column to GROUP BY that a unique group key determines; reverses several keys."""
    if not isinstance(node, exp.Group) or not node.expressions:
        return
    select = node.find_ancestor(exp.Select)
    keys = [home for one in node.expressions if (home := origin_of(one, context)) is not None]
    if len(node.expressions) > 1:
        yield lambda n: n.set("expressions", [one.copy() for one in reversed(n.expressions)])
    for home in keys:
        if not home.unique or select is None:
            continue
        for one in dict.fromkeys(own_columns(select)):
            other = origin_of(one, context)
            if other is not None and other.source == home.source and one not in node.expressions:
                yield _with(one)


def _with(column: exp.Expr) -> Change:
    return lambda n: n.append("expressions", column.copy())


# ---------------------------------------------------------------- having to where
# A condition on the groups of a subquery for HAVING.


def having_to_where(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces HAVING by WHERE on a grouped subquery.

    ``SELECT a FROM (SELECT a, COUNT(*) AS n … GROUP BY a) AS g WHERE n > 2``.
    """
    if not isinstance(node, exp.Select) or node.args.get("having") is None:
        return
    plain = not any(node.args.get(one) for one in ("order", "limit", "distinct"))
    if plain and all(isinstance(one, exp.Column) for one in node.selects):
        names = [one.name.casefold() for one in node.selects]
        if len(set(names)) == len(names):
            yield _outside


def _outside(select: exp.Select) -> None:
    alias = free_name(select, "g")
    condition = select.args["having"].this.copy()
    inner = select.copy()
    inner.set("having", None)
    holder = exp.Paren(this=condition)
    # Aggregates inside a subquery of the condition belong to that subquery.
    own = [one for one in holder.find_all(exp.AggFunc) if one.find_ancestor(exp.Query) is None]
    for place, one in enumerate(own):
        name = f"n{place}"
        inner.append("expressions", exp.alias_(one.copy(), name))
        one.replace(exp.column(name, table=alias))
    columns = (one for one in holder.find_all(exp.Column) if one.find_ancestor(exp.Query) is None)
    if any(column.table != alias for column in columns):
        raise ValueError("a condition on a column")
    outer = exp.Select(expressions=[exp.column(one.name, table=alias) for one in select.selects])
    source = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(alias)))
    select.replace(outer.from_(source).where(holder.this))
