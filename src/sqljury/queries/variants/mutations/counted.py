"""Another thing counted: values for rows, numbers summed for counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.trees.affinity import NUMERIC_AFFINITIES, declared_affinity
from sqljury.queries.variants.base import Around, Change, sources_of

if TYPE_CHECKING:
    from sqlglot import exp


def counted(node: exp.Expr, around: Around) -> Iterator[Change]:
    """COUNT of different values of a column for COUNT(*), and SUM of a number for it."""
    from sqlglot import exp

    if not isinstance(node, exp.Count) or not isinstance(node.this, exp.Star):
        return
    select = node.find_ancestor(exp.Select)
    for source in sources_of(select) if select is not None else ():
        table = around.schema.table(source.name) if isinstance(source, exp.Table) else None
        for column in table.columns[:3] if table is not None else ():
            yield _different(source.alias_or_name, column.name)
            if declared_affinity(column.type) in NUMERIC_AFFINITIES:
                yield _summed(source.alias_or_name, column.name)


def _different(source: str, name: str) -> Change:
    from sqlglot import exp

    return lambda n: n.set("this", exp.Distinct(expressions=[exp.column(name, table=source)]))


def _summed(source: str, name: str) -> Change:
    from sqlglot import exp

    return lambda n: n.replace(exp.Sum(this=exp.column(name, table=source)))
