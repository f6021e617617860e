"""A column of another table in the query: one of the same name, or of the same type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.trees.affinity import declared_affinity
from sqljury.queries.variants.base import Around, Change, home_of, sources_of

if TYPE_CHECKING:
    from sqlglot import exp


_MOST = 4


def foreign_column(node: exp.Expr, around: Around) -> Iterator[Change]:
    """Columns of other tables in the same SELECT, those of the same name first."""
    from sqlglot import exp

    home = home_of(node, around)
    select = node.find_ancestor(exp.Select)
    if home is None or select is None or isinstance(node.parent, exp.EQ | exp.Star):
        return
    name, affinity = home.column.name.casefold(), declared_affinity(home.column.type)
    found = []
    for source in sources_of(select):
        table = around.schema.table(source.name) if isinstance(source, exp.Table) else None
        if table is None or source.alias_or_name == home.source:
            continue
        for column in table.columns:
            if declared_affinity(column.type) == affinity:
                same = column.name.casefold() == name
                found.append((not same, source.alias_or_name, column.name))
    for _, source_name, column_name in sorted(found, key=lambda one: one[0])[:_MOST]:
        yield _column(source_name, column_name)


def _column(source: str, name: str) -> Change:
    from sqlglot import exp

    return lambda n: n.replace(exp.column(name, table=source))
