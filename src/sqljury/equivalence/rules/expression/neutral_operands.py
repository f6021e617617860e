"""Arithmetic that changes nothing."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import assuming, is_sqlite, typed
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
    if expression.name == "/" and scope.context.dialect not in ("sqlite", "postgres"):
        return None
    assumed = typed(value, _numbers(scope), scope)
    return None if assumed is None else assuming(value, assumed)


@rule(EXPRESSION, at={"NEG"}, assumes={Assumption.TYPES}, order=280)
def double_minus(expression: Expression, scope: Scope) -> Simplified | None:
    """``- - x`` → ``x`` where x is a number.

    Assumes types in SQLite, which keeps any value in any column.
    """
    match expression:
        case Call(operands=(Call(name="NEG", operands=(value,)),)):
            assumed = typed(value, _numbers(scope), scope)
            return None if assumed is None else assuming(value, assumed)
        case _:
            return None


def _numbers(scope: Scope) -> tuple[Type, ...]:
    """Numbers that arithmetic leaves as they are: it makes 0.0 of -0.0, and 64 bits of 32."""
    return (Type.INTEGER, Type.REAL) if is_sqlite(scope) else (Type.INTEGER,)
