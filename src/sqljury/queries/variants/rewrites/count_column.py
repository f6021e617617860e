"""COUNT of a column for COUNT(*), and the other way round, where no value is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, home_of, is_inner, sources_of

if TYPE_CHECKING:
    from sqlglot import exp

_MOST = 3


def count_column(node: exp.Expr, around: Around) -> Iterator[Change]:
    """What people write who think of rows, not of NULL; nothing declares that there is none."""
    from sqlglot import exp

    select = node.find_ancestor(exp.Select)
    if not isinstance(node, exp.Count) or select is None:
        return
    if not all(is_inner(join) for join in select.args.get("joins") or []):
        return
    if isinstance(node.this, exp.Column) and home_of(node.this, around) is not None:
        yield lambda n: n.set("this", exp.Star())
    if isinstance(node.this, exp.Star):
        for source in sources_of(select):
            table = around.schema.table(source.name) if isinstance(source, exp.Table) else None
            for column in table.columns[:_MOST] if table is not None else ():
                yield _counted(source.alias_or_name, column.name)


def _counted(source: str, name: str) -> Change:
    from sqlglot import exp

    return lambda n: n.set("this", exp.column(name, table=source))
