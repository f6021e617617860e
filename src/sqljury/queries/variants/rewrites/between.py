"""``>=`` and ``<=`` for BETWEEN, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def between(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """A range in one condition or two."""
    from sqlglot import exp

    if isinstance(node, exp.Between) and not node.args.get("symmetric"):
        yield _in_two
    if isinstance(node, exp.And) and isinstance(node.left, exp.GTE):
        low, high = node.left, node.right
        if isinstance(high, exp.LTE) and low.this == high.this:
            yield _in_one


def _in_two(node: exp.Expr) -> None:
    from sqlglot import exp

    low = exp.GTE(this=node.this.copy(), expression=node.args["low"])
    high = exp.LTE(this=node.this.copy(), expression=node.args["high"])
    alone = isinstance(node.parent, exp.Where | exp.Having | exp.And)
    found = exp.And(this=low, expression=high)
    node.replace(found if alone else exp.Paren(this=found))


def _in_one(node: exp.And) -> None:
    from sqlglot import exp

    low, high = node.left, node.right
    node.replace(exp.Between(this=low.this, low=low.expression, high=high.expression))
