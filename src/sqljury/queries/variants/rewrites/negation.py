"""NOT of the contrary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def negation(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """``NOT a = 1`` for ``a != 1``; ``NOT a <= 1`` for ``a > 1``; and the other way round."""
    from sqlglot import exp

    contrary: dict[type, type[exp.Expr]] = {
        exp.NEQ: exp.EQ,
        exp.EQ: exp.NEQ,
        exp.GT: exp.LTE,
        exp.GTE: exp.LT,
        exp.LT: exp.GTE,
        exp.LTE: exp.GT,
    }
    if isinstance(node, exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
        other = contrary[type(node)]
        yield lambda n: n.replace(exp.Not(this=other(this=n.this, expression=n.expression)))
    if isinstance(node, exp.Not) and type(node.this.unnest()) in contrary:
        inner = node.this.unnest()
        other = contrary[type(inner)]
        yield lambda n: n.replace(other(this=inner.this.copy(), expression=inner.expression.copy()))
