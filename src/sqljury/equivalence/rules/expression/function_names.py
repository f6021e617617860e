"""Functions that have several names, or arguments that change nothing."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import NUMBERS, is_sqlite, kind, text
from sqljury.equivalence.rules.base import EXPRESSION, Scope, rule
from sqljury.trees.nodes import Call, Expression, Literal, Type

_EVERYWHERE = {
    "SUBSTRING": "SUBSTR",
    "CEILING": "CEIL",
    "POW": "POWER",
    "UCASE": "UPPER",
    "LCASE": "LOWER",
    "CHARACTER_LENGTH": "CHAR_LENGTH",
}
_BY_DIALECT = {
    "duckdb": {"LEN": "LENGTH", "CHAR_LENGTH": "LENGTH", "CHARACTER_LENGTH": "LENGTH"},
    "postgres": {"CHAR_LENGTH": "LENGTH", "CHARACTER_LENGTH": "LENGTH"},
    "mysql": {"SUBSTR": "SUBSTR", "MID": "SUBSTR"},
    "sqlite": {"PRINTF": "FORMAT"},
}
_FORMATS = {
    "%Y-%m-%d": "DATE",
    "%H:%M:%S": "TIME",
    "%Y-%m-%d %H:%M:%S": "DATETIME",
}
"""Source: https://www.sqlite.org/lang_datefunc.html, section 1."""


_ALL_NAMES = frozenset(_EVERYWHERE).union(*_BY_DIALECT.values())


@rule(EXPRESSION, at=_ALL_NAMES, order=220)
def function_name(expression: Expression, scope: Scope) -> Expression | None:
    """``SUBSTRING(x, 1, 2)`` → ``SUBSTR(x, 1, 2)``."""
    assert isinstance(expression, Call)
    own = _BY_DIALECT.get(scope.context.dialect, {})
    name = own.get(expression.name) or _EVERYWHERE.get(expression.name, expression.name)
    return None if name == expression.name else Call(name, expression.operands)


@rule(EXPRESSION, at={"ROUND"}, order=230)
def rounded_to_none(expression: Expression, scope: Scope) -> Expression | None:
    """``ROUND(x, 0)`` → ``ROUND(x)``."""
    match expression:
        case Call(name="ROUND", operands=(value, Literal(value=0, type=Type.INTEGER))):
            fine = is_sqlite(scope) or kind(value, scope) in NUMBERS
            return Call("ROUND", (value,)) if fine else None
        case _:
            return None


@rule(EXPRESSION, at={"STRFTIME"}, order=240)
def formatted_date(expression: Expression, scope: Scope) -> Expression | None:
    """``STRFTIME('%Y-%m-%d', d)`` → ``DATE(d)``, in SQLite."""
    assert isinstance(expression, Call)
    if not is_sqlite(scope) or len(expression.operands) < 2:
        return None
    format_, *rest = expression.operands
    name = _FORMATS.get(text(format_) or "")
    return Call(name, tuple(rest)) if name else None
