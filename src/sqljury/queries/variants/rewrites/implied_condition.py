"""A condition that another one implies: not NULL, or the same again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, all_of, parts

if TYPE_CHECKING:
    from sqlglot import exp


def implied_condition(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """``AND a IS NOT NULL`` after a comparison of a."""
    from sqlglot import exp

    if not isinstance(node, exp.Where):
        return
    for one in parts(node.this):
        compared = isinstance(one, exp.GT | exp.LT | exp.GTE | exp.LTE | exp.EQ)
        if compared and isinstance(one.this, exp.Column):
            yield _not_null(one.this)


def _not_null(column: exp.Expr) -> Change:
    from sqlglot import exp

    def change(where: exp.Expr) -> None:
        there = exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))
        where.set("this", all_of([*parts(where.this), there]))

    return change
