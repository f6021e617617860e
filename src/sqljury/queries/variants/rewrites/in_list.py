"""Equalities joined by OR for a list, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def in_list(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """IN of constants as OR, and OR of equalities of one column as IN."""
    from sqlglot import exp

    if isinstance(node, exp.In) and node.expressions:
        yield _as_or
    if isinstance(node, exp.Or) and not isinstance(node.parent, exp.Or):
        equalities = list(node.flatten())
        plain = all(
            isinstance(one, exp.EQ)
            and one.this == equalities[0].this
            and isinstance(one.expression, exp.Literal)
            for one in equalities
        )
        if plain:
            yield _as_list


def _as_or(node: exp.Expr) -> None:
    from sqlglot import exp

    equalities = [exp.EQ(this=node.this.copy(), expression=one) for one in node.expressions]
    found: exp.Expr = equalities[0]
    for one in equalities[1:]:
        found = exp.Or(this=found, expression=one)
    node.replace(exp.Paren(this=found))


def _as_list(node: exp.Expr) -> None:
    from sqlglot import exp

    equalities = list(node.flatten())
    values = [one.expression.copy() for one in equalities]
    node.replace(exp.In(this=equalities[0].this.copy(), expressions=values))
