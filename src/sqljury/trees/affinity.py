"""SQLite's type affinities: how it converts values that are stored or compared.

Source: https://www.sqlite.org/datatype3.html, sections 3 and 4.2.
"""

from __future__ import annotations

import re
from typing import Final

from sqljury.trees.nodes import (
    Call,
    Cast,
    Expression,
    Field,
    Literal,
    Outer,
    Ref,
    Subquery,
    SubqueryKind,
    Type,
)

TO_NUMBER: Final = "TO NUMBER"
TO_TEXT: Final = "TO TEXT"
"""Names of the calls that make SQLite's conversion before a comparison explicit.

If the other operand has numeric affinity, a text that is a number becomes a number; if it has TEXT
affinity, a number becomes a text.
"""

NUMERIC_AFFINITIES = frozenset({"INTEGER", "REAL", "NUMERIC"})


def declared_affinity(type_name: str) -> str:
    """The affinity of a column with this declared type: INTEGER, TEXT, BLOB, REAL or NUMERIC.

    >>> declared_affinity("varchar(20)"), declared_affinity("STRING"), declared_affinity("")
    ('TEXT', 'NUMERIC', 'BLOB')
    """
    name = type_name.upper()
    if "INT" in name:
        return "INTEGER"
    if "CHAR" in name or "CLOB" in name or "TEXT" in name:
        return "TEXT"
    if "BLOB" in name or not name:
        return "BLOB"
    if "REAL" in name or "FLOA" in name or "DOUB" in name:
        return "REAL"
    return "NUMERIC"


def affinity(
    expression: Expression, row: tuple[Field, ...], outer: tuple[tuple[Field, ...], ...] = ()
) -> str | None:
    """The affinity that SQLite gives an operand; empty if it has none, None if unknown.

    Only a table's column and a CAST have one; a computed column of a subquery has none.
    """
    match expression:
        case Cast():
            return declared_affinity(expression.type_name)
        case Ref():
            return row[expression.index].affinity
        case Outer():
            known = len(outer) >= expression.level
            return outer[expression.level - 1][expression.index].affinity if known else None
        case Subquery(kind=SubqueryKind.SCALAR):
            # It is that of the query's first column, which this function cannot resolve.
            return None
        case Call(name="COLLATE" | "COLLATED"):
            return affinity(expression.operands[0], row, outer)
        case _:
            return ""


# ---------------------------------------------------------------- comparisons

_NUMERAL = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]{1,15})(\.[0-9]{0,15})?[ \t\n\v\f\r]*")
_ANY_NUMERAL = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")
SHORT_FLOAT = re.compile(r"-?(0|[1-9][0-9]{0,7})\.[0-9]{1,6}")
"""Fractions whose text is the same in SQLite and in Python."""
_NEVER_NUMERALS = frozenset(("DATE", "TIME", "DATETIME"))
_OF_TEXT = frozenset((Type.TEXT, Type.NULL))
_OF_NUMBERS = frozenset(Type) - {Type.TEXT, Type.BLOB, Type.ANY}
"""Types whose values are numbers or come from columns of numeric affinity: a text among them never
looks like a number, so numeric affinity does not change them."""


def numeral(value: str) -> int | float | None:
    """The number into which SQLite's numeric affinity converts a text.

    None if the text is not a number, or too long or in exponent notation to be converted here.
    """
    found = _NUMERAL.fullmatch(value)
    if found is None:
        return None
    return float(value) if found[2] and found[2].strip(".0") else int(found[1])


def may_be_numeral(value: str) -> bool:
    """True if SQLite's numeric affinity converts the text into a number."""
    return _ANY_NUMERAL.fullmatch(value) is not None


def converted(
    operand: Expression, own: tuple[str | None, Type], beside: tuple[str | None, Type]
) -> Expression | None:
    """The operand with SQLite's conversion before a comparison made explicit; None if unknown.

    Args:
        own: the operand's affinity (empty for none, None if unknown) and type.
        beside: the affinity and type of the other operand.
    """
    found = {
        _converted(operand, own[1], mine, theirs)
        for mine in _possible(*own)
        for theirs in _possible(*beside)
    }
    return found.pop() if len(found) == 1 else None


def _possible(own: str | None, type_: Type) -> tuple[str, ...]:
    if own is not None:
        return (own,)
    if type_ in _OF_TEXT:
        return ("TEXT", "")
    return ("INTEGER", "") if type_ in _OF_NUMBERS else ("INTEGER", "TEXT", "BLOB", "")


def _converted(operand: Expression, type_: Type, own: str, beside: str) -> Expression:
    if beside in NUMERIC_AFFINITIES and own not in NUMERIC_AFFINITIES:
        return operand if type_ in _OF_NUMBERS else _to_number(operand)
    if beside == "TEXT" and not own:
        return operand if type_ in _OF_TEXT else _to_text(operand)
    return operand


def _to_number(operand: Expression) -> Expression:
    match operand:
        case Literal(value=str() as text):
            found = numeral(text)
            if found is not None:
                return Literal(found, Type.INTEGER if isinstance(found, int) else Type.REAL)
            if not may_be_numeral(text):
                return operand
        case Literal(value=bytes()):
            return operand
        case Call() if operand.name in _NEVER_NUMERALS:
            return operand
    return Call(TO_NUMBER, (operand,))


def _to_text(operand: Expression) -> Expression:
    match operand:
        case Literal(value=int() as value):
            return Literal(str(int(value)), Type.TEXT)
        case Literal(value=float() as value) if SHORT_FLOAT.fullmatch(str(value)):
            return Literal(str(value), Type.TEXT)
        case Literal(value=bytes()):
            return operand
    return Call(TO_TEXT, (operand,))
