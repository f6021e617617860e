"""Equivalent ways to name and to join the tables of FROM."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from sqljury.variants.base import (
    Change,
    QueryContext,
    all_of,
    is_inner,
    origin_of,
    own_columns,
    parts,
    qualify,
    renamed,
    sources_of,
    tables_in,
)

# ---------------------------------------------------------------- table names
# Other aliases of tables: none, their initials, or t, t1, t2 …


def table_names(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Gives all tables of a SELECT other aliases: their own name, their initials, or ``t1``."""
    if isinstance(node, exp.Select) and node.args.get("from_") is not None:
        if any(isinstance(one, exp.Star) for one in node.find_all(exp.Column)):
            return
        yield lambda n: _renamed(n, context, _own)
        yield lambda n: _renamed(n, context, _letters)
        yield lambda n: _renamed(n, context, _numbered)


def _own(source: exp.Expr, _place: int) -> str:
    return str(source.name)


def _letters(source: exp.Expr, _place: int) -> str:
    return "".join(word[0] for word in source.name.lower().split("_") if word)


def _numbered(_source: exp.Expr, place: int) -> str:
    return f"t{place}" if place else "t"


def _renamed(
    select: exp.Select, context: QueryContext, manner: Callable[[exp.Expr, int], str]
) -> None:
    qualify(select, context)
    sources = [one for one in sources_of(select) if isinstance(one, exp.Table)]
    wanted = [manner(one, place) for place, one in enumerate(sources)]
    others = {name_of(one) for one in select.root().find_all(exp.Table, exp.Subquery)}
    others -= {name_of(one) for one in sources}
    folded = [name.casefold() for name in wanted]
    if len(set(folded)) < len(folded) or set(folded) & others:
        raise ValueError("two tables of one name")
    # Through temporary names, because a new name may be the old name of another table.
    for place, source in enumerate(sources):
        renamed(select, source.alias_or_name, f"__{place}")
    for place, name in enumerate(wanted):
        renamed(select, f"__{place}", name)


def name_of(source: exp.Expr) -> str:
    """The alias or name of a table or subquery in the query, case-folded."""
    return str(source.alias_or_name).casefold()


# ---------------------------------------------------------------- unqualified
# Columns qualified by their table, and unqualified.


def unqualified(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces ``t.name`` by ``name`` if there is one table; qualifies unqualified columns."""
    if not isinstance(node, exp.Select) or node.args.get("from_") is None:
        return
    columns = list(own_columns(node))
    if any(column.table for column in columns):
        if not node.args.get("joins") and node.parent_select is None:
            yield _plain
    else:
        yield lambda n: qualify(n, context)


def _plain(select: exp.Select) -> None:
    for column in own_columns(select):
        column.set("table", None)


# ---------------------------------------------------------------- identifier style
# Names in lower or upper case, or in quotes.


def identifier_style(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Writes all names of a query in lower case, in upper case, or quoted."""
    if isinstance(node, exp.Query) and node.parent_select is None:
        if isinstance(node.parent, exp.SetOperation):
            return
        yield lambda n: _said(n, str.lower)
        yield lambda n: _said(n, str.upper)
        yield _quoted


def _said(query: exp.Expr, letters: Callable[[str], str]) -> None:
    for name in query.find_all(exp.Identifier):
        name.set("this", letters(name.name))


def _quoted(query: exp.Expr) -> None:
    for name in query.find_all(exp.Identifier):
        name.set("quoted", True)


# ---------------------------------------------------------------- join order
# The tables of inner joins in another order.


def join_order(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Puts each table first; the others follow as soon as a condition connects them."""
    if isinstance(node, exp.Select) and not any(isinstance(one, exp.Star) for one in node.selects):
        joins = node.args.get("joins") or []
        if joins and all(is_inner(join) and join.args.get("on") is not None for join in joins):
            for first in range(1, len(joins) + 1):
                yield _from(first, context)


def _from(first: int, context: QueryContext) -> Change:
    """A change that puts the table at position ``first`` first and orders the others after it."""

    def change(select: exp.Select) -> None:
        qualify(select, context)
        sources = sources_of(select)
        waiting = [one for join in select.args["joins"] for one in parts(join.args["on"])]
        sources.insert(0, sources.pop(first))
        there = {sources[0].alias_or_name.casefold()}
        left, joins = sources[1:], []
        while left:
            at, conditions = _next(left, waiting, there)
            source = left.pop(at)
            there.add(source.alias_or_name.casefold())
            waiting = [one for one in waiting if one not in conditions]
            joins.append(exp.Join(this=source.copy(), on=all_of(conditions)))
        if waiting:
            raise ValueError("a condition of no table here")
        select.set("from_", exp.From(this=sources[0].copy()))
        select.set("joins", joins)

    return change


def _next(
    left: list[exp.Expr], waiting: list[exp.Expr], there: set[str]
) -> tuple[int, list[exp.Expr]]:
    """The position of the first table that a condition connects to those there, and its conditions.

    Raises:
        ValueError: no condition connects any.
    """
    for at, source in enumerate(left):
        known = {*there, source.alias_or_name.casefold()}
        conditions = [one for one in waiting if tables_in(one) <= known]
        if conditions:
            return at, conditions
    raise ValueError("no condition connects the tables")


# ---------------------------------------------------------------- join condition
# Conditions of ON moved to WHERE, and the other way round.


def join_condition(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Writes joins as commas with their conditions in WHERE; moves conditions of WHERE to ON."""
    joins = node.args.get("joins") or [] if isinstance(node, exp.Select) else []
    if not joins or not all(is_inner(join) for join in joins):
        return
    if all(join.args.get("on") is not None for join in joins):
        yield _with_commas
        if node.args.get("where") is not None:
            yield lambda n: _at_the_join(n, context)


def _with_commas(select: exp.Select) -> None:
    joins = select.args["joins"]
    where = select.args.get("where")
    conditions = [one for join in joins for one in parts(join.args["on"])]
    found = all_of([*conditions, *parts(where.this if where is not None else None)])
    select.set("joins", [exp.Join(this=join.this) for join in joins])
    select.set("where", exp.Where(this=found))


def _at_the_join(select: exp.Select, context: QueryContext) -> None:
    qualify(select, context)
    conditions = parts(select.args["where"].this)
    last = select.args["joins"][-1]
    name = last.alias_or_name.casefold()
    moved = [one for one in conditions if name in tables_in(one)]
    if not moved:
        raise ValueError("no condition on the table")
    last.set("on", all_of([*parts(last.args["on"]), *moved]))
    rest = all_of([one for one in conditions if one not in moved])
    select.set("where", exp.Where(this=rest) if rest is not None else None)


# ---------------------------------------------------------------- equal column
# A column replaced by the one that a join equates it with.


def equal_column(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces ``a.id`` by ``b.a_id`` if an inner join equates them."""
    if not isinstance(node, exp.Column) or node.find_ancestor(exp.Join, exp.Select) is None:
        return
    select = node.find_ancestor(exp.Join, exp.Select)
    if not isinstance(select, exp.Select):
        return
    joins = select.args.get("joins") or []
    if not all(is_inner(join) for join in joins):
        return
    home = origin_of(node, context)
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
