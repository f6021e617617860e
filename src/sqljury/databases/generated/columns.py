"""What a column can hold: SQLite's affinity of its type, and the kind of values it gets."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from sqljury.value_profile import ColumnUse, Constant


class Affinity(Enum):
    """What SQLite makes of a value that is stored."""

    TEXT = "text"
    NUMERIC = "numeric"
    INTEGER = "integer"
    REAL = "real"
    NONE = "none"


class ValueKind(Enum):
    """The kind of values a column is given."""

    INT = "int"
    REAL = "real"
    TEXT = "text"
    DATE = "date"
    BOOL = "bool"


@lru_cache(maxsize=1024)
def affinity_of(declared: str) -> Affinity:
    """The affinity of a declared type.

    Source: SQLite's manual, "Datatypes in SQLite", section 3.1.
    """
    text = declared.upper()
    if "INT" in text:
        return Affinity.INTEGER
    if any(word in text for word in ("CHAR", "CLOB", "TEXT")):
        return Affinity.TEXT
    if "BLOB" in text or not text.strip():
        return Affinity.NONE
    if any(word in text for word in ("REAL", "FLOA", "DOUB")):
        return Affinity.REAL
    return Affinity.NUMERIC


_WHOLE = re.compile(r"\s*[+-]?\d{1,18}\s*")
_NUMBER = re.compile(r"\s*[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})([eE][+-]?\d{1,2})?\s*")
DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(.*)", re.DOTALL)


def as_number(value: Constant) -> int | float | None:
    """The number that a value is or spells."""
    if not isinstance(value, str):
        return value
    if _WHOLE.fullmatch(value):
        return int(value)
    return float(value) if _NUMBER.fullmatch(value) else None


def stored(value: Constant, affinity: Affinity) -> Constant:
    """The value as SQLite keeps it in a column.

    >>> stored("007", Affinity.INTEGER), stored(7, Affinity.TEXT)
    (7, '7')
    """
    if value is None or affinity is Affinity.NONE:
        return value
    if affinity is Affinity.TEXT:
        return value if isinstance(value, str) else _spelled(value)
    number = as_number(value)
    if number is None:
        return value
    if affinity is Affinity.REAL:
        return float(number)
    whole = isinstance(number, float) and number.is_integer() and abs(number) < 2**53
    return int(number) if whole else number


def _spelled(number: float) -> str:
    return repr(number) if isinstance(number, float) else str(number)


_DATES = ("DATE", "TIMESTAMP", "TIME")


@lru_cache(maxsize=4096)
def kind_of(declared: str, use: ColumnUse | None) -> ValueKind:
    """The kind of values for a column, by its type and by what it is compared with."""
    text = declared.upper()
    constants = use.constants if use is not None else ()
    dated = use is not None and (use.dated or any(map(_is_date, constants)))
    affinity = affinity_of(declared)
    numbers = bool(constants) and all(as_number(c) is not None for c in constants)
    numeric = numbers or (use is not None and use.numeric)
    if dated or (any(word in text for word in _DATES) and not numeric):
        return ValueKind.DATE
    if "BOOL" in text and numbers:
        return ValueKind.BOOL
    if "BOOL" in text:
        return ValueKind.TEXT if constants else ValueKind.BOOL
    if affinity in (Affinity.TEXT, Affinity.NONE):
        return _kind_of_text(use, numbers)
    if affinity is Affinity.NUMERIC and constants and not numbers:
        return ValueKind.TEXT
    return (
        ValueKind.REAL if affinity is Affinity.REAL or _has_fraction(text, use) else ValueKind.INT
    )


def _kind_of_text(use: ColumnUse | None, numbers: bool) -> ValueKind:
    if use is None or not (use.numeric or numbers) or use.likes or use.globs:
        return ValueKind.TEXT
    return (
        ValueKind.REAL
        if any(isinstance(as_number(c), float) for c in use.constants)
        else ValueKind.INT
    )


def _has_fraction(text: str, use: ColumnUse | None) -> bool:
    """DECIMAL(6, 2), or a constant such as 2.5."""
    scale = re.search(r"\(\s*\d+\s*,\s*(\d+)\s*\)", text)
    if scale is not None:
        return int(scale[1]) > 0
    return use is not None and any(isinstance(as_number(c), float) for c in use.constants)


def _is_date(value: Constant) -> bool:
    return isinstance(value, str) and DATE.fullmatch(value) is not None
