"""Rules for operators with constant operands."""

from __future__ import annotations

import math
from collections.abc import Callable

from sqljury.equivalence.blocks.forms import (
    MAX_INTEGER,
    is_null,
    is_sqlite,
    may_be_null,
    number,
    surely_different,
    text,
    truth,
)
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.nodes import FALSE, NULL, TRUE, Call, Expression, Literal, Type
from sqljury.trees.order import sort_key

# ---------------------------------------------------------------- fold constants
# Operators on constants are computed if every engine of the dialect gives the same value.
#
# Not computed: overflow, division by zero where it is an error, floats outside SQLite (where they
# are decimals), and the text form of a float.


Number = int | float
_DIVIDES_INTEGERS = frozenset(("sqlite", "postgres", "tsql", "redshift"))
_BINARY_ORDER = frozenset(("sqlite", "duckdb"))
_FOLDED_TEXT: dict[str, Callable[[str], str]] = {"LOWER": str.lower, "UPPER": str.upper}


def compare(operator: str, left: Number | None, right: Number | None) -> bool | None:
    """The result of a comparison of two numbers; None if one is None.

    An integer and a float are compared exactly, as in SQLite.
    """
    if left is None or right is None:
        return None
    return _holds(operator, (left > right) - (left < right))


def _holds(operator: str, sign: int) -> bool:
    match operator:
        case "=" | "IS":
            return sign == 0
        case "<>":
            return sign != 0
        case "<":
            return sign < 0
        case "<=":
            return sign <= 0
        case ">":
            return sign > 0
        case _:
            return sign >= 0


@rule(EXPRESSION, at=COMPARISONS | {"IS"})
def fold_comparison(expression: Call, scope: Scope) -> Expression | None:
    """``1 = 2`` → FALSE."""
    if len(expression.operands) != 2:
        return None
    left, right = expression.operands
    if not isinstance(left, Literal) or not isinstance(right, Literal):
        return None
    known = compare(expression.name, number(left), number(right))
    if known is None:
        known = _of_texts(expression.name, text(left), text(right), scope)
    return None if known is None else truth(known)


def _of_texts(operator: str, left: str | None, right: str | None, scope: Scope) -> bool | None:
    if left is None or right is None:
        return None
    if left == right:
        return _holds(operator, 0)
    if scope.context.dialect in _BINARY_ORDER:
        one, other = left.encode("utf-8", "replace"), right.encode("utf-8", "replace")
        return _holds(operator, (one > other) - (one < other))
    if operator in ("=", "<>", "IS") and surely_different(left, right):
        return operator == "<>"
    return None


@rule(EXPRESSION, at={"+", "-", "*", "/", "%", "NEG"})
def fold_arithmetic(expression: Call, scope: Scope) -> Expression | None:
    """``7 / 2`` → 3 where the division of integers has no fraction."""
    numbers = [number(operand) for operand in expression.operands]
    if len(numbers) == 1 and expression.name == "NEG":
        numbers = [0, *numbers]
    if len(numbers) != 2:
        return None
    left, right = numbers
    if left is None or right is None:
        return None
    if isinstance(left, int) and isinstance(right, int):
        return _of_integers(expression.name, left, right, scope)
    return _of_floats(expression.name, left, right) if is_sqlite(scope) else None


def _of_integers(operator: str, left: int, right: int, scope: Scope) -> Expression | None:
    if operator in ("/", "%"):
        if right == 0:
            return NULL if is_sqlite(scope) else None
        if operator == "/" and scope.context.dialect not in _DIVIDES_INTEGERS:
            return None
        quotient = abs(left) // abs(right)
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        found = quotient if operator == "/" else left - right * quotient
    else:
        found = _sum_or_product(operator, left, right)
    return Literal(found, Type.INTEGER) if abs(found) <= MAX_INTEGER else None


def _sum_or_product(operator: str, left: int, right: int) -> int:
    if operator == "*":
        return left * right
    return left + right if operator == "+" else left - right


def _of_floats(operator: str, left: Number, right: Number) -> Expression | None:
    one, other = float(left), float(right)
    if operator == "NEG":
        found = -other
    elif operator == "/":
        if other == 0:
            return NULL
        found = one / other
    elif operator == "*":
        found = one * other
    elif operator == "%":
        return None
    else:
        found = one + other if operator == "+" else one - other
    return Literal(found, Type.REAL) if math.isfinite(found) else None


@rule(EXPRESSION, at={"||", *_FOLDED_TEXT})
def fold_texts(expression: Call, scope: Scope) -> Expression | None:
    """``'a' || 'b'`` → ``'ab'``; ``LOWER('A')`` → ``'a'``, of ASCII letters."""
    texts = [text(operand) for operand in expression.operands]
    if expression.name == "||":
        if scope.context.dialect == "mysql" or len(texts) != 2:
            return None
        left, right = texts
        return None if left is None or right is None else Literal(left + right, Type.TEXT)
    if len(texts) != 1 or texts[0] is None or not texts[0].isascii():
        return None
    return Literal(_FOLDED_TEXT[expression.name](texts[0]), Type.TEXT)


# ---------------------------------------------------------------- commutative operands
# The operands of sums and products in a fixed order.


_JOINS_TEXTS = frozenset(("tsql", "fabric"))
"""Dialects in which ``+`` concatenates texts."""


@rule(EXPRESSION, at={"+", "*"})
def commutative_operands(expression: Call, scope: Scope) -> Expression | None:
    """``2 * x`` → ``x * 2``.

    Exact for integers and floats. More than two operands are not reordered: that could change the
    rounding of floats.
    """
    if len(expression.operands) != 2:
        return None
    left, right = expression.operands
    if expression.name == "+" and scope.context.dialect in _JOINS_TEXTS:
        return None
    if sort_key(left) <= sort_key(right):
        return None
    return Call(expression.name, (right, left))


# ---------------------------------------------------------------- null operands
# Expressions that are NULL because an operand is NULL, and tests of expressions that never are.


_STRICT = COMPARISONS | {"+", "-", "*", "/", "%", "NEG", "LIKE", "GLOB"}


@rule(EXPRESSION, at=_STRICT)
def null_operand(expression: Call, _: Scope) -> Expression | None:
    """``x = NULL`` and ``x + NULL`` → NULL."""
    return NULL if any(map(is_null, expression.operands)) else None


@rule(EXPRESSION, at={"IS NULL"})
def null_test(expression: Call, scope: Scope) -> Expression | None:
    """``x IS NULL`` → FALSE where x is never NULL; ``COALESCE(x, y) IS NULL`` → ``x IS NULL AND
    y IS NULL``."""
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


@rule(CONDITION, at={"Literal"})
def null_condition(expression: Expression, _: Scope) -> Expression | None:
    """``WHERE NULL`` → ``WHERE FALSE``."""
    return FALSE if is_null(expression) else None
