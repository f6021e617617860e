"""What is NULL because an operand is, and what never is."""

from __future__ import annotations

from sqljury.queries.rules.base import ConditionRule, ExpressionRule, Scope
from sqljury.queries.rules.forms import COMPARISONS, is_null, may_be_null
from sqljury.queries.trees.nodes import FALSE, NULL, TRUE, Call, Expression, Literal

_STRICT = COMPARISONS | {"+", "-", "*", "/", "%", "NEG", "LIKE", "GLOB"}


def null_operand(expression: Expression, _: Scope) -> Expression | None:
    """``x = NULL`` and ``x + NULL`` are NULL."""
    assert isinstance(expression, Call)
    return NULL if any(map(is_null, expression.operands)) else None


def null_test(expression: Expression, scope: Scope) -> Expression | None:
    """``x IS NULL`` is FALSE where x is never NULL; of alternatives, all must be NULL."""
    assert isinstance(expression, Call)
    (operand,) = expression.operands
    if isinstance(operand, Literal):
        return TRUE if operand.value is None else FALSE
    if not may_be_null(operand, scope):
        return FALSE
    if isinstance(operand, Call):
        if operand.name == "COALESCE":
            return Call("AND", tuple(Call("IS NULL", (part,)) for part in operand.operands))
        if operand.name in ("NOT", "NEG"):
            return Call("IS NULL", operand.operands)
    return None


def null_condition(expression: Expression, _: Scope) -> Expression | None:
    """A condition that is NULL is not true."""
    return FALSE if is_null(expression) else None


RULES = (
    ExpressionRule("null_operand", null_operand, _STRICT),
    ExpressionRule("null_test", null_test, frozenset({"IS NULL"})),
)
CONDITION_RULE = ConditionRule("null_condition", null_condition, frozenset({"Literal"}))
