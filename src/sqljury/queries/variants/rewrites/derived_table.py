"""A subquery of the columns that are read for a table, with its own conditions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import (
    Around,
    Change,
    all_of,
    is_inner,
    parts,
    qualify,
    sources_of,
    tables_in,
)

if TYPE_CHECKING:
    from sqlglot import exp


def derived_table(node: exp.Expr, around: Around) -> Iterator[Change]:
    """``(SELECT a, b FROM t) AS t``, and the same with conditions on the table alone."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or any(isinstance(one, exp.Star) for one in node.selects):
        return
    inner = all(is_inner(join) for join in node.args.get("joins") or [])
    for place, source in enumerate(sources_of(node)):
        if isinstance(source, exp.Table):
            yield partial(_derived, place=place, around=around, pushed=False)
            if inner and node.args.get("where") is not None:
                yield partial(_derived, place=place, around=around, pushed=True)


def _derived(select: exp.Select, place: int, around: Around, *, pushed: bool) -> None:
    from sqlglot import exp

    qualify(select, around)
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
    table = around.schema.table(source.name)
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
