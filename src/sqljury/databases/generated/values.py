"""What a column can hold: the SQLite affinity of its type, and the kind of its values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from enum import Enum
from functools import lru_cache

from sqljury.value_profile import ColumnUse, Constant


class Affinity(Enum):
    """How SQLite converts a value that is stored."""

    TEXT = "text"
    NUMERIC = "numeric"
    INTEGER = "integer"
    REAL = "real"
    NONE = "none"


class ValueKind(Enum):
    """The kind of values that are generated for a column."""

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
    """The number that a value is or spells; None if it does neither."""
    if not isinstance(value, str):
        return value
    if _WHOLE.fullmatch(value):
        return int(value)
    return float(value) if _NUMBER.fullmatch(value) else None


def stored(value: Constant, affinity: Affinity) -> Constant:
    """The value as a column of this affinity stores it in SQLite.

    >>> stored("007", Affinity.INTEGER), stored(7, Affinity.TEXT)
    (7, '7')
    """
    if value is None or affinity is Affinity.NONE:
        return value
    if affinity is Affinity.TEXT:
        return value if isinstance(value, str) else repr(value)
    number = as_number(value)
    if number is None:
        return value
    if affinity is Affinity.REAL:
        return float(number)
    whole = isinstance(number, float) and number.is_integer() and abs(number) < 2**53
    return int(number) if whole else number


_DATES = ("DATE", "TIMESTAMP", "TIME")


@lru_cache(maxsize=4096)
def kind_of(declared: str, use: ColumnUse | None) -> ValueKind:
    """The kind of values of a column, from its type and the constants it is compared with."""
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
        if use is None or not (use.numeric or numbers) or use.likes or use.globs:
            return ValueKind.TEXT
        return (
            ValueKind.REAL
            if any(isinstance(as_number(c), float) for c in use.constants)
            else ValueKind.INT
        )
    if affinity is Affinity.NUMERIC and constants and not numbers:
        return ValueKind.TEXT
    return (
        ValueKind.REAL if affinity is Affinity.REAL or _has_fraction(text, use) else ValueKind.INT
    )


def _has_fraction(text: str, use: ColumnUse | None) -> bool:
    """True for a type such as DECIMAL(6, 2), or a constant such as 2.5."""
    scale = re.search(r"\(\s*\d+\s*,\s*(\d+)\s*\)", text)
    if scale is not None:
        return int(scale[1]) > 0
    return use is not None and any(isinstance(as_number(c), float) for c in use.constants)


def _is_date(value: Constant) -> bool:
    return isinstance(value, str) and DATE.fullmatch(value) is not None


# ------------------------------------------------------------
# Candidate values: constants, values near them, texts that a pattern matches or just misses.

_LONGEST_PATTERN = 100


def pool_of(kind: ValueKind, uses: Sequence[ColumnUse]) -> tuple[list[Constant], list[Constant]]:
    """The constants that the columns of a pool are compared with, and their neighbours.

    >>> pool_of(ValueKind.INT, [ColumnUse(constants=(3,))])
    ([3], [2, 4])
    """
    constants = unique(c for use in uses for c in use.constants)
    hot = unique(v for c in constants for v in _fitting(c, kind))
    near = [v for c in hot for v in neighbours(c)]
    for pattern in dict.fromkeys(p for use in uses for p in use.likes):
        hot += matches(pattern, "%", "_")
        near += misses(pattern, "%", "_")
    for pattern in dict.fromkeys(p for use in uses for p in use.globs):
        hot += matches(pattern, "*", "?")
        near += misses(pattern, "*", "?")
    hot = unique(hot)
    return hot, [value for value in unique(near) if value not in hot]


def unique(values: Iterable[Constant]) -> list[Constant]:
    """The values in their order without duplicates; 1 and 1.0 are different."""
    return [value for _, value in dict.fromkeys((type(v), v) for v in values)]


def _fitting(constant: Constant, kind: ValueKind) -> list[Constant]:
    """A constant as values of a kind: the year 2014 as a date gives some days of 2014."""
    if kind is not ValueKind.DATE or constant is None:
        return [constant]
    number = as_number(constant)
    if number is None:
        return [constant]
    if 1000 <= number <= 2999:
        year = int(number)
        return [f"{year}-01-01", f"{year}-06-15", f"{year}-12-31", constant]
    if 1 <= number <= 12:
        return [f"2001-{int(number):02}-03", f"2002-03-{int(number):02}"]
    return [f"2001-03-{int(number):02}"] if 1 <= number <= 28 else []


def neighbours(value: Constant) -> list[Constant]:
    """Values that are close to this one.

    >>> neighbours("Abc")
    ['aBC', 'Abcx', 'xAbc', 'Ab']
    """
    if isinstance(value, int):
        return [value - 1, value + 1]
    if isinstance(value, float):
        return [value - 0.5, value + 0.5, value - 1, value + 1]
    return _text_neighbours(value) if value is not None else []


@lru_cache(maxsize=4096)
def _text_neighbours(text: str) -> list[Constant]:
    number = as_number(text)
    if isinstance(number, int) and str(number) == text:
        return [str(number - 1), str(number + 1)]
    if isinstance(number, float):
        return [str(number - 1), str(number + 1)]
    if DATE.fullmatch(text):
        return list(_days_around(text))
    near = [text.swapcase(), f"{text}x", f"x{text}", text[:-1]]
    return [other for other in near if other != text and other]


def _days_around(text: str) -> Iterable[str]:
    found = DATE.fullmatch(text)
    try:
        day = date(int(found[1]), int(found[2]), int(found[3])) if found else date(2000, 1, 15)
        for days in (-1, 1, -31, 31, -365, 366):
            yield f"{day + timedelta(days=days)}{found[4] if found else ''}"
    except (ValueError, OverflowError):
        yield f"{text}x"


def matches(pattern: str, many: str, one: str) -> list[Constant]:
    """Texts that a LIKE or GLOB pattern matches.

    >>> matches("a%", "%", "_")
    ['a', 'ax', 'axy']
    """
    if len(pattern) > _LONGEST_PATTERN:
        return []
    base = pattern.replace(one, "x")
    fillings = ("", "x", "xy") if many in base else ("",)
    return unique(base.replace(many, filling) for filling in fillings)


def misses(pattern: str, many: str, one: str) -> list[Constant]:
    """Texts that a pattern just fails to match, or matches only in another case.

    >>> misses("a%", "%", "_")
    ['A', 'xa', '']
    """
    if len(pattern) > _LONGEST_PATTERN:
        return []
    core = pattern.replace(many, "").replace(one, "x")
    around = [core.swapcase(), f"x{core}", f"{core}x", core[:-1]]
    found = matches(pattern, many, one)
    return [text for text in unique(around) if text not in found]


# ---------------------------------------------------------------- conditions

_SIGNS = {
    "=": (0,),
    "<>": (-1, 1),
    "<": (-1,),
    "<=": (-1, 0),
    ">": (1,),
    ">=": (0, 1),
}


def satisfies(value: Constant, operator: str, constants: Sequence[Constant]) -> bool:
    """True if SQLite's comparison of the two is true; affinities are ignored.

    >>> satisfies(3, "<", (4,)), satisfies("2014", "=", (2014,)), satisfies("ab", "like", ("A%",))
    (True, True, True)
    """
    if operator == "null":
        return value is None
    if operator == "not null":
        return value is not None
    if value is None:
        return False
    if operator == "in":
        return any(_order(value, constant) == 0 for constant in constants)
    if operator in ("like", "glob"):
        return any(_like(str(value), str(pattern), operator) for pattern in constants)
    signs = _SIGNS.get(operator)
    return signs is None or any(_order(value, constant) in signs for constant in constants)


def _order(a: Constant, b: Constant) -> int | None:
    """-1, 0 or 1 by comparison; None if one is NULL."""
    if a is None or b is None:
        return None
    if isinstance(a, str) != isinstance(b, str):
        left, right = as_number(a), as_number(b)
        if left is None or right is None:
            return 1 if isinstance(a, str) else -1
        return (left > right) - (left < right)
    return (a > b) - (a < b)  # type: ignore[operator]


def _like(text: str, pattern: str, operator: str) -> bool:
    """True if the pattern matches; backtracks to the last star only, so at worst quadratic."""
    many, one = ("%", "_") if operator == "like" else ("*", "?")
    if operator == "like":
        text, pattern = text.lower(), pattern.lower()
    i = j = 0
    star, mark = -1, 0
    while i < len(text):
        if j < len(pattern) and pattern[j] == many:
            star, mark, j = j, i, j + 1
        elif j < len(pattern) and pattern[j] in (one, text[i]):
            i, j = i + 1, j + 1
        elif star >= 0:
            mark += 1
            i, j = mark, star + 1
        else:
            return False
    return not pattern[j:].strip(many)


# ---------------------------------------------------------------- plain values

_NARROW_DATES = ("2000-01-15", "2000-02-20", "2001-01-15", "1999-12-31")
NARROW: dict[ValueKind, tuple[Constant, ...]] = {
    ValueKind.INT: (1, 2, 3, 4),
    ValueKind.REAL: (1.0, 1.5, 2.0, 3.25),
    ValueKind.TEXT: ("a", "b", "Cd", "D"),
    ValueKind.DATE: _NARROW_DATES,
    ValueKind.BOOL: (0, 1),
}
"""Few values, so that rows often have equal ones."""

WIDE: dict[ValueKind, tuple[Constant, ...]] = {
    ValueKind.INT: tuple(-n if n % 11 == 5 else n for n in range(1, 130)),
    ValueKind.REAL: tuple(n + n % 4 / 4 for n in range(1, 130)),
    ValueKind.TEXT: tuple(f"{'abAB'[n % 4]}{'kmnopqrst'[n % 9]}{n}" for n in range(130)),
    ValueKind.DATE: tuple(str(date(1998, 3, 7) + timedelta(days=97 * n)) for n in range(130)),
    ValueKind.BOOL: (0, 1),
}
"""Many values, so that rows rarely have equal ones; sums of the fractions are exact in any
order."""
