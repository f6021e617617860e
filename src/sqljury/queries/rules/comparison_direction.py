"""One way to write a comparison: constants on the right, else the smaller operand on the left."""

from __future__ import annotations

from sqljury.queries.rules.base import ExpressionRule, Scope
from sqljury.queries.rules.forms import MIRRORED
from sqljury.queries.trees.nodes import Call, Expression, Literal
from sqljury.queries.trees.order import sort_key


def comparison_direction(expression: Expression, _: Scope) -> Expression | None:
    """``3 < x`` is ``x > 3``."""
    assert isinstance(expression, Call)
    if len(expression.operands) != 2:
        return None
    left, right = expression.operands
    if isinstance(right, Literal) and not isinstance(left, Literal):
        return None
    if sort_key(left) <= sort_key(right):
        return None
    return Call(MIRRORED.get(expression.name, expression.name), (right, left))


RULE = ExpressionRule("comparison_direction", comparison_direction, frozenset({*MIRRORED, "IS"}))
