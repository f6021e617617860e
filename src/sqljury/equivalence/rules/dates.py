"""Rules for dates and timestamps of dialects with such types, which SQLite has not."""

from __future__ import annotations

import re
from datetime import date, timedelta

from sqljury.equivalence.blocks.forms import NOTHING, ONLY_TYPES, Assumed, kind, number, text
from sqljury.equivalence.rules.base import EXPRESSION, Scope, Simplified, rule
from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.conditions import disjunction
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import NULL, Call, Cast, Expression, Literal, Type
from sqljury.trees.volatile import is_volatile

_DIALECTS = frozenset(("postgres", "mysql", "duckdb"))
_DATES = (Type.DATE, Type.TIMESTAMP)
_MOMENT = re.compile(r"([1-9]\d{3}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d))?")
_MIDNIGHT = "00:00:00"

# ---------------------------------------------------------------- constants
# A date is written as its text, and midnight as the date.


@rule(EXPRESSION, at=COMPARISONS | {"IN"})
def date_constant(expression: Call, scope: Scope) -> Expression | None:
    """``d >= DATE '2020-01-01'`` → ``d >= '2020-01-01'``; ``t < '2020-01-01 00:00:00'`` → ``t <
    '2020-01-01'``, where d is a date and t a timestamp."""
    value, *constants = expression.operands
    if scope.context.dialect not in _DIALECTS or not all(map(_moment, constants)):
        return None
    type_ = kind(value, scope)
    if isinstance(value, Literal) or type_ not in _DATES:
        return None
    new = tuple(_plain(constant, type_) for constant in constants)
    return None if list(new) == constants else Call(expression.name, (value, *new))


def _moment(constant: Expression) -> tuple[str, str] | None:
    """The day and the time (empty for none) of a constant date or timestamp; else None."""
    match constant:
        case Literal(value=str() as written, type=Type.TEXT):
            pass
        case Cast(
            operand=Literal(value=str() as written, type=Type.TEXT),
            type_name="DATE" | "TIMESTAMP" | "DATETIME" as name,
        ) if name != "DATE" or len(written) == len("2020-01-01"):
            pass
        case _:
            return None
    found = _MOMENT.fullmatch(written)
    if found is None:
        return None
    try:
        date.fromisoformat(found[1])
    except ValueError:
        return None
    return found[1], found[2] or ""


def _plain(constant: Expression, type_: Type) -> Expression:
    found = _moment(constant)
    assert found is not None
    day, time = found
    is_text = isinstance(constant, Literal)
    if type_ is Type.DATE and time and (is_text or time != _MIDNIGHT):
        return constant  # a date takes the day of a text with a time, or fails
    return Literal(day if time in ("", _MIDNIGHT) else f"{day} {time}", Type.TEXT)


# ---------------------------------------------------------------- periods
# The year, month or day of a date as a range of dates.
#
# Each is the beginning of the date's text: its first four, seven or ten characters.


_PARTS = {"YEAR": 4, "MONTH": 7, "DAY": 10}
_FORMATS = {
    "mysql": ("DATE_FORMAT", {"%Y": 4, "%Y-%m": 7, "%Y-%m-%d": 10}),
    "duckdb": ("STRFTIME", {"%Y": 4, "%Y-%m": 7, "%Y-%m-%d": 10}),
    "postgres": ("TO_CHAR", {"YYYY": 4, "YYYY-MM": 7, "YYYY-MM-DD": 10}),
}


_OF_TEXTS = " mysql"
"""What follows a comparison's name where it is by MySQL's collation, which digits do not need."""


