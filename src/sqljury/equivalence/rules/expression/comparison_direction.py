"""One way to write a comparison: constants on the right, else the smaller operand on the left."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import MIRRORED
from sqljury.equivalence.rules.base import EXPRESSION, Scope, rule
from sqljury.trees.nodes import Call, Expression, Literal
from sqljury.trees.order import sort_key


@rule(EXPRESSION, at={*MIRRORED, "IS"}, order=80)
def comparison_direction(expression: Expression, _: Scope) -> Expression | None:
    """``3 < x`` → ``x > 3``."""
    assert isinstance(expression, Call)
    if len(expression.operands) != 2:
        return None
    left, right = expression.operands
    if isinstance(right, Literal) and not isinstance(left, Literal):
        return None
    if sort_key(left) <= sort_key(right):
        return None
    return Call(MIRRORED.get(expression.name, expression.name), (right, left))
