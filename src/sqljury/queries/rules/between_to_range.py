"""``x BETWEEN a AND b`` is ``x >= a AND x <= b``."""

from __future__ import annotations

from sqljury.queries.rules.base import ExpressionRule, Scope
from sqljury.queries.trees.nodes import Call, Expression
from sqljury.queries.trees.volatile import is_volatile


def between_to_range(expression: Expression, _: Scope) -> Expression | None:
    """The two comparisons; a random value would be drawn twice, so it stays."""
    assert isinstance(expression, Call)
    if len(expression.operands) != 3 or is_volatile(expression.operands[0]):
        return None
    value, low, high = expression.operands
    return Call("AND", (Call(">=", (value, low)), Call("<=", (value, high))))


RULE = ExpressionRule("between_to_range", between_to_range, frozenset({"BETWEEN"}))
