"""Rules for CAST."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import (
    EXACT,
    ONLY_TYPES,
    affinity,
    assuming,
    is_sqlite,
    number,
    typed,
)
from sqljury.equivalence.rules.base import EXPRESSION, Scope, Simplified, rule
from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.affinity import NUMERIC_AFFINITIES, TO_NUMBER, declared_affinity
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import Call, Cast, Expression, Literal, Outer, Ref, Type

# ---------------------------------------------------------------- casts
# CAST: SQLite's type names, casts that change nothing, and other expressions that are casts.


_UNCHANGED = {
    "INTEGER": (Type.INTEGER,),
    "REAL": (Type.REAL,),
    "TEXT": (Type.TEXT,),
    "NUMERIC": (Type.INTEGER,),
}


@rule(EXPRESSION, at={"Cast"})
def cast_name(expression: Cast, scope: Scope) -> Expression | None:
    """``CAST(x AS VARCHAR(20))`` → ``CAST(x AS TEXT)``: SQLite uses only the affinity of the type's
    name."""
    if not is_sqlite(scope):
        return None
    name = declared_affinity(expression.type_name)
    return None if name == expression.type_name else Cast(expression.operand, name)


@rule(EXPRESSION, at={"Cast"}, assumes={Assumption.TYPES})
def unchanging_cast(expression: Cast, scope: Scope) -> Expression | Simplified | None:
    """``CAST(x AS INTEGER)`` → ``x`` where x is an integer.

    Assumes types in SQLite, which does not enforce declared types.
    """
    operand, name = expression.operand, expression.type_name
    if isinstance(operand, Cast) and operand.type_name == name:
        return operand
    if not is_sqlite(scope) or name not in _UNCHANGED:
        return None
    if name == "REAL" and affinity(operand, scope) != "REAL":
        return None  # without REAL affinity some values may be integers, which the CAST converts
    assumed = typed(operand, _UNCHANGED[name], scope)
    return None if assumed is None else assuming(operand, assumed)


@rule(EXPRESSION, at={"Cast"})
def constant_cast(expression: Cast, scope: Scope) -> Expression | None:
    """``CAST(1 AS REAL)`` → ``1.0``, in SQLite."""
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


@rule(EXPRESSION, at={"*"}, assumes={Assumption.TYPES})
def times_one(expression: Call, scope: Scope) -> Simplified | None:
    """``x * 1.0`` → ``CAST(x AS REAL)`` where x is an integer or a float.

    Assumes types in SQLite, which does not enforce declared types.
    """
    match expression:
        case Call(operands=(value, Literal(value=1.0, type=Type.REAL))) if is_sqlite(scope):
            assumed = typed(value, (Type.INTEGER, Type.REAL), scope)
            return None if assumed is None else assuming(Cast(value, "REAL"), assumed)
        case _:
            return None


@rule(EXPRESSION, at={"*", "/", "+", "-"}, assumes={Assumption.TYPES})
def cast_operand(expression: Call, scope: Scope) -> Simplified | None:
    """``CAST(x AS REAL) * 100`` → ``x * 100.0``; ``x / CAST(y AS REAL)`` → ``CAST(x AS REAL) /
    y``: where one operand is a float the other becomes one.

    Assumes types in SQLite, which does not enforce declared types.
    """
    if len(expression.operands) != 2 or not is_sqlite(scope):
        return None
    if not scope.context.may(Assumption.TYPES):
        return None
    left, right = expression.operands
    new = _with_constant(left, right, scope) or _with_constant(right, left, scope, first=False)
    if new is None and expression.name == "/":
        new = _cast_on_the_left(left, right, scope)
    return None if new is None else assuming(Call(expression.name, new), ONLY_TYPES)


def _with_constant(
    cast: Expression, constant: Expression, scope: Scope, *, first: bool = True
) -> tuple[Expression, Expression] | None:
    """The operands without the cast, the constant made a float instead; None if not possible."""
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


# ---------------------------------------------------------------- cast of foreign key
# ``n = CAST(x AS REAL)`` is ``n = x`` in SQLite for a text x that refers to a column of numbers.
#
# Compared with a number, SQLite converts a text that is a number. A valid foreign key ensures that
# it is one: a child's value equals its parent's after the parent's affinity was applied. Both ways
# give the same number. But a REAL has 53 bits, so keys are taken to be less than 2**53.
#
# Source: https://www.sqlite.org/foreignkeys.html, section 3; datatype3.html, section 4.2.


_EXACT = ("REAL", "NUMERIC")


@rule(EXPRESSION, at=COMPARISONS, assumes={Assumption.FOREIGN_KEY})
def cast_of_foreign_key(expression: Call, scope: Scope) -> Simplified | None:
    """``n = CAST(x AS REAL)`` → ``n = x``, where x is a text that refers to a column of
    numbers, in SQLite.

    Assumes foreign key: it ensures that the text is a number.
    """
    if not is_sqlite(scope) or not scope.context.may(Assumption.FOREIGN_KEY):
        return None
    parts = expression.operands
    for i, part in enumerate(parts):
        if not isinstance(part, Cast) or part.type_name not in _EXACT:
            continue
        others = parts[:i] + parts[i + 1 :]
        beside_numbers = all(affinity(o, scope) in NUMERIC_AFFINITIES for o in others)
        if beside_numbers and _is_numeral(part.operand, scope):
            plain = part.operand if scope.context.converts else Call(TO_NUMBER, (part.operand,))
            new = (*parts[:i], plain, *parts[i + 1 :])
            return assuming(Call(expression.name, new), frozenset((Assumption.FOREIGN_KEY,)))
    return None


def _is_numeral(operand: Expression, scope: Scope) -> bool:
    match operand:
        case Ref():
            return scope.row[operand.index].numerals
        case Outer() if operand.level <= len(scope.outer):
            return scope.outer[operand.level - 1][operand.index].numerals
        case _:
            return False
