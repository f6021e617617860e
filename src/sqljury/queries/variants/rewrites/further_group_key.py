"""Groups by what a key fixes, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, home_of, own_columns

if TYPE_CHECKING:
    from sqlglot import exp


def further_group_key(node: exp.Expr, around: Around) -> Iterator[Change]:
    """A column of the same row in GROUP BY after a key; without it; keys in another order."""
    from sqlglot import exp

    if not isinstance(node, exp.Group) or not node.expressions:
        return
    select = node.find_ancestor(exp.Select)
    keys = [home for one in node.expressions if (home := home_of(one, around)) is not None]
    if len(node.expressions) > 1:
        yield lambda n: n.set("expressions", [one.copy() for one in reversed(n.expressions)])
    for home in keys:
        if not home.unique or select is None:
            continue
        for one in dict.fromkeys(own_columns(select)):
            other = home_of(one, around)
            if other is not None and other.source == home.source and one not in node.expressions:
                yield _with(one)


def _with(column: exp.Expr) -> Change:
    return lambda n: n.append("expressions", column.copy())
