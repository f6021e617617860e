"""Constants as they are written."""

from __future__ import annotations

from sqljury.trees.from_sql.scopes import invalid
from sqljury.trees.nodes import Literal, Type

_LARGEST = 2**63 - 1
_EXACT_DIGITS = 15
"""Decimal digits that a float keeps."""


def number(text: str, dialect: str, *, compared: bool = False) -> Literal:
    """A number: whole, approximate, or decimal where the dialect makes that of ``1.5``.

    A decimal that ends in zeros is another constant than one without them, as texts made of the two
    differ, but where it is only compared.

    >>> number("1.5", "sqlite").type, number("1.5", "postgres").type
    (<Type.REAL: 'real'>, <Type.DECIMAL: 'decimal'>)
    >>> number("1.50", "postgres").value, number("1.50", "postgres", compared=True).value
    ('1.50', 1.5)
    """
    plain = text.replace("_", "")
    try:
        if plain.isdigit():
            return _whole(plain, dialect)
        value = float(plain)
    except ValueError:
        raise invalid(f"{text} is not a number") from None
    if dialect == "sqlite" or "e" in plain.lower():
        return Literal(value, Type.REAL)
    digits = len(plain.replace(".", "").strip("0"))
    is_scaled = plain.endswith("0") and not compared
    return Literal(plain if is_scaled or digits > _EXACT_DIGITS else value, Type.DECIMAL)


def _whole(digits: str, dialect: str) -> Literal:
    value = int(digits)
    if value <= _LARGEST:
        return Literal(value, Type.INTEGER)
    if dialect == "sqlite":
        return Literal(float(digits), Type.REAL)
    return Literal(value, Type.DECIMAL)


def hexadecimal(digits: str) -> Literal:
    """The bytes of ``x'…'``."""
    try:
        return Literal(bytes.fromhex(digits), Type.BLOB)
    except ValueError:
        raise invalid(f"x'{digits}' is not hexadecimal") from None
