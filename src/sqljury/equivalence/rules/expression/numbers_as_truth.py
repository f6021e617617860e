"""Numbers as conditions, in SQLite and MySQL: ``WHERE x`` is ``WHERE x <> 0``."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import (
    NUMBERS,
    assuming,
    integer,
    is_logical,
    truth_is_a_number,
    truth_of,
    typed,
)
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, Simplified, rule
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import Call, Expression, Literal, Type

_NUMERIC = (*NUMBERS, Type.BOOLEAN)


_VALUES = frozenset(
    ("Ref", "Outer", "Cast", "+", "-", "*", "/", "%", "NEG", "ABS", "LENGTH", "INSTR", "COALESCE")
)


@rule(CONDITION, at={"Literal"}, order=20)
def constant_condition(expression: Expression, scope: Scope) -> Expression | None:
    """``WHERE 1`` → ``WHERE TRUE``."""
    known = truth_of(expression, scope)
    return None if known is None or known == expression else known


@rule(CONDITION, at=_VALUES, assumes={Assumption.TYPES}, order=30)
def number_as_condition(expression: Expression, scope: Scope) -> Simplified | None:
    """``WHERE x`` → ``WHERE x <> 0`` where x is a number, in SQLite and MySQL.

    A text is true by the number that it begins with. Assumes types in SQLite, which keeps any
    value in any column.
    """
    return _compared("<>", expression, scope)


@rule(EXPRESSION, at={"NOT"}, assumes={Assumption.TYPES}, order=490)
def negated_number(expression: Expression, scope: Scope) -> Simplified | None:
    """``NOT x`` → ``x = 0`` where x is a number, in SQLite and MySQL.

    Assumes types in SQLite, which keeps any value in any column.
    """
    assert isinstance(expression, Call)
    return _compared("=", expression.operands[0], scope)


def _compared(operator: str, value: Expression, scope: Scope) -> Simplified | None:
    if not truth_is_a_number(scope) or isinstance(value, Literal) or is_logical(value, scope):
        return None
    assumed = typed(value, _NUMERIC, scope)
    if assumed is None:
        return None
    return assuming(Call(operator, (value, integer(0))), assumed)
