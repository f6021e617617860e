"""CAST: SQLite's names of types, casts that change nothing, and what is a cast by other means."""

from __future__ import annotations

from sqljury.queries.rules.base import ExpressionRule, Scope, Simplified
from sqljury.queries.rules.forms import (
    EXACT,
    ONLY_TYPES,
    affinity,
    assuming,
    is_sqlite,
    number,
    typed,
)
from sqljury.queries.trees.affinity import declared_affinity
from sqljury.queries.trees.context import Assumption
from sqljury.queries.trees.nodes import Call, Cast, Expression, Literal, Type

_UNCHANGED = {
    "INTEGER": (Type.INTEGER,),
    "REAL": (Type.REAL,),
    "TEXT": (Type.TEXT,),
    "NUMERIC": (Type.INTEGER,),
}


def cast_name(expression: Expression, scope: Scope) -> Expression | None:
    """SQLite goes by the affinity of the name: VARCHAR(20) is TEXT, DOUBLE is REAL."""
    assert isinstance(expression, Cast)
    if not is_sqlite(scope):
        return None
    name = declared_affinity(expression.type_name)
    return None if name == expression.type_name else Cast(expression.operand, name)


def unchanging_cast(expression: Expression, scope: Scope) -> Expression | Simplified | None:
    """A cast to the type that the value has."""
    assert isinstance(expression, Cast)
    operand, name = expression.operand, expression.type_name
    if isinstance(operand, Cast) and operand.type_name == name:
        return operand
    if not is_sqlite(scope) or name not in _UNCHANGED:
        return None
    if name == "REAL" and affinity(operand, scope) != "REAL":
        return None  # what is computed as REAL may be an integer here and there
    assumed = typed(operand, _UNCHANGED[name], scope)
    return None if assumed is None else assuming(operand, assumed)


def constant_cast(expression: Expression, scope: Scope) -> Expression | None:
    """``CAST(1 AS REAL)`` is ``1.0`` in SQLite."""
    assert isinstance(expression, Cast)
    value = number(expression.operand)
    if not is_sqlite(scope) or value is None or abs(value) >= EXACT:
        return None
    if expression.type_name == "REAL":
        return Literal(float(value), Type.REAL)
    if expression.type_name == "INTEGER":
        return Literal(int(value), Type.INTEGER)
    if expression.type_name == "TEXT" and isinstance(value, int):
        return Literal(str(value), Type.TEXT)
    return None


def times_one(expression: Expression, scope: Scope) -> Simplified | None:
    """``x * 1.0`` is ``CAST(x AS REAL)`` of an integer or a float."""
    match expression:
        case Call(operands=(value, Literal(value=1.0, type=Type.REAL))) if is_sqlite(scope):
            assumed = typed(value, (Type.INTEGER, Type.REAL), scope)
            return None if assumed is None else assuming(Cast(value, "REAL"), assumed)
        case _:
            return None


def cast_operand(expression: Expression, scope: Scope) -> Simplified | None:
    """Where one operand is a float the other becomes one: ``CAST(x AS REAL) * 100`` is
    ``x * 100.0``, and ``x / CAST(y AS REAL)`` is ``CAST(x AS REAL) / y``."""
    assert isinstance(expression, Call)
    if len(expression.operands) != 2 or not _may(scope):
        return None
    left, right = expression.operands
    new = _with_constant(left, right, scope) or _with_constant(right, left, scope, first=False)
    if new is None and expression.name == "/":
        new = _cast_on_the_left(left, right, scope)
    return None if new is None else assuming(Call(expression.name, new), ONLY_TYPES)


def _may(scope: Scope) -> bool:
    return is_sqlite(scope) and scope.context.may(Assumption.TYPES)


def _with_constant(
    cast: Expression, constant: Expression, scope: Scope, *, first: bool = True
) -> tuple[Expression, Expression] | None:
    """The constant as a float instead of the cast."""
    value = number(constant)
    if value is None or abs(value) >= EXACT or not _is_cast_number(cast, scope):
        return None
    assert isinstance(cast, Cast)
    as_float = Literal(float(value), Type.REAL)
    return (cast.operand, as_float) if first else (as_float, cast.operand)


def _cast_on_the_left(
    left: Expression, right: Expression, scope: Scope
) -> tuple[Expression, Expression] | None:
    if not _is_cast_number(right, scope):
        return None
    assert isinstance(right, Cast)
    if isinstance(left, Cast) and left.type_name == "REAL":
        return (left, right.operand)
    if typed(left, (Type.INTEGER, Type.REAL), scope) is None:
        return None
    return (Cast(left, "REAL"), right.operand)


def _is_cast_number(cast: Expression, scope: Scope) -> bool:
    if not isinstance(cast, Cast) or cast.type_name != "REAL":
        return False
    return typed(cast.operand, (Type.INTEGER, Type.REAL), scope) is not None


_CAST = frozenset({"Cast"})
RULES = (
    ExpressionRule("cast_name", cast_name, _CAST),
    ExpressionRule("unchanging_cast", unchanging_cast, _CAST),
    ExpressionRule("constant_cast", constant_cast, _CAST),
    ExpressionRule("times_one", times_one, frozenset({"*"})),
    ExpressionRule("cast_operand", cast_operand, frozenset({"*", "/", "+", "-"})),
)
