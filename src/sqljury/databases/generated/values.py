"""Values worth having: constants, what lies next to them, what a pattern matches or just misses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from functools import lru_cache

from sqljury.databases.generated.columns import DATE, ValueKind, as_number
from sqljury.value_profile import ColumnUse, Constant

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
    """The values in their order, each once; 1 and 1.0 are two."""
    return [value for _, value in dict.fromkeys((type(v), v) for v in values)]


def _fitting(constant: Constant, kind: ValueKind) -> list[Constant]:
    """A constant as values of a kind: the year 2014 among dates is some days of 2014."""
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
    """Values that are nearly the same.

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
    """Texts that a pattern just does not match, or matches in another case only.

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
    """Whether SQLite would say yes, as far as this can tell without affinities.

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
    """-1, 0 or 1 as of comparing; None with NULL."""
    if a is None or b is None:
        return None
    if isinstance(a, str) != isinstance(b, str):
        left, right = as_number(a), as_number(b)
        if left is None or right is None:
            return 1 if isinstance(a, str) else -1
        return (left > right) - (left < right)
    return (a > b) - (a < b)  # type: ignore[operator]


def _like(text: str, pattern: str, operator: str) -> bool:
    """Wildcards by going back to the last star only: quadratic at worst, whatever the pattern."""
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
"""Few values, which meet often."""

WIDE: dict[ValueKind, tuple[Constant, ...]] = {
    ValueKind.INT: tuple(-n if n % 11 == 5 else n for n in range(1, 130)),
    ValueKind.REAL: tuple(n + n % 4 / 4 for n in range(1, 130)),
    ValueKind.TEXT: tuple(f"{'abAB'[n % 4]}{'kmnopqrst'[n % 9]}{n}" for n in range(130)),
    ValueKind.DATE: tuple(str(date(1998, 3, 7) + timedelta(days=97 * n)) for n in range(130)),
    ValueKind.BOOL: (0, 1),
}
"""Many values, which rarely meet; sums of the fractions among them are exact in any order."""
