"""Other columns shown: one less, one more, another number of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, sources_of

if TYPE_CHECKING:
    from sqlglot import exp


def output(node: exp.Expr, around: Around) -> Iterator[Change]:
    """A column of the result left out, or one more."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or node.parent_select is not None:
        return
    if isinstance(node.parent, exp.SetOperation):
        return
    shown = node.selects
    if len(shown) > 1:
        for place in range(len(shown)):
            yield _without(place)
    if node.args.get("distinct"):
        return
    for source in sources_of(node):
        table = around.schema.table(source.name) if isinstance(source, exp.Table) else None
        columns = table.columns[:3] if table is not None else ()
        for column in columns:
            if column.name.casefold() not in {one.alias_or_name.casefold() for one in shown}:
                yield _with(source.alias_or_name, column.name)


def _without(place: int) -> Change:
    return lambda n: n.set("expressions", n.expressions[:place] + n.expressions[place + 1 :])


def _with(source: str, name: str) -> Change:
    from sqlglot import exp

    return lambda n: n.append("expressions", exp.column(name, table=source))
