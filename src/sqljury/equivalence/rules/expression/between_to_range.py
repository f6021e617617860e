"""``x BETWEEN a AND b`` is ``x >= a AND x <= b``."""

from __future__ import annotations

from sqljury.equivalence.rules.base import EXPRESSION, Scope, rule
from sqljury.trees.nodes import Call, Expression
from sqljury.trees.volatile import is_volatile


@rule(EXPRESSION, at={"BETWEEN"}, order=30)
def between_to_range(expression: Expression, _: Scope) -> Expression | None:
    """``x BETWEEN a AND b`` → ``x >= a AND x <= b``.

    A random value would be drawn twice, so it stays.
    """
    assert isinstance(expression, Call)
    if len(expression.operands) != 3 or is_volatile(expression.operands[0]):
        return None
    value, low, high = expression.operands
    return Call("AND", (Call(">=", (value, low)), Call("<=", (value, high))))
