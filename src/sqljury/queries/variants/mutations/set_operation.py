"""Another set operation of the same operands, or one of them alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, with_operands

if TYPE_CHECKING:
    from sqlglot import exp


def set_operation(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """Another set operation, or one operand alone."""
    from sqlglot import exp

    if not isinstance(node, exp.SetOperation):
        return
    for other in (exp.Union, exp.Intersect, exp.Except):
        if not isinstance(node, other):
            yield with_operands(other, distinct=True)
    yield lambda n: n.replace(n.this)
    yield lambda n: n.replace(n.expression)
