"""Mistakes in FROM: the kind of a join, its columns, an additional table."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.schema import Table
from sqljury.variants.base import Change, QueryContext, origin_of, qualify, sources_of

# ---------------------------------------------------------------- join
# Another type of join, or no join.


def join(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces an inner join by LEFT JOIN, an outer join by an inner one; removes the join."""
    if not isinstance(node, exp.Join):
        return
    if node.side:
        yield lambda n: n.set("side", None)
    else:
        yield lambda n: n.set("side", "LEFT")
    # The variant cannot run if it uses a column of the table. If it uses none, it can still differ.
    yield lambda n: n.pop()


# ---------------------------------------------------------------- join key
# A join on other columns.


_MOST = 3


def join_key(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces a column of a join's condition by others of its table, keys first."""
    if node.find_ancestor(exp.Join, exp.Select) is None or not isinstance(node.parent, exp.EQ):
        return
    if not isinstance(node.find_ancestor(exp.Join, exp.Select), exp.Join):
        return
    home = origin_of(node, context)
    if home is None:
        return
    table = home.table
    keys = [*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)]
    names = dict.fromkeys([*keys, *(column.name for column in table.columns)])
    others = [name for name in names if name.casefold() != node.name.casefold()]
    for name in others[:_MOST]:
        yield _named(name)


def _named(name: str) -> Change:
    return lambda n: n.set("this", exp.to_identifier(name))


# ---------------------------------------------------------------- redundant join
# An additional joined table of which nothing is read; it may still remove or repeat rows.


def redundant_join(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Joins one more table, along a foreign key in either direction."""
    if not isinstance(node, exp.Select) or any(isinstance(one, exp.Star) for one in node.selects):
        return
    tables = [one for one in sources_of(node) if isinstance(one, exp.Table)]
    there = {one.name.casefold() for one in tables}
    for one in tables:
        table = context.schema.table(one.name)
        for own, other, target in _links(table, context) if table is not None else ():
            if other.name.casefold() not in there:
                yield _joined(one.alias_or_name, own, other.name, target, context)


def _links(table: Table, context: QueryContext) -> Iterator[tuple[str, Table, str]]:
    """For each foreign key from or to a table: own column, the other table, its column."""
    for key in table.foreign_keys:
        other = context.schema.table(key.target_table)
        if other is not None and len(key.columns) == len(key.target_columns) == 1:
            yield key.columns[0], other, key.target_columns[0]
    for other in context.schema.tables:
        for key in other.foreign_keys:
            single = len(key.columns) == len(key.target_columns) == 1
            if single and key.target_table.casefold() == table.name.casefold():
                yield key.target_columns[0], other, key.columns[0]


def _joined(source: str, own: str, table: str, target: str, context: QueryContext) -> Change:
    def change(select: exp.Select) -> None:
        qualify(select, context)
        condition = exp.EQ(
            this=exp.column(own, table=source), expression=exp.column(target, table=table)
        )
        select.append("joins", exp.Join(this=exp.to_table(table), on=condition))

    return change
