"""Constants as the type that they are compared as.

SQLite converts a constant by the affinity of the column it is compared with: '13' beside an INTEGER
column is 13, and 13 beside a TEXT column is '13'. Other engines read '13' beside an integer as 13.

Source: https://www.sqlite.org/datatype3.html, section 4.2.
"""

from __future__ import annotations

import re

from sqljury.equivalence.blocks.forms import (
    COMPARISONS,
    EXACT,
    NUMBERS,
    affinity,
    integer,
    is_sqlite,
    kind,
    number,
    text,
)
from sqljury.equivalence.rules.base import EXPRESSION, Scope, rule
from sqljury.trees.affinity import NUMERIC_AFFINITIES, SHORT_FLOAT, numeral
from sqljury.trees.nodes import Call, Expression, Literal, Type

_WHOLE = re.compile(r"-?[0-9]{1,15}")


@rule(EXPRESSION, at=COMPARISONS | {"IS", "IN"}, order=370)
def literal_affinity(expression: Expression, scope: Scope) -> Expression | None:
    """``week > '13'`` → ``week > 13`` where week is a number; the other way for a text."""
    assert isinstance(expression, Call)
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
    """``3.0`` is compared as 3 is."""
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
