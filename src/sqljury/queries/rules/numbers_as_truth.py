"""Numbers as conditions, in SQLite and MySQL: ``WHERE x`` is ``WHERE x <> 0``."""

from __future__ import annotations

from sqljury.queries.rules.base import ConditionRule, ExpressionRule, Scope, Simplified
from sqljury.queries.rules.forms import (
    NUMBERS,
    assuming,
    integer,
    is_logical,
    truth_is_a_number,
    truth_of,
    typed,
)
from sqljury.queries.trees.nodes import Call, Expression, Literal, Type

_NUMERIC = (*NUMBERS, Type.BOOLEAN)


def constant_condition(expression: Expression, scope: Scope) -> Expression | None:
    """``WHERE 1`` is ``WHERE TRUE``."""
    known = truth_of(expression, scope)
    return None if known is None or known == expression else known


def number_as_condition(expression: Expression, scope: Scope) -> Simplified | None:
    """A text is true by the number that it begins with, so it has to be a number."""
    return _compared("<>", expression, scope)


def negated_number(expression: Expression, scope: Scope) -> Simplified | None:
    """``NOT x`` is ``x = 0``."""
    assert isinstance(expression, Call)
    return _compared("=", expression.operands[0], scope)


def _compared(operator: str, value: Expression, scope: Scope) -> Simplified | None:
    if not truth_is_a_number(scope) or isinstance(value, Literal) or is_logical(value, scope):
        return None
    assumed = typed(value, _NUMERIC, scope)
    if assumed is None:
        return None
    return assuming(Call(operator, (value, integer(0))), assumed)


_VALUES = frozenset(
    ("Ref", "Outer", "Cast", "+", "-", "*", "/", "%", "NEG", "ABS", "LENGTH", "INSTR", "COALESCE")
)
RULE = ExpressionRule("negated_number", negated_number, frozenset({"NOT"}))
CONDITION_RULES = (
    ConditionRule("constant_condition", constant_condition, frozenset({"Literal"})),
    ConditionRule("number_as_condition", number_as_condition, _VALUES),
)
