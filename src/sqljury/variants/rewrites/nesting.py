"""Equivalent queries with additional subqueries or WITH."""

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
    parts,
    qualify,
    sources_of,
    tables_in,
)

# ---------------------------------------------------------------- derived table
# A table replaced by a subquery of the columns that are read.


def derived_table(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces a table by ``(SELECT a, b FROM t) AS t``; also with the conditions on t alone."""
    if not isinstance(node, exp.Select) or any(isinstance(one, exp.Star) for one in node.selects):
        return
    inner = all(is_inner(join) for join in node.args.get("joins") or [])
    for place, source in enumerate(sources_of(node)):
        if isinstance(source, exp.Table):
            yield partial(_derived, place=place, context=context, pushed=False)
            if inner and node.args.get("where") is not None:
                yield partial(_derived, place=place, context=context, pushed=True)


def _derived(select: exp.Select, place: int, context: QueryContext, *, pushed: bool) -> None:
    """Replaces the table at a place by a subquery; moves its conditions into it if ``pushed``."""
    qualify(select, context)
    source = sources_of(select)[place]
    name = source.alias_or_name
    inner = exp.Select().from_(source.copy())
    if pushed:
        conditions = parts(select.args["where"].this)
        moved = [one for one in conditions if tables_in(one) == {name.casefold()}]
        moved = [one for one in moved if one.find(exp.Query) is None]
        if not moved:
            raise ValueError("no condition on the table alone")
        rest = all_of([one for one in conditions if one not in moved])
        select.set("where", exp.Where(this=rest) if rest is not None else None)
        inner.set("where", exp.Where(this=all_of(moved)))
    table = context.schema.table(source.name)
    read = {
        column.name.casefold()
        for column in select.find_all(exp.Column)
        if column.table.casefold() == name.casefold()
    }
    if table is None:
        raise ValueError("no such table")
    shown = [column.name for column in table.columns if column.name.casefold() in read]
    shown = shown or [table.columns[0].name]
    inner.set("expressions", [exp.column(one, table=name) for one in shown])
    alias = exp.TableAlias(this=exp.to_identifier(name))
    source.replace(exp.Subquery(this=inner, alias=alias))


# ---------------------------------------------------------------- common table
# WITH instead of a subquery.


def common_table(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Moves a subquery of FROM or IN that reads no outer columns into a WITH."""
    if not isinstance(node, exp.Subquery) or not isinstance(node.this, exp.Select):
        return
    root = node.root()
    query = root.this if isinstance(root, exp.Paren) else root
    fits = isinstance(node.parent, exp.From | exp.Join | exp.In)
    if fits and isinstance(query, exp.Select) and query.args.get("with_") is None:
        names = {one.alias_or_name.casefold() for one in node.this.find_all(exp.Table)}
        used = {column.table.casefold() for column in node.this.find_all(exp.Column)}
        if used - {""} <= names:
            yield _common


def _common(node: exp.Expr) -> None:
    root = node.root()
    query = root.this if isinstance(root, exp.Paren) else root
    name = free_name(query, "part")
    inner = node.this.copy()
    shown = inner.selects[0]
    if isinstance(node.parent, exp.In):
        if len(inner.selects) != 1 or not isinstance(shown, exp.Column):
            raise ValueError("no name for its column")
        again = exp.Select(expressions=[exp.column(shown.name)]).from_(exp.to_table(name))
        node.replace(exp.Subquery(this=again))
    else:
        if any(not one.alias_or_name for one in inner.selects):
            raise ValueError("no name for its column")
        alias = exp.TableAlias(this=exp.to_identifier(node.alias_or_name))
        node.replace(exp.Table(this=exp.to_identifier(name), alias=alias))
    named = exp.CTE(this=inner, alias=exp.TableAlias(this=exp.to_identifier(name)))
    query.set("with_", exp.With(expressions=[named]))


# ---------------------------------------------------------------- outer select
# The whole query as a subquery, or in a WITH.


def outer_select(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces a query by ``SELECT * FROM (query) AS t``, or ``WITH result AS (query) …``."""
    if not isinstance(node, exp.Query) or node.parent_select is not None:
        return
    if isinstance(node.parent, exp.SetOperation) or node.args.get("order") is not None:
        return
    if node.args.get("with_") is not None or not isinstance(node, exp.Select | exp.SetOperation):
        return
    yield lambda n: n.replace(_wrapped(exp.Subquery(this=n.copy(), alias=_alias("t"))))
    yield lambda n: n.replace(_named(n.copy()))


def _alias(name: str) -> exp.Expr:
    return exp.TableAlias(this=exp.to_identifier(name))


def _wrapped(source: exp.Expr) -> exp.Expr:
    return exp.Select(expressions=[exp.Star()]).from_(source)


def _named(query: exp.Expr) -> exp.Expr:
    with_ = exp.With(expressions=[exp.CTE(this=query, alias=_alias("result"))])
    found = _wrapped(exp.to_table("result"))
    found.set("with_", with_)
    return found
