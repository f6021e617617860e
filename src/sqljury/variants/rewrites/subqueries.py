"""IN, NOT IN, EXISTS and joins replaced by each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sqlglot import exp

from sqljury.variants.base import (
    Change,
    QueryContext,
    all_of,
    free_name,
    is_inner,
    origin_of,
    own_columns,
    parts,
    qualify,
    renamed,
    sources_of,
    tables_in,
)

# ---------------------------------------------------------------- in to exists
# EXISTS for IN.


def in_to_exists(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces ``x IN (SELECT y …)`` by ``EXISTS (SELECT 1 … WHERE y = x)``."""
    query = node.args.get("query") if isinstance(node, exp.In) else None
    inner = query.this if query is not None else None
    if not isinstance(inner, exp.Select) or len(inner.selects) != 1:
        return
    if not any(inner.args.get(one) for one in ("group", "limit", "having")):
        yield lambda n: _exists(n, context)


def _exists(node: exp.Expr, context: QueryContext) -> None:
    """Replaces an IN node by EXISTS; renames inner tables whose names the outer query uses."""
    select = node.find_ancestor(exp.Select)
    inner = node.args["query"].this
    assert select is not None
    qualify(select, context)
    outside = {one.alias_or_name.casefold() for one in sources_of(select)}
    for source in sources_of(inner):
        if source.alias_or_name.casefold() in outside:
            renamed(inner, source.alias_or_name, free_name(select, "s"))
    shown = inner.selects[0]
    sides = (shown, node.this)
    if not all(isinstance(side, exp.Column) and side.table for side in sides):
        raise ValueError("not known where the columns are from")
    where = inner.args.get("where")
    same = exp.EQ(this=shown.copy(), expression=node.this.copy())
    conditions = [*parts(where.this if where is not None else None), same]
    inner.set("where", exp.Where(this=all_of(conditions)))
    inner.set("expressions", [exp.Literal.number(1)])
    inner.set("distinct", None)
    inner.set("order", None)
    node.replace(exp.Exists(this=inner.copy()))


# ---------------------------------------------------------------- in to join
# A join with the distinct rows of a subquery for IN.


