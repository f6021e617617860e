"""Arithmetic that changes nothing."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import assuming, typed
from sqljury.equivalence.rules.base import EXPRESSION, Scope, Simplified, rule
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import Call, Expression, Literal, Type

_NEUTRAL = {"+": 0, "-": 0, "*": 1, "/": 1}


@rule(EXPRESSION, at=_NEUTRAL, assumes={Assumption.TYPES}, order=270)
def neutral_operand(expression: Expression, scope: Scope) -> Simplified | None:
    """``x + 0`` and ``x * 1`` → ``x`` where x is a number: of a text they make one.

    Assumes types in SQLite, which keeps any value in any column.
    """
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


@rule(EXPRESSION, at={"NEG"}, assumes={Assumption.TYPES}, order=280)
def double_minus(expression: Expression, scope: Scope) -> Simplified | None:
    """``- - x`` → ``x`` where x is a number.

    Assumes types in SQLite, which keeps any value in any column.
    """
    match expression:
        case Call(operands=(Call(name="NEG", operands=(value,)),)):
            assumed = typed(value, (Type.INTEGER, Type.REAL), scope)
            return None if assumed is None else assuming(value, assumed)
        case _:
            return None
