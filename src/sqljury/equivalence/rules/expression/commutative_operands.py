"""The operands of sums and products in order; subtracting what is negative is adding."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import number
from sqljury.equivalence.rules.base import EXPRESSION, Scope, rule
from sqljury.trees.nodes import Call, Expression, Literal
from sqljury.trees.order import sort_key

_JOINS_TEXTS = frozenset(("tsql", "fabric"))
"""Where + of texts puts them together."""


@rule(EXPRESSION, at={"+", "*"}, order=250)
def commutative_operands(expression: Expression, scope: Scope) -> Expression | None:
    """``2 * x`` → ``x * 2``.

    Exact for integers and for floats, if not beyond two operands.
    """
    assert isinstance(expression, Call)
    if len(expression.operands) != 2:
        return None
    left, right = expression.operands
    if expression.name == "+" and scope.context.dialect in _JOINS_TEXTS:
        return None
    if sort_key(left) <= sort_key(right):
        return None
    return Call(expression.name, (right, left))


@rule(EXPRESSION, at={"+", "-"}, order=260)
def negative_operand(expression: Expression, _: Scope) -> Expression | None:
    """``x + -3`` → ``x - 3``; ``x - -3`` → ``x + 3``."""
    assert isinstance(expression, Call)
    if len(expression.operands) != 2:
        return None
    left, right = expression.operands
    value = number(right)
    if value is None or value >= 0 or number(left) is not None:
        return None
    assert isinstance(right, Literal)
    opposite = Literal(-value, right.type)
    return Call("-" if expression.name == "+" else "+", (left, opposite))
