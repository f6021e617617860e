"""IN of a subquery of one row for an equality with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def equality_to_in(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """``a IN (SELECT MAX(a) …)`` for ``a = (SELECT MAX(a) …)``."""
    from sqlglot import exp

    if not isinstance(node, exp.EQ) or not isinstance(node.expression, exp.Subquery):
        return
    inner = node.expression.this
    if isinstance(inner, exp.Select) and not inner.args.get("group"):
        aggregate = isinstance(inner.selects[0], exp.AggFunc)
        limit = inner.args.get("limit")
        if aggregate or (limit is not None and limit.expression.name == "1"):
            yield lambda n: n.replace(exp.In(this=n.this, query=n.expression))
