"""Another comparison: ``>=`` for ``>``, ``!=`` for ``=``, NOT IN for IN."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, with_operands

if TYPE_CHECKING:
    from sqlglot import exp


def comparison(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """Another comparison of the same operands, or its denial."""
    from sqlglot import exp

    others: dict[type, tuple[type, ...]] = {
        exp.GT: (exp.GTE, exp.LT),
        exp.GTE: (exp.GT, exp.LTE),
        exp.LT: (exp.LTE, exp.GT),
        exp.LTE: (exp.LT, exp.GTE),
        exp.EQ: (exp.NEQ, exp.GTE),
        exp.NEQ: (exp.EQ,),
    }
    if node.find_ancestor(exp.Join) is not None and isinstance(node, exp.EQ):
        return
    for other in others.get(type(node), ()):
        yield with_operands(other)
    if isinstance(node, exp.In | exp.Like | exp.Between | exp.Exists):
        yield lambda n: n.replace(exp.Not(this=n.copy()))
    if isinstance(node, exp.Not):
        yield lambda n: n.replace(n.this)
