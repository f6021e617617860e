"""IN of a subquery for a join with a key that is only asked for conditions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import (
    Around,
    Change,
    all_of,
    home_of,
    is_inner,
    own_columns,
    parts,
    qualify,
    sources_of,
    tables_in,
)

if TYPE_CHECKING:
    from sqlglot import exp


def join_to_in(node: exp.Expr, around: Around) -> Iterator[Change]:
    """The last tables of inner joins in a subquery of their own, where no row is repeated."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or any(one.is_star for one in node.selects):
        return
    joins = node.args.get("joins") or []
    if joins and all(is_inner(join) and join.args.get("on") is not None for join in joins):
        for place in range(len(joins) + 1):
            yield partial(_inside, place=place, around=around)


def _inside(select: exp.Select, place: int, around: Around) -> None:
    """Put the table at a place into a subquery."""
    from sqlglot import exp

    qualify(select, around)
    sources = sources_of(select)
    source = sources.pop(place)
    name = source.alias_or_name.casefold()
    joined = [one for join in select.args["joins"] for one in parts(join.args["on"])]
    link, own = _link([one for one in joined if name in tables_in(one)], name)
    home = home_of(own, around)
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
    """The column of another table and that of the table in the only equality between them."""
    from sqlglot import exp

    if len(conditions) != 1 or not isinstance(conditions[0], exp.EQ):
        raise ValueError("not one equality")
    sides = (conditions[0].this, conditions[0].expression)
    if not all(isinstance(side, exp.Column) for side in sides):
        raise ValueError("not of columns")
    own, other = sides if sides[0].table.casefold() == name else sides[::-1]
    return other, own


def _rejoined(select: exp.Select, sources: list[exp.Expr], conditions: list[exp.Expr]) -> None:
    """Join further tables by the conditions that there are for each."""
    from sqlglot import exp

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