@rule(
    EXPRESSION,
    at={"IN", *COMPARISONS, *(name + _OF_TEXTS for name in COMPARISONS)},
    assumes={Assumption.TYPES},
)
def period_to_range(expression: Call, scope: Scope) -> Simplified | None:
    """``YEAR(d) = 2020`` → ``d >= '2020-01-01' AND d < '2021-01-01'``, where d is a date or a
    timestamp; so for ``CAST(t AS DATE)``, ``DATE_TRUNC``, and a date written as year and month.

    Assumes types where the engine admits dates that are no day: 2020-00-00, infinity.
    """
    value, *constants = expression.operands
    found = _period(value, scope) if scope.context.dialect in _DIALECTS else None
    if found is None:
        return None
    x, length, assumed = found
    if kind(x, scope) not in _DATES or is_volatile(x) or not assumed <= scope.context.assuming:
        return None
    periods = [_start(constant, length, value) for constant in constants]
    if not all(periods):
        return None
    name = expression.name.removesuffix(_OF_TEXTS)
    name = "=" if name == "IN" else name
    ranges = [_range(name, x, start, length) for start in periods if start]
    return Simplified(disjunction(ranges), assumed)


def _period(value: Expression, scope: Scope) -> tuple[Expression, int, Assumed] | None:
    """The date of which a value is the beginning, how many characters, and the assumptions."""
    dialect = scope.context.dialect
    everywhere = NOTHING if dialect == "postgres" else ONLY_TYPES
    written, lengths = _FORMATS[dialect]
    match value:
        case Cast(operand=x, type_name="DATE") | Call(name="DATE", operands=(x,)):
            is_day = kind(x, scope) is Type.TIMESTAMP
            return (x, 10, ONLY_TYPES if dialect == "mysql" else NOTHING) if is_day else None
        case Call(name="YEAR", operands=(x,)):
            return x, 4, everywhere
        case Call(name="EXTRACT" | "DATE_PART", operands=(Literal(value=str() as part), x)):
            return (x, 4, everywhere) if part.upper() == "YEAR" else None
        case Call(name="DATE_TRUNC", operands=(Literal(value=str() as part), x)):
            # PostgreSQL truncates a date as a timestamp of the session's time zone.
            plain = kind(x, scope) is Type.TIMESTAMP and part.upper() in _PARTS
            return (x, _PARTS[part.upper()], everywhere) if plain else None
        case Call(name=name, operands=(x, Literal(value=str() as form))) if name == written:
            return (x, lengths[form], ONLY_TYPES) if form in lengths else None
        case Call(name=name, operands=(Literal(value=str() as form), x)) if name == written:
            return (x, lengths[form], ONLY_TYPES) if form in lengths else None
    return None


def _start(constant: Expression, length: int, value: Expression) -> str | None:
    """The first day of the period that a constant means; None if it is not a whole period."""
    if isinstance(value, Call) and value.name in ("YEAR", "EXTRACT", "DATE_PART"):
        year = number(constant)
        return f"{year}-01-01" if isinstance(year, int) and 1000 <= year < 9999 else None
    rest = "0000-01-01"[length:]
    if isinstance(value, Call) and value.name not in ("DATE", "DATE_TRUNC"):
        written = text(constant) or ""
        constant = Literal(written + rest, Type.TEXT) if len(written) == length else NULL
    found = _moment(constant)
    if found is None or found[1] not in ("", _MIDNIGHT) or found[0] >= "9999":
        return None
    return found[0] if found[0].endswith(rest) else None


def _range(name: str, x: Expression, start: str, length: int) -> Expression:
    day = date.fromisoformat(start)
    if length == 4:
        day = day.replace(year=day.year + 1)
    elif length == 7:
        day = (day + timedelta(days=31)).replace(day=1)
    else:
        day += timedelta(days=1)
    first, after = (Literal(each, Type.TEXT) for each in (start, day.isoformat()))
    match name:
        case "=":
            return Call("AND", (Call(">=", (x, first)), Call("<", (x, after))))
        case "<>":
            return Call("OR", (Call("<", (x, first)), Call(">=", (x, after))))
        case "<" | ">=":
            return Call(name, (x, first))
        case _:
            return Call("<" if name == "<=" else ">=", (x, after))
