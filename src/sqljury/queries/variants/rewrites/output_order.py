"""Columns shown in another order, where the comparison takes any."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def output_order(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """The columns of the whole query the other way round."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or node.parent is not None or len(node.selects) < 2:
        return
    order, group = node.args.get("order"), node.args.get("group")
    keys = [*(one.this for one in (order.expressions if order is not None else ()))]
    keys += group.expressions if group is not None else []
    if not any(isinstance(one, exp.Literal) for one in keys):
        yield lambda n: n.set("expressions", [one.copy() for one in reversed(n.expressions)])
