"""GROUP BY for DISTINCT, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def distinct_to_group(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """Different rows by groups of all columns."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or not node.selects:
        return
    shown = [one.unalias() for one in node.selects]
    if not all(isinstance(one, exp.Column) and not one.find(exp.Star) for one in shown):
        return
    group = node.args.get("group")
    if node.args.get("distinct") and group is None:
        yield lambda n: _grouped(n, [one.copy() for one in shown])
    elif group is not None and group.expressions == shown and node.args.get("having") is None:
        order = node.args.get("order")
        if order is None or all(one.this in shown for one in order.expressions):
            yield _ungrouped


def _grouped(select: exp.Select, keys: list[exp.Expr]) -> None:
    from sqlglot import exp

    select.set("distinct", None)
    select.set("group", exp.Group(expressions=keys))


def _ungrouped(select: exp.Select) -> None:
    from sqlglot import exp

    select.set("group", None)
    select.set("distinct", exp.Distinct())
