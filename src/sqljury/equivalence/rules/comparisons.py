"""Rules for comparisons: direction, types of constants, comparisons with truth values."""

from __future__ import annotations

import re

from sqljury.equivalence.blocks.forms import (
    EXACT,
    NUMBERS,
    affinity,
    assuming,
    integer,
    is_logical,
    is_null,
    is_sqlite,
    kind,
    may_be_null,
    number,
    text,
    truth,
    truth_is_a_number,
    truth_of,
    typed,
)
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, Simplified, rule
from sqljury.equivalence.rules.constants import compare
from sqljury.sql.comparisons import COMPARISONS, MIRRORED
from sqljury.trees.affinity import NUMERIC_AFFINITIES, SHORT_FLOAT, numeral
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import FALSE, TRUE, Call, Expression, Literal, Type
from sqljury.trees.order import sort_key

# ---------------------------------------------------------------- comparison direction
# One form of each comparison: constants on the right, else the operand with the smaller sort key
# on the left.


@rule(EXPRESSION, at={*MIRRORED, "IS"})
def comparison_direction(expression: Call, _: Scope) -> Expression | None:
    """``3 < x`` → ``x > 3``."""
    if len(expression.operands) != 2:
        return None
    left, right = expression.operands
    if isinstance(right, Literal) and not isinstance(left, Literal):
        return None
    if sort_key(left) <= sort_key(right):
        return None
    return Call(MIRRORED.get(expression.name, expression.name), (right, left))


# ---------------------------------------------------------------- boolean tests
# Comparisons of truth values with TRUE, FALSE, 1 and 0; IS, IS TRUE and IS FALSE.


_TESTS = {"IS TRUE": TRUE, "IS FALSE": FALSE}


@rule(EXPRESSION, at=COMPARISONS)
def compared_truth(expression: Call, scope: Scope) -> Expression | None:
    """``(x > 3) = TRUE`` → ``x > 3``; ``(x > 3) = 0`` → ``NOT x > 3``."""
    if len(expression.operands) != 2:
        return None
    condition, constant = expression.operands
    if isinstance(condition, Literal) or not isinstance(constant, Literal):
        return None
    if not is_logical(condition, scope) or number(_as_number(constant)) is None:
        return None
    if not isinstance(constant.value, bool) and truth_of(constant, scope) is None:
        return None
    outcomes = tuple(
        compare(expression.name, number(_as_number(value)), number(_as_number(constant)))
        for value in (FALSE, TRUE)
    )
    if outcomes == (False, True):
        return condition
    if outcomes == (True, False):
        return Call("NOT", (condition,))
    return None if may_be_null(condition, scope) else truth(outcomes[0])


def _as_number(constant: Literal) -> Literal:
    return integer(int(constant.value)) if isinstance(constant.value, bool) else constant


@rule(EXPRESSION, at=_TESTS)
def truth_test(expression: Call, scope: Scope) -> Expression | None:
    """``c IS TRUE`` → ``c`` where c is never NULL; ``c IS FALSE`` → ``NOT c``."""
    (condition,) = expression.operands
    known = truth_of(condition, scope)
    if known is not None:
        return truth(known == _TESTS[expression.name])
    if not is_logical(condition, scope) or may_be_null(condition, scope):
        return None
    return condition if expression.name == "IS TRUE" else Call("NOT", (condition,))


@rule(CONDITION, at=_TESTS, name="truth_test")
def truth_test_in_condition(expression: Call, _: Scope) -> Expression | None:
    """``WHERE c IS TRUE`` → ``WHERE c``: a condition that is NULL counts as FALSE."""
    (condition,) = expression.operands
    return condition if expression.name == "IS TRUE" else Call("NOT", (condition,))


@rule(EXPRESSION, at={"IS"})
def null_safe_equality(expression: Call, scope: Scope) -> Expression | None:
    """``x IS y`` → ``x = y`` where neither can be NULL."""
    left, right = expression.operands
    if is_null(right) or is_null(left):
        return Call("IS NULL", (left if is_null(right) else right,))
    if may_be_null(left, scope) or may_be_null(right, scope):
        return None
    return Call("=", expression.operands)


@rule(CONDITION, at={"IS"}, name="null_safe_equality")
def null_safe_equality_in_condition(expression: Call, scope: Scope) -> Expression | None:
    """``WHERE x IS y`` → ``WHERE x = y`` where one of them is never NULL."""
    if all(may_be_null(operand, scope) for operand in expression.operands):
        return None
    return Call("=", expression.operands)


