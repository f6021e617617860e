"""Dates in SQLite: parts as texts of fixed width, which order as the numbers do; and now.

Source: https://www.sqlite.org/lang_datefunc.html
"""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import COMPARISONS, assuming, is_sqlite, number, text, typed
from sqljury.equivalence.rules.base import EXPRESSION, Scope, Simplified, rule
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import Call, Cast, Expression, Literal, Type

_WIDTHS = {"%Y": 4, "%m": 2, "%d": 2, "%H": 2, "%M": 2, "%S": 2, "%j": 3}


_NOW = {"CURRENT_DATE": "DATE", "CURRENT_TIME": "TIME", "CURRENT_TIMESTAMP": "DATETIME"}


@rule(EXPRESSION, at=COMPARISONS | {"IN"}, order=440)
def date_part_as_text(expression: Expression, scope: Scope) -> Expression | None:
    """``CAST(STRFTIME('%m', d) AS INTEGER) = 5`` → ``STRFTIME('%m', d) = '05'``.

    Years before 0 begin with a minus, which sorts before digits.
    """
    assert isinstance(expression, Call)
    value, *constants = expression.operands
    if not isinstance(value, Cast) or value.type_name != "INTEGER" or not is_sqlite(scope):
        return None
    part = value.operand
    width = _width(part)
    if width is None:
        return None
    written = [_written(constant, width) for constant in constants]
    if any(one is None for one in written):
        return None
    return Call(expression.name, (part, *(one for one in written if one is not None)))


def _width(part: Expression) -> int | None:
    if not isinstance(part, Call) or part.name != "STRFTIME" or len(part.operands) < 2:
        return None
    return _WIDTHS.get(text(part.operands[0]) or "")


def _written(constant: Expression, width: int) -> Literal | None:
    value = number(constant)
    if not isinstance(value, int) or not 0 <= value < 10**width:
        return None
    return Literal(str(value).zfill(width), Type.TEXT)


@rule(EXPRESSION, at={"+", "-", "*", "/", "%"}, order=450)
def date_part_in_arithmetic(expression: Expression, scope: Scope) -> Expression | None:
    """``CAST(STRFTIME('%m', d) AS INTEGER) + 1`` → ``STRFTIME('%m', d) + 1``: arithmetic reads
    a text as that number."""
    assert isinstance(expression, Call)
    if not is_sqlite(scope):
        return None
    new = tuple(
        o.operand
        if isinstance(o, Cast) and o.type_name == "INTEGER" and _width(o.operand) is not None
        else o
        for o in expression.operands
    )
    return None if new == expression.operands else Call(expression.name, new)


@rule(EXPRESSION, at=_NOW, order=460)
def now(expression: Expression, scope: Scope) -> Expression | None:
    """``CURRENT_DATE`` → ``DATE('now')``, in SQLite."""
    assert isinstance(expression, Call)
    if not is_sqlite(scope) or expression.operands:
        return None
    return Call(_NOW[expression.name], (Literal("now", Type.TEXT),))


@rule(EXPRESSION, at={"STRFTIME"}, assumes={Assumption.TYPES}, order=470)
def part_of_whole(expression: Expression, scope: Scope) -> Simplified | None:
    """``STRFTIME('%Y', DATE(d))`` → ``STRFTIME('%Y', d)`` where d is a date.

    Not of a number: those of long ago become texts that are read as other dates. Assumes types
    in SQLite, which keeps any value in any column.
    """
    match expression:
        case Call(
            operands=(Literal() as part, Call(name="DATE" | "DATETIME" as name, operands=(d,)))
        ):
            fine = _OF_A_DAY if name == "DATE" else _OF_A_SECOND
            assumed = frozenset() if text(d) == "now" else typed(d, _DATES, scope)
            if is_sqlite(scope) and text(part) in fine and assumed is not None:
                return assuming(Call(expression.name, (part, d)), assumed)
    return None


_DATES = (Type.DATE, Type.TIMESTAMP)
_OF_A_DAY = frozenset(("%Y", "%m", "%d", "%j", "%w", "%Y-%m", "%Y%m", "%m-%d", "%m%d"))
_OF_A_SECOND = _OF_A_DAY | {"%H", "%M", "%S", "%H:%M"}
