"""Rules for functions: their names, parts of dates, patterns, sort keys of collations."""

from __future__ import annotations

import re

from sqljury.equivalence.blocks.forms import (
    NUMBERS,
    assuming,
    is_sqlite,
    kind,
    number,
    text,
    typed,
)
from sqljury.equivalence.rules.base import EXPRESSION, Scope, Simplified, rule
from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.collations import BY_VALUE, SHOWN
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import Call, Cast, Expression, Literal, Type

# ---------------------------------------------------------------- function names
# Functions that have several names, or arguments that change nothing.


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


@rule(EXPRESSION, at=_ALL_NAMES)
def function_name(expression: Call, scope: Scope) -> Expression | None:
    """``SUBSTRING(x, 1, 2)`` → ``SUBSTR(x, 1, 2)``."""
    own = _BY_DIALECT.get(scope.context.dialect, {})
    name = own.get(expression.name) or _EVERYWHERE.get(expression.name, expression.name)
    return None if name == expression.name else Call(name, expression.operands)


@rule(EXPRESSION, at={"ROUND"})
def rounded_to_none(expression: Call, scope: Scope) -> Expression | None:
    """``ROUND(x, 0)`` → ``ROUND(x)``."""
    match expression:
        case Call(name="ROUND", operands=(value, Literal(value=0, type=Type.INTEGER))):
            fine = is_sqlite(scope) or kind(value, scope) in NUMBERS
            return Call("ROUND", (value,)) if fine else None
        case _:
            return None


@rule(EXPRESSION, at={"STRFTIME"})
def formatted_date(expression: Call, scope: Scope) -> Expression | None:
    """``STRFTIME('%Y-%m-%d', d)`` → ``DATE(d)``, in SQLite."""
    if not is_sqlite(scope) or len(expression.operands) < 2:
        return None
    format_, *rest = expression.operands
    name = _FORMATS.get(text(format_) or "")
    return Call(name, tuple(rest)) if name else None


# ---------------------------------------------------------------- date parts
# Dates in SQLite: parts of dates as texts of fixed width, which sort as numbers do; current date.
#
# Source: https://www.sqlite.org/lang_datefunc.html


_WIDTHS = {"%Y": 4, "%m": 2, "%d": 2, "%H": 2, "%M": 2, "%S": 2, "%j": 3}


_NOW = {"CURRENT_DATE": "DATE", "CURRENT_TIME": "TIME", "CURRENT_TIMESTAMP": "DATETIME"}


@rule(EXPRESSION, at=COMPARISONS | {"IN"})
def date_part_as_text(expression: Call, scope: Scope) -> Expression | None:
    """``CAST(STRFTIME('%m', d) AS INTEGER) = 5`` → ``STRFTIME('%m', d) = '05'``.

    Years before 0 begin with a minus, which sorts before digits.
    """
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


@rule(EXPRESSION, at={"+", "-", "*", "/", "%"})
def date_part_in_arithmetic(expression: Call, scope: Scope) -> Expression | None:
    """``CAST(STRFTIME('%m', d) AS INTEGER) + 1`` → ``STRFTIME('%m', d) + 1``: arithmetic
    converts the text to that number."""
    if not is_sqlite(scope):
        return None
    new = tuple(
        o.operand
        if isinstance(o, Cast) and o.type_name == "INTEGER" and _width(o.operand) is not None
        else o
        for o in expression.operands
    )
    return None if new == expression.operands else Call(expression.name, new)


@rule(EXPRESSION, at=_NOW)
def now(expression: Call, scope: Scope) -> Expression | None:
    """``CURRENT_DATE`` → ``DATE('now')``, in SQLite."""
    if not is_sqlite(scope) or expression.operands:
        return None
    return Call(_NOW[expression.name], (Literal("now", Type.TEXT),))


