"""COUNT of a key, or of 1, for COUNT(*), and the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, home_of, is_inner, sources_of

if TYPE_CHECKING:
    from sqlglot import exp


def count_rows(node: exp.Expr, around: Around) -> Iterator[Change]:
    """Ways to count rows."""
    from sqlglot import exp

    if not isinstance(node, exp.Count):
        return
    select = node.find_ancestor(exp.Select)
    counted = node.this
    joins = (select.args.get("joins") or []) if select is not None else []
    inner = all(is_inner(join) for join in joins)
    if isinstance(counted, exp.Star) and select is not None:
        yield lambda n: n.set("this", exp.Literal.number(1))
        if inner:
            for name, column in _never_null(select, around):
                yield _column(name, column)
    elif isinstance(counted, exp.Column) and not counted.find(exp.Star):
        home = home_of(counted, around)
        if home is not None and not home.column.nullable and inner:
            yield lambda n: n.set("this", exp.Star())
    elif isinstance(counted, exp.Distinct) and len(counted.expressions) == 1 and select is not None:
        home = home_of(counted.expressions[0], around)
        if home is not None and home.unique and not joins:
            yield lambda n: n.set("this", exp.Star())


def _never_null(select: exp.Select, around: Around) -> Iterator[tuple[str, str]]:
    from sqlglot import exp

    for source in sources_of(select):
        table = around.schema.table(source.name) if isinstance(source, exp.Table) else None
        if table is None:
            continue
        for column in table.columns:
            if not column.nullable or (column.name,) == table.primary_key:
                yield source.alias_or_name, column.name


def _column(source: str, name: str) -> Change:
    from sqlglot import exp

    return lambda n: n.set("this", exp.column(name, table=source))
