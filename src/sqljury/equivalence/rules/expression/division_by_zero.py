"""Guards against division by zero, where that is NULL anyway: in SQLite and MySQL."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import is_null, number
from sqljury.equivalence.rules.base import EXPRESSION, Scope, rule
from sqljury.trees.nodes import Call, Cast, Expression

_NULL_BY_ZERO = frozenset(("sqlite", "mysql"))


@rule(EXPRESSION, at={"/", "%"}, order=290)
def guarded_divisor(expression: Expression, scope: Scope) -> Expression | None:
    """``x / NULLIF(y, 0)`` → ``x / y``; the guard may stand inside a CAST or a product."""
    assert isinstance(expression, Call)
    if len(expression.operands) != 2 or scope.context.dialect not in _NULL_BY_ZERO:
        return None
    value, divisor = expression.operands
    found = _without_guard(divisor)
    return None if found is None else Call(expression.name, (value, found))


def _without_guard(divisor: Expression) -> Expression | None:
    match divisor:
        case Call(name="NULLIF", operands=(inner, zero)) if number(zero) == 0:
            return inner
        case Cast(operand=operand, type_name=("REAL" | "NUMERIC") as name):
            found = _without_guard(operand)
            return None if found is None else Cast(found, name)
        case Call(name="*", operands=(operand, factor)) if number(factor):
            found = _without_guard(operand)
            return None if found is None else Call("*", (found, factor))
        case _:
            return None


@rule(EXPRESSION, at={"CASE"}, order=300)
def guarded_division(expression: Expression, scope: Scope) -> Expression | None:
    """``CASE WHEN y = 0 THEN NULL ELSE x / y END`` → ``x / y``."""
    assert isinstance(expression, Call)
    if scope.context.dialect not in _NULL_BY_ZERO:
        return None
    match expression.operands:
        case (Call(name="=", operands=(divisor, zero)), nothing, division):
            pass
        case (Call(name="<>", operands=(divisor, zero)), division, nothing):
            pass
        case _:
            return None
    if number(zero) != 0 or not is_null(nothing):
        return None
    return division if _divides_by(division, divisor) else None


def _divides_by(division: Expression, divisor: Expression) -> bool:
    """Whether an expression is NULL where the divisor is 0 or NULL."""
    match division:
        case Call(name="/" | "%", operands=(_, below)) if _is_scaled(below, divisor):
            return True
        case Call(name="+" | "-" | "*" | "/" | "NEG" | "ROUND", operands=parts):
            return any(_divides_by(part, divisor) for part in parts)
        case Cast(operand=operand):
            return _divides_by(operand, divisor)
        case _:
            return False


def _is_scaled(expression: Expression, divisor: Expression) -> bool:
    if expression == divisor:
        return True
    match expression:
        case Cast(operand=operand, type_name="REAL" | "NUMERIC"):
            return _is_scaled(operand, divisor)
        case _:
            return False