# ---------------------------------------------------------------- numbers as truth
# Numbers as conditions, in SQLite and MySQL: ``WHERE x`` is ``WHERE x <> 0``.


_NUMERIC = (*NUMBERS, Type.BOOLEAN)


_VALUES = frozenset(
    ("Ref", "Outer", "Cast", "+", "-", "*", "/", "%", "NEG", "ABS", "LENGTH", "INSTR", "COALESCE")
)


@rule(CONDITION, at={"Literal"})
def constant_condition(expression: Expression, scope: Scope) -> Expression | None:
    """``WHERE 1`` → ``WHERE TRUE``."""
    known = truth_of(expression, scope)
    return None if known is None or known == expression else known


@rule(CONDITION, at=_VALUES, assumes={Assumption.TYPES})
def number_as_condition(expression: Expression, scope: Scope) -> Simplified | None:
    """``WHERE x`` → ``WHERE x <> 0`` where x is a number, in SQLite and MySQL.

    Not for texts: a text is true if the number that it begins with is not 0. Assumes types in
    SQLite, which does not enforce declared types.
    """
    return _compared("<>", expression, scope)


@rule(EXPRESSION, at={"NOT"}, assumes={Assumption.TYPES})
def negated_number(expression: Call, scope: Scope) -> Simplified | None:
    """``NOT x`` → ``x = 0`` where x is a number, in SQLite and MySQL.

    Assumes types in SQLite, which does not enforce declared types.
    """
    return _compared("=", expression.operands[0], scope)


def _compared(operator: str, value: Expression, scope: Scope) -> Simplified | None:
    if not truth_is_a_number(scope) or isinstance(value, Literal) or is_logical(value, scope):
        return None
    assumed = typed(value, _NUMERIC, scope)
    if assumed is None:
        return None
    return assuming(Call(operator, (value, integer(0))), assumed)


# ---------------------------------------------------------------- literal affinity
# Constants with the type that the comparison converts them to.
#
# SQLite converts a constant by the affinity of the column it is compared with: to an INTEGER column
# '13' is 13, to a TEXT column 13 is '13'. Other engines convert '13' to 13 if the other operand is
# an integer.
#
# Source: https://www.sqlite.org/datatype3.html, section 4.2.


_WHOLE = re.compile(r"-?[0-9]{1,15}")


@rule(EXPRESSION, at=COMPARISONS | {"IS", "IN"})
def literal_affinity(expression: Call, scope: Scope) -> Expression | None:
    """``week > '13'`` → ``week > 13`` where week is a number; the other way for a text."""
    value, *constants = expression.operands
    if isinstance(value, Literal) or not all(isinstance(c, Literal) for c in constants):
        return None
    convert = _as_in_sqlite if is_sqlite(scope) else _as_elsewhere
    new = tuple(convert(value, constant, scope) for constant in constants)
    if all(a is b for a, b in zip(new, constants, strict=True)):
        return None
    return Call(expression.name, (value, *new))


def _as_in_sqlite(value: Expression, constant: Expression, scope: Scope) -> Expression:
    of_value = affinity(value, scope)
    if not scope.context.converts:
        return _whole(constant)
    if of_value in NUMERIC_AFFINITIES:
        found = numeral(text(constant) or "")
        return _number(found) if found is not None else _whole(constant)
    if of_value == "TEXT":
        return _as_text(constant)
    return constant if of_value is None else _whole(constant)


def _as_elsewhere(value: Expression, constant: Expression, scope: Scope) -> Expression:
    type_ = kind(value, scope)
    if type_ not in NUMBERS:
        return constant
    written = text(constant)
    if written is not None:
        of_integer = type_ is Type.INTEGER and _WHOLE.fullmatch(written)
        return integer(int(written)) if of_integer else constant
    return _whole(constant)


def _number(value: int | float) -> Literal:
    return integer(value) if isinstance(value, int) else Literal(value, Type.REAL)


def _whole(constant: Expression) -> Expression:
    """A constant float without fraction as an integer: 3.0 as 3; other constants unchanged."""
    value = number(constant)
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return integer(int(value))
    return constant


def _as_text(constant: Expression) -> Expression:
    value = number(constant)
    if value is None:
        return constant
    written = str(value)
    if isinstance(value, int) or SHORT_FLOAT.fullmatch(written):
        return Literal(written, Type.TEXT)
    return constant
