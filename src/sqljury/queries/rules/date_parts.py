"""Parts of dates in SQLite: as texts of fixed width, which order as the numbers do."""

from __future__ import annotations

from sqljury.queries.rules.base import ExpressionRule, Scope
from sqljury.queries.rules.forms import COMPARISONS, is_sqlite, number, text
from sqljury.queries.trees.nodes import Call, Cast, Expression, Literal, Type

_WIDTHS = {"%Y": 4, "%m": 2, "%d": 2, "%H": 2, "%M": 2, "%S": 2, "%j": 3}


def date_part_as_text(expression: Expression, scope: Scope) -> Expression | None:
    """``CAST(STRFTIME('%m', d) AS INTEGER) = 5`` is ``STRFTIME('%m', d) = '05'``.

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


RULE = ExpressionRule("date_part_as_text", date_part_as_text, COMPARISONS | {"IN"})