@rule(EXPRESSION, at={"STRFTIME"}, assumes={Assumption.TYPES})
def part_of_whole(expression: Call, scope: Scope) -> Simplified | None:
    """``STRFTIME('%Y', DATE(d))`` → ``STRFTIME('%Y', d)`` where d is a date.

    Not where d may be a number: ``DATE`` writes early dates as texts that are read as other dates.
    Assumes types in SQLite, which does not enforce declared types.
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


_DATES = (Type.DATE, Type.TIMESTAMP, Type.INSTANT)
_OF_A_DAY = frozenset(("%Y", "%m", "%d", "%j", "%w", "%Y-%m", "%Y%m", "%m-%d", "%m%d"))
_OF_A_SECOND = _OF_A_DAY | {"%H", "%M", "%S", "%H:%M"}


# ---------------------------------------------------------------- like patterns
# LIKE and GLOB: patterns in one spelling, and patterns that are a plain comparison.
#
# SQLite's LIKE ignores the case of ASCII letters only, and converts every value to text.


_ANY = {"LIKE": "%", "GLOB": "*"}
_WILD = {"LIKE": re.compile(r"[%_]"), "GLOB": re.compile(r"[*?\[]")}
_KNOWN = frozenset(("sqlite", "duckdb"))
"""Dialects in which a pattern has no escape character unless ESCAPE names one."""
_WRITABLE = (*NUMBERS, Type.TEXT, Type.BOOLEAN, Type.DATE, Type.TIME, Type.TIMESTAMP, Type.INSTANT)
_ASCII_LETTER = re.compile(r"[A-Za-z]")


def _read(expression: Call, scope: Scope) -> tuple[Expression, str] | None:
    """The value and the constant pattern of LIKE or GLOB; None if the rules do not apply."""
    if len(expression.operands) != 2 or scope.context.dialect not in _KNOWN:
        return None
    value, pattern = expression.operands
    written = text(pattern)
    if written is None or isinstance(value, Literal) or "\0" in written:
        return None
    return value, written


@rule(EXPRESSION, at=_ANY)
def tidy_pattern(expression: Call, scope: Scope) -> Expression | None:
    """``LIKE '%%a'`` → ``LIKE '%a'``; in SQLite ``LIKE 'A%'`` → ``LIKE 'a%'``."""
    read = _read(expression, scope)
    if read is None:
        return None
    value, pattern = read
    any_ = _ANY[expression.name]
    new = re.sub(f"{re.escape(any_)}+", any_, pattern) if "[" not in pattern else pattern
    if is_sqlite(scope) and expression.name == "LIKE":
        new = _ASCII_LETTER.sub(lambda found: found[0].lower(), new)
    return None if new == pattern else Call(expression.name, (value, Literal(new, Type.TEXT)))


@rule(EXPRESSION, at={"LIKE"}, assumes={Assumption.TYPES})
def like_of_lower(expression: Call, scope: Scope) -> Simplified | None:
    """``LOWER(x) LIKE 'a%'`` → ``x LIKE 'a%'``, in SQLite.

    Assumes types in SQLite, which does not enforce declared types.
    """
    value, *pattern = expression.operands
    if not is_sqlite(scope) or not isinstance(value, Call) or value.name not in ("LOWER", "UPPER"):
        return None
    assumed = _not_blob(value.operands[0], scope)
    if assumed is None:
        return None
    return assuming(Call(expression.name, (value.operands[0], *pattern)), assumed)


def _not_blob(value: Expression, scope: Scope) -> frozenset[Assumption] | None:
    """The assumptions under which a value is no BLOB; None if it may be one.

    SQLite can be compiled so that LIKE never matches a BLOB.
    """
    return typed(value, _WRITABLE, scope)


@rule(EXPRESSION, at=_ANY, assumes={Assumption.TYPES})
def plain_pattern(expression: Call, scope: Scope) -> Expression | Simplified | None:
    """``x LIKE 'ab'`` → ``x = 'ab'``, or ``LOWER(x) = 'ab'`` in SQLite if the pattern has
    letters.

    Assumes types in SQLite, which does not enforce declared types.
    """
    read = _read(expression, scope)
    if read is None or _WILD[expression.name].search(read[1]):
        return None
    value, pattern = read
    if is_sqlite(scope) and expression.name == "LIKE" and _ASCII_LETTER.search(pattern):
        found = Call("=", (Call("LOWER", (value,)), Literal(pattern.lower(), Type.TEXT)))
        assumed = _not_blob(value, scope)
    else:
        found = Call("=", (value, Literal(pattern, Type.TEXT)))
        assumed = typed(value, (Type.TEXT,), scope)
    return None if assumed is None else assuming(found, assumed)


@rule(EXPRESSION, at={"="}, assumes={Assumption.TYPES})
def prefix(expression: Call, scope: Scope) -> Expression | Simplified | None:
    """``SUBSTR(x, 1, 4) = '2010'`` → ``x LIKE '2010%'`` where there is no letter in it.

    Assumes types in SQLite, which does not enforce declared types.
    """
    match expression:
        case Call(
            operands=(
                Call(
                    name="SUBSTR",
                    operands=(
                        value,
                        Literal(value=1, type=Type.INTEGER),
                        Literal(value=int() as length, type=Type.INTEGER),
                    ),
                ),
                Literal(value=str() as start, type=Type.TEXT),
            )
        ) if len(start) == length and length > 0:
            pass
        case _:
            return None
    plain = not _WILD["LIKE"].search(start) and start.isascii() and "\0" not in start
    if not plain or not _prefix_is_pattern(start, scope):
        return None
    assumed = typed(value, (Type.TEXT,), scope)
    if assumed is None:
        return None
    return assuming(Call("LIKE", (value, Literal(f"{start}%", Type.TEXT))), assumed)


def _prefix_is_pattern(start: str, scope: Scope) -> bool:
    return scope.context.dialect == "duckdb" or (
        is_sqlite(scope) and not _ASCII_LETTER.search(start)
    )


@rule(EXPRESSION, at={"=", "<>"})
def folded_case(expression: Call, scope: Scope) -> Expression | None:
    """``UPPER(x) = 'ABC'`` → ``LOWER(x) = 'abc'``, in SQLite, which folds ASCII letters only."""
    match expression:
        case Call(
            name="=" | "<>",
            operands=(
                Call(name="UPPER", operands=(value,)),
                Literal(value=str() as written, type=Type.TEXT),
            ),
        ) if is_sqlite(scope) and not re.search("[a-z]", written):
            lower = _ASCII_LETTER.sub(lambda found: found[0].lower(), written)
            return Call(expression.name, (Call("LOWER", (value,)), Literal(lower, Type.TEXT)))
        case _:
            return None


# ---------------------------------------------------------------- key of shown
# SHOWN is any of the values with the same sort key; its sort key is that key.


@rule(EXPRESSION, at={"COLLATED", BY_VALUE}, needs={SHOWN})
def key_of_shown(expression: Expression, _: Scope) -> Expression | None:
    """``COLLATED(SHOWN(COLLATED(x, c)), c)`` → ``COLLATED(x, c)``: a value shown for a sort key has
    that sort key."""
    match expression:
        case Call(
            name=name,
            operands=(Call(name="SHOWN", operands=(Call() as key, _)), *collation),
        ) if key.name == name and list(key.operands[1:]) == collation:
            return key
    return None
