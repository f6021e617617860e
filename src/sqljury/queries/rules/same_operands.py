"""Comparisons of a value with itself."""

from __future__ import annotations

from sqljury.queries.rules.base import ConditionRule, ExpressionRule, Scope
from sqljury.queries.rules.forms import COMPARISONS, may_be_null, truth
from sqljury.queries.trees.nodes import FALSE, TRUE, Call, Expression, Literal
from sqljury.queries.trees.volatile import is_volatile

_TRUE_OF_EQUALS = frozenset(("=", "<=", ">="))


def _itself(expression: Expression) -> Expression | None:
    assert isinstance(expression, Call)
    if len(expression.operands) != 2 or expression.operands[0] != expression.operands[1]:
        return None
    value = expression.operands[0]
    return None if isinstance(value, Literal) or is_volatile(value) else value


def same_operands(expression: Expression, scope: Scope) -> Expression | None:
    """``x = x`` is TRUE, and ``x < x`` FALSE, if x is never NULL; ``x IS x`` is TRUE anyway."""
    value = _itself(expression)
    assert isinstance(expression, Call)
    if value is None:
        return None
    if expression.name == "IS":
        return TRUE
    return None if may_be_null(value, scope) else truth(expression.name in _TRUE_OF_EQUALS)


def same_operands_in_condition(expression: Expression, _: Scope) -> Expression | None:
    """``x = x`` says that x is not NULL; ``x < x`` is never true."""
    value = _itself(expression)
    assert isinstance(expression, Call)
    if value is None:
        return None
    if expression.name in _TRUE_OF_EQUALS:
        return Call("NOT", (Call("IS NULL", (value,)),))
    return FALSE


RULE = ExpressionRule("same_operands", same_operands, COMPARISONS | {"IS"})
CONDITION_RULE = ConditionRule("same_operands", same_operands_in_condition, COMPARISONS)
