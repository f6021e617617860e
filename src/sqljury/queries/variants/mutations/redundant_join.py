"""A table joined that nothing is read from; it may still drop or repeat rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, qualify, sources_of
from sqljury.schema import Table

if TYPE_CHECKING:
    from sqlglot import exp


def redundant_join(node: exp.Expr, around: Around) -> Iterator[Change]:
    """One more table, along a foreign key in either direction."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or any(isinstance(one, exp.Star) for one in node.selects):
        return
    tables = [one for one in sources_of(node) if isinstance(one, exp.Table)]
    there = {one.name.casefold() for one in tables}
    for one in tables:
        table = around.schema.table(one.name)
        for own, other, target in _links(table, around) if table is not None else ():
            if other.name.casefold() not in there:
                yield _joined(one.alias_or_name, own, other.name, target, around)


def _links(table: Table, around: Around) -> Iterator[tuple[str, Table, str]]:
    """Own column, the table at the other end of a foreign key, its column."""
    for key in table.foreign_keys:
        other = around.schema.table(key.target_table)
        if other is not None and len(key.columns) == len(key.target_columns) == 1:
            yield key.columns[0], other, key.target_columns[0]
    for other in around.schema.tables:
        for key in other.foreign_keys:
            single = len(key.columns) == len(key.target_columns) == 1
            if single and key.target_table.casefold() == table.name.casefold():
                yield key.target_columns[0], other, key.columns[0]


def _joined(source: str, own: str, table: str, target: str, around: Around) -> Change:
    from sqlglot import exp

    def change(select: exp.Select) -> None:
        qualify(select, around)
        condition = exp.EQ(
            this=exp.column(own, table=source), expression=exp.column(target, table=table)
        )
        select.append("joins", exp.Join(this=exp.to_table(table), on=condition))

    return change