def in_to_join(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces IN by ``JOIN (SELECT DISTINCT …)``, or by a join with the table if y is unique."""
    if not isinstance(node, exp.Select) or node.args.get("where") is None:
        return
    if any(isinstance(one, exp.Star) for one in node.selects):
        return
    for place, one in enumerate(parts(node.args["where"].this)):
        if isinstance(one, exp.In) and one.args.get("query") is not None:
            yield partial(_joined, place=place, context=context)
            yield partial(_joined_plainly, place=place, context=context)


def _taken(select: exp.Select, place: int, context: QueryContext) -> tuple[exp.Expr, exp.Select]:
    """Removes an IN from WHERE, in place; returns its value and its query."""
    qualify(select, context)
    conditions = parts(select.args["where"].this)
    found = conditions.pop(place)
    rest = all_of(conditions)
    inner = found.args["query"].this
    if not isinstance(inner, exp.Select) or len(inner.selects) != 1:
        raise ValueError("not a plain subquery")
    select.set("where", exp.Where(this=rest) if rest is not None else None)
    return found.this, inner


def _joined(select: exp.Select, place: int, context: QueryContext) -> None:
    value, inner = _taken(select, place, context)
    inner = inner.copy()
    shown = inner.selects[0]
    if not shown.alias_or_name or isinstance(shown, exp.Star):
        shown = exp.alias_(shown.copy(), "value")
        inner.set("expressions", [shown])
    if inner.args.get("group") is None:
        inner.set("distinct", exp.Distinct())
    elif inner.args["group"].expressions != [shown.unalias()]:
        raise ValueError("groups of another column")
    alias = free_name(select, "q")
    source = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(alias)))
    on = exp.EQ(this=value.copy(), expression=exp.column(shown.alias_or_name, table=alias))
    select.append("joins", exp.Join(this=source, on=on))


def _joined_plainly(select: exp.Select, place: int, context: QueryContext) -> None:
    value, inner = _taken(select, place, context)
    names = {one.alias_or_name.casefold() for one in sources_of(select)}
    sources = sources_of(inner)
    home = origin_of(inner.selects[0], context)
    plain = not any(inner.args.get(one) for one in ("group", "limit", "having"))
    plain = plain and len(sources) == 1 and home is not None and home.unique
    if not plain or sources[0].alias_or_name.casefold() in names:
        raise ValueError("not a plain subquery")
    on = exp.EQ(this=value.copy(), expression=inner.selects[0].copy())
    select.append("joins", exp.Join(this=sources[0].copy(), on=on))
    conditions = [
        one
        for where in (select.args.get("where"), inner.args.get("where"))
        for one in parts(where.this if where is not None else None)
    ]
    rest = all_of(conditions)
    select.set("where", exp.Where(this=rest) if rest is not None else None)


# ---------------------------------------------------------------- join to in
# IN of a subquery for a join with a table that is not output.


def join_to_in(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces the join with one table by ``IN (SELECT …)`` if the join repeats no rows."""
    if not isinstance(node, exp.Select) or any(one.is_star for one in node.selects):
        return
    joins = node.args.get("joins") or []
    if joins and all(is_inner(join) and join.args.get("on") is not None for join in joins):
        for place in range(len(joins) + 1):
            yield partial(_inside, place=place, context=context)


def _inside(select: exp.Select, place: int, context: QueryContext) -> None:
    """Moves the table at a position, with its conditions, into the subquery of an IN."""
    qualify(select, context)
    sources = sources_of(select)
    source = sources.pop(place)
    name = source.alias_or_name.casefold()
    joined = [one for join in select.args["joins"] for one in parts(join.args["on"])]
    link, own = _link([one for one in joined if name in tables_in(one)], name)
    home = origin_of(own, context)
    grouped = select.args.get("group") or any(one.find(exp.AggFunc) for one in select.selects)
    if home is None or not (home.unique or (select.args.get("distinct") and not grouped)):
        raise ValueError("rows may be repeated")
    where = select.args.get("where")
    conditions = parts(where.this if where is not None else None)
    inner = [one for one in conditions if tables_in(one) == {name}]
    outer = [one for one in conditions if one not in inner]
    rest = [one for one in joined if name not in tables_in(one)]
    query = exp.Select(expressions=[own.copy()]).from_(source.copy())
    if inner:
        query.set("where", exp.Where(this=all_of(inner)))
    member = exp.In(this=link.copy(), query=exp.Subquery(this=query))
    select.set("from_", exp.From(this=sources[0].copy()))
    select.set("joins", None)
    select.set("where", None)
    _rejoined(select, sources[1:], rest)
    select.set("where", exp.Where(this=all_of([*outer, member])))
    if any(column.table.casefold() == name for column in own_columns(select)):
        raise ValueError("the table is shown")


def _link(conditions: list[exp.Expr], name: str) -> tuple[exp.Expr, exp.Expr]:
    """The other table's column and the own column of the single equality that joins the table.

    Raises:
        ValueError: the table is not joined by exactly one equality of columns.
    """
    if len(conditions) != 1 or not isinstance(conditions[0], exp.EQ):
        raise ValueError("not one equality")
    sides = (conditions[0].this, conditions[0].expression)
    if not all(isinstance(side, exp.Column) for side in sides):
        raise ValueError("not of columns")
    own, other = sides if sides[0].table.casefold() == name else sides[::-1]
    return other, own


def _rejoined(select: exp.Select, sources: list[exp.Expr], conditions: list[exp.Expr]) -> None:
    """Joins further tables to a SELECT, each with the conditions that connect it."""
    there = {select.args["from_"].this.alias_or_name.casefold()}
    for source in sources:
        there.add(source.alias_or_name.casefold())
        known = [one for one in conditions if tables_in(one) <= there]
        conditions = [one for one in conditions if one not in known]
        if not known:
            raise ValueError("no condition connects the tables")
        select.append("joins", exp.Join(this=source.copy(), on=all_of(known)))
    if conditions:
        raise ValueError("a condition of no table here")


# ---------------------------------------------------------------- not in to outer join
# LEFT JOIN … IS NULL for NOT IN.


def not_in_to_outer_join(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces ``x NOT IN (SELECT y …)`` by ``LEFT JOIN … ON x = y WHERE y IS NULL``."""
    if not isinstance(node, exp.Select) or node.args.get("where") is None:
        return
    if any(isinstance(one, exp.Star) for one in node.selects):
        return
    for place, one in enumerate(parts(node.args["where"].this)):
        inner = one.this.unnest() if isinstance(one, exp.Not) else None
        if isinstance(inner, exp.In) and inner.args.get("query") is not None:
            yield partial(_without_partner, place=place, context=context)


def _without_partner(select: exp.Select, place: int, context: QueryContext) -> None:
    """Replaces the NOT IN at a place of WHERE by a LEFT JOIN and a test for NULL."""
    qualify(select, context)
    conditions = parts(select.args["where"].this)
    found = conditions.pop(place).this.unnest()
    inner = found.args["query"].this
    sources = sources_of(inner) if isinstance(inner, exp.Select) else []
    names = {one.alias_or_name.casefold() for one in sources_of(select)}
    plain = len(sources) == 1 and not any(inner.args.get(o) for o in ("group", "limit", "having"))
    if not plain or sources[0].alias_or_name.casefold() in names:
        raise ValueError("not a plain subquery")
    qualify(inner, context)
    shown = inner.selects[0]
    if not isinstance(shown, exp.Column) or not shown.table:
        raise ValueError("not known where the column is from")
    where = inner.args.get("where")
    same = exp.EQ(this=found.this.copy(), expression=shown.copy())
    on = all_of([same, *parts(where.this if where is not None else None)])
    select.append("joins", exp.Join(this=sources[0].copy(), on=on, side="LEFT"))
    missing = exp.Is(this=shown.copy(), expression=exp.Null())
    select.set("where", exp.Where(this=all_of([*conditions, missing])))
