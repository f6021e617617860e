"""DISTINCT, LIMIT, GROUP BY: left out or added."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def query(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """DISTINCT, LIMIT or GROUP BY left out, added or larger."""
    from sqlglot import exp

    if not isinstance(node, exp.Select):
        return
    if node.args.get("distinct"):
        yield lambda n: n.set("distinct", None)
    else:
        yield lambda n: n.set("distinct", exp.Distinct())
    limit = node.args.get("limit")
    if limit is not None:
        yield lambda n: n.set("limit", None)
        number = str(limit.expression.name)
        if number.isdigit():
            larger = exp.Limit(expression=exp.Literal.number(int(number) + 1))
            yield lambda n: n.set("limit", larger)
    elif node.args.get("order") is not None:
        one = exp.Limit(expression=exp.Literal.number(1))
        yield lambda n: n.set("limit", one)
    if node.args.get("group") is not None:
        yield lambda n: n.set("group", None)
