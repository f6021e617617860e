"""LIKE and GLOB: patterns in one spelling, and patterns that are a plain comparison.

SQLite's LIKE takes ASCII letters without case, other letters with it, and anything as text.
"""

from __future__ import annotations

import re

from sqljury.equivalence.blocks.forms import NUMBERS, assuming, is_sqlite, may_be_null, text, typed
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, Simplified, rule
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import TRUE, Call, Expression, Literal, Type

_ANY = {"LIKE": "%", "GLOB": "*"}
_WILD = {"LIKE": re.compile(r"[%_]"), "GLOB": re.compile(r"[*?\[]")}
_KNOWN = frozenset(("sqlite", "duckdb"))
"""Where a pattern without ESCAPE has no way to escape."""
_WRITABLE = (*NUMBERS, Type.TEXT, Type.BOOLEAN, Type.DATE, Type.TIME, Type.TIMESTAMP)
_ASCII_LETTER = re.compile(r"[A-Za-z]")


def _read(expression: Expression, scope: Scope) -> tuple[Expression, str] | None:
    """The value and the pattern."""
    assert isinstance(expression, Call)
    if len(expression.operands) != 2 or scope.context.dialect not in _KNOWN:
        return None
    value, pattern = expression.operands
    written = text(pattern)
    if written is None or isinstance(value, Literal) or "\0" in written:
        return None
    return value, written


@rule(EXPRESSION, at=_ANY, order=380)
def tidy_pattern(expression: Expression, scope: Scope) -> Expression | None:
    """``LIKE '%%a'`` → ``LIKE '%a'``; in SQLite ``LIKE 'A%'`` → ``LIKE 'a%'``."""
    read = _read(expression, scope)
    if read is None:
        return None
    assert isinstance(expression, Call)
    value, pattern = read
    any_ = _ANY[expression.name]
    new = re.sub(f"{re.escape(any_)}+", any_, pattern) if "[" not in pattern else pattern
    if is_sqlite(scope) and expression.name == "LIKE":
        new = _ASCII_LETTER.sub(lambda found: found[0].lower(), new)
    return None if new == pattern else Call(expression.name, (value, Literal(new, Type.TEXT)))


@rule(EXPRESSION, at={"LIKE"}, assumes={Assumption.TYPES}, order=390)
def like_of_lower(expression: Expression, scope: Scope) -> Simplified | None:
    """``LOWER(x) LIKE 'a%'`` → ``x LIKE 'a%'``, in SQLite.

    Assumes types in SQLite, which keeps any value in any column.
    """
    assert isinstance(expression, Call)
    value, *pattern = expression.operands
    if not is_sqlite(scope) or not isinstance(value, Call) or value.name not in ("LOWER", "UPPER"):
        return None
    assumed = _not_blob(value.operands[0], scope)
    if assumed is None:
        return None
    return assuming(Call(expression.name, (value.operands[0], *pattern)), assumed)


@rule(EXPRESSION, at=_ANY, assumes={Assumption.TYPES}, order=400)
def any_text(expression: Expression, scope: Scope) -> Simplified | None:
    """``x LIKE '%'`` → TRUE where x is never NULL.

    Assumes types in SQLite, which keeps any value in any column.
    """
    value = _value_like_anything(expression, scope)
    assumed = None if value is None else _not_blob(value, scope)
    if value is None or assumed is None or may_be_null(value, scope):
        return None
    return assuming(TRUE, assumed)


@rule(CONDITION, at=_ANY, assumes={Assumption.TYPES}, order=110, name="any_text")
def any_text_in_condition(expression: Expression, scope: Scope) -> Simplified | None:
    """``WHERE x LIKE '%'`` → ``WHERE x IS NOT NULL``.

    Assumes types in SQLite, which keeps any value in any column.
    """
    value = _value_like_anything(expression, scope)
    assumed = None if value is None else _not_blob(value, scope)
    if value is None or assumed is None:
        return None
    return assuming(Call("NOT", (Call("IS NULL", (value,)),)), assumed)


def _value_like_anything(expression: Expression, scope: Scope) -> Expression | None:
    read = _read(expression, scope)
    assert isinstance(expression, Call)
    return None if read is None or read[1] != _ANY[expression.name] else read[0]


def _not_blob(value: Expression, scope: Scope) -> frozenset[Assumption] | None:
    """What must be assumed for a value to be no BLOB: SQLite may be built so that none matches."""
    return typed(value, _WRITABLE, scope)


@rule(EXPRESSION, at=_ANY, assumes={Assumption.TYPES}, order=410)
def plain_pattern(expression: Expression, scope: Scope) -> Expression | Simplified | None:
    """``x LIKE 'ab'`` → ``x = 'ab'``, or ``LOWER(x) = 'ab'`` in SQLite, where there are
    letters.

    Assumes types in SQLite, which keeps any value in any column.
    """
    read = _read(expression, scope)
    assert isinstance(expression, Call)
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


@rule(EXPRESSION, at={"="}, assumes={Assumption.TYPES}, order=420)
def prefix(expression: Expression, scope: Scope) -> Expression | Simplified | None:
    """``SUBSTR(x, 1, 4) = '2010'`` → ``x LIKE '2010%'`` where there is no letter in it.

    Assumes types in SQLite, which keeps any value in any column.
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


@rule(EXPRESSION, at={"=", "<>"}, order=430)
def folded_case(expression: Expression, scope: Scope) -> Expression | None:
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
