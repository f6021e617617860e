"""Quotients of constants, where the dialect gives the exact value whatever its type is."""

from __future__ import annotations

from fractions import Fraction

from sqljury.trees.nodes import Call, Literal, Type

_MYSQL_DIGITS = 10**4
"""``/`` of integers has four digits behind the point in MySQL (div_precision_increment)."""


def quotient(call: Call, dialect: str) -> Fraction | None:
    """The value of ``/`` or ``DIV`` of two integer constants; None where it is rounded or unknown.

    >>> seven, two = Literal(7, Type.INTEGER), Literal(2, Type.INTEGER)
    >>> quotient(Call("/", (seven, two)), "mysql"), quotient(Call("DIV", (seven, two)), "mysql")
    (Fraction(7, 2), Fraction(3, 1))
    """
    match call.operands:
        case (
            Literal(value=int() as above, type=Type.INTEGER),
            Literal(value=int() as below, type=Type.INTEGER),
        ) if below != 0:
            exact = Fraction(above, below)
        case _:
            return None
    if call.name == "DIV" and dialect in ("mysql", "duckdb") and exact >= 0:
        return Fraction(above // below)
    if call.name == "/" and dialect == "mysql":
        return exact if (exact * _MYSQL_DIGITS).denominator == 1 else None
    if call.name == "/" and dialect == "duckdb":
        # A double: halves, quarters and so on are exact.
        return exact if Fraction(float(exact)) == exact else None
    return None
