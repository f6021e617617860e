"""Another aggregate: MAX for MIN, with or without DISTINCT."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def aggregate(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """Another aggregate of the same argument."""
    from sqlglot import exp

    others: dict[type, tuple[type, ...]] = {
        exp.Max: (exp.Min, exp.Avg),
        exp.Min: (exp.Max,),
        exp.Sum: (exp.Avg, exp.Count),
        exp.Avg: (exp.Sum, exp.Max),
    }
    for other in others.get(type(node), ()):
        yield _of_argument(other)
    if isinstance(node, exp.Count):
        if isinstance(node.this, exp.Distinct):
            yield lambda n: n.this.replace(n.this.expressions[0])
        elif isinstance(node.this, exp.Column):
            yield lambda n: n.set("this", exp.Distinct(expressions=[n.this.copy()]))
            yield lambda n: n.set("this", exp.Star())
            yield _of_argument(exp.Sum)


def _of_argument(other: type[exp.Expr]) -> Change:
    """Another function of the same argument."""
    return lambda n: n.replace(other(this=n.this))
