"""Arithmetic that changes nothing."""

from __future__ import annotations

from sqljury.queries.rules.base import ExpressionRule, Scope, Simplified
from sqljury.queries.rules.forms import assuming, typed
from sqljury.queries.trees.nodes import Call, Expression, Literal, Type

_NEUTRAL = {"+": 0, "-": 0, "*": 1, "/": 1}


def neutral_operand(expression: Expression, scope: Scope) -> Simplified | None:
    """``x + 0`` and ``x * 1`` are x, if x is a number: of a text they make one."""
    assert isinstance(expression, Call)
    if len(expression.operands) != 2:
        return None
    value, other = expression.operands
    if not isinstance(other, Literal) or other.type is not Type.INTEGER:
        return None
    if other.value != _NEUTRAL[expression.name]:
        return None
    types = (Type.INTEGER, Type.REAL)
    if expression.name == "/" and scope.context.dialect not in ("sqlite", "postgres"):
        types = (Type.REAL, Type.REAL)
    assumed = typed(value, types, scope)
    return None if assumed is None else assuming(value, assumed)


def double_minus(expression: Expression, scope: Scope) -> Simplified | None:
    """Twice the sign changed."""
    match expression:
        case Call(operands=(Call(name="NEG", operands=(value,)),)):
            assumed = typed(value, (Type.INTEGER, Type.REAL), scope)
            return None if assumed is None else assuming(value, assumed)
        case _:
            return None


RULES = (
    ExpressionRule("neutral_operand", neutral_operand, frozenset(_NEUTRAL)),
    ExpressionRule("double_minus", double_minus, frozenset({"NEG"})),
)
