"""The sum divided by the count for the average."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def average(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """``SUM(a) * 1.0 / COUNT(a)`` for ``AVG(a)``."""
    from sqlglot import exp

    shown = isinstance(node, exp.Avg) and isinstance(node.parent, exp.Select)
    if shown and isinstance(node.this, exp.Column):
        yield _divided


def _divided(node: exp.Expr) -> None:
    from sqlglot import exp

    column = node.this
    scaled = exp.Mul(this=exp.Sum(this=column.copy()), expression=exp.Literal.number("1.0"))
    count = exp.Count(this=column.copy())
    node.replace(exp.Div(this=scaled, expression=count))
