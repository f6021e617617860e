"""What is NULL because an operand is, and what never is."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import COMPARISONS, is_null, may_be_null
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.trees.nodes import FALSE, NULL, TRUE, Call, Expression, Literal

_STRICT = COMPARISONS | {"+", "-", "*", "/", "%", "NEG", "LIKE", "GLOB"}


@rule(EXPRESSION, at=_STRICT, order=10)
def null_operand(expression: Expression, _: Scope) -> Expression | None:
    """``x = NULL`` and ``x + NULL`` → NULL."""
    assert isinstance(expression, Call)
    return NULL if any(map(is_null, expression.operands)) else None


@rule(EXPRESSION, at={"IS NULL"}, order=20)
def null_test(expression: Expression, scope: Scope) -> Expression | None:
    """``x IS NULL`` → FALSE where x is never NULL; ``COALESCE(x, y) IS NULL`` → ``x IS NULL AND
    y IS NULL``."""
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


@rule(CONDITION, at={"Literal"}, order=10)
def null_condition(expression: Expression, _: Scope) -> Expression | None:
    """``WHERE NULL`` → ``WHERE FALSE``."""
    return FALSE if is_null(expression) else None
