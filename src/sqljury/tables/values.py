"""Converts cells so that cells that are equal under a policy are equal in Python."""

from __future__ import annotations

import json
import math
import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import chain, pairwise
from typing import Any, Literal
from uuid import UUID

_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?"
)
_LONGEST_MOMENT = 40
_LONGEST_JSON = 100_000
"""Characters; longer texts are compared as texts."""


def plainest(value: Any) -> Any:
    """The value in a canonical notation, so that different notations of one value become equal.

    A moment at midnight without a time zone becomes a date, a moment with a time zone is converted
    to UTC, JSON text is parsed. Any other value is returned unchanged.

    >>> plainest("2024-05-01 00:00:00"), plainest("2024-05-01T12:00:00+02:00")
    ('2024-05-01', '2024-05-01 10:00:00+00:00')
    >>> plainest('{"b": 1, "a": 2}') == plainest('{"a":2,"b":1}')
    True
    """
    if type(value) is datetime:
        return _day_or_moment(value)
    if type(value) is not str:
        return value
    if value[:1] in ("{", "["):
        if len(value) > _LONGEST_JSON:
            return value
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    if len(value) <= _LONGEST_MOMENT and _MOMENT.fullmatch(value):
        try:
            found = datetime.fromisoformat(value)
        except ValueError:  # the 31st of February
            return value
        if found.tzinfo is not None:
            found = found.astimezone(UTC)
        return str(_day_or_moment(found))
    return value


def _day_or_moment(value: datetime) -> date:
    return value.date() if value.tzinfo is None and value.time() == time() else value


# ------------------------------------------------------------
# Converts cells so that cells that are equal under a policy are equal in Python.
# For nearly every cell, Python's equality already is that of ``typed``: 1 == 1.0 ==
# Decimal("1.00") == True, None equals nothing else, "1" is not 1, a date is not a datetime,
# big integers are exact. The exceptions are NaN, Decimal together with float, text whose case is
# ignored, and cells that cannot be hashed. Only columns with such cells are converted.

Floats = Literal["never", "beside", "always"]
Row = tuple[Any, ...]
Rows = Sequence[Row]

_PLAIN = frozenset(
    {int, bool, str, bytes, type(None), date, datetime, time, timedelta, UUID, Decimal, float}
)


class _NaN:
    """A not-a-number value that equals itself, unlike Python's NaN."""

    def __repr__(self) -> str:
        return "NaN"


NAN = _NaN()


def cell_types(rows: Rows) -> set[type]:
    """The set of Python types that occur in the cells."""
    return set(map(type, chain.from_iterable(rows)))


def comparable(
    a: Rows, b: Rows, *, by_column: bool, floats: Floats, fold: bool = False, plain: bool = False
) -> tuple[Rows, Rows] | None:
    """Both tables with comparable cells; None if no cell needs a conversion.

    Args:
        by_column: column i of one table is compared only with column i of the other. Otherwise a
            conversion that one column needs is applied to all, because equality must be transitive
            within one comparison.
        floats: when a Decimal becomes the nearest float: never, if there are floats in the same
            columns (``beside``), or always.
        fold: ignore case and white space of text.
        plain: ignore the notation of dates, moments and JSON.
    """
    types = cell_types(a) | cell_types(b)
    if not by_column:
        convert = _conversion(types, (a, b), floats, fold, plain)
        if convert is None:
            return None
        return [tuple(map(convert, row)) for row in a], [tuple(map(convert, row)) for row in b]
    if _conversion(types, (a, b), floats, fold, plain) is None:
        return None
    left: list[Iterable[Any]] = []
    right: list[Iterable[Any]] = []
    for x, y in column_pairs(a, b):
        convert = _conversion({*map(type, x), *map(type, y)}, ((x,), (y,)), floats, fold, plain)
        left.append(map(convert, x) if convert else x)
        right.append(map(convert, y) if convert else y)
    return list(zip(*left, strict=True)), list(zip(*right, strict=True))


def column_pairs(a: Rows, b: Rows) -> Iterable[tuple[Row, Row]]:
    """Pairs of columns of two tables of equal width; columns of an empty table are empty."""
    if a and b:
        return zip(zip(*a, strict=True), zip(*b, strict=True), strict=True)
    if a:
        return ((column, ()) for column in zip(*a, strict=True))
    return (((), column) for column in zip(*b, strict=True))


def _conversion(
    types: set[type], tables: Iterable[Rows], floats: Floats, fold: bool, plain: bool
) -> Callable[[Any], Any] | None:
    """The conversion for cells of a group of columns with these types; None if none is needed."""
    to_float = Decimal in types and (floats == "always" or (floats == "beside" and float in types))
    fold = fold and str in types
    plain = plain and not types.isdisjoint((str, datetime))
    numbers = float in types or Decimal in types
    ready = types <= _PLAIN and not (to_float or fold or plain)
    if ready and not (numbers and any(map(_has_nan, tables))):
        return None
    return _converter(to_float, fold, plain)


def _has_nan(rows: Rows) -> bool:
    return any(map(operator.ne, chain.from_iterable(rows), chain.from_iterable(rows)))


def _converter(to_float: bool, fold: bool, plain: bool) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if plain:
            value = plainest(value)
        kind = type(value)
        if kind is int or value is None:
            return value
        if kind is str:
            return folded(value) if fold else value
        if isinstance(value, Decimal):
            if value.is_nan():
                return NAN
            return float(value) if to_float else value
        if kind in _CONTAINERS:
            return _CONTAINERS[kind](value, convert)
        return NAN if value != value else _hashable(value)

    return convert


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return (type(value).__name__, repr(value))
    return value


# Tagged with the type, so that a list differs from a tuple of the same cells, and an empty list
# from an empty dict.
_CONTAINERS: dict[type, Callable[[Any, Callable[[Any], Any]], Any]] = {
    list: lambda value, convert: ("list", tuple(map(convert, value))),
    tuple: lambda value, convert: ("tuple", tuple(map(convert, value))),
    set: lambda value, convert: ("set", frozenset(map(convert, value))),
    dict: lambda value, convert: (
        "dict",
        frozenset((convert(key), convert(cell)) for key, cell in value.items()),
    ),
    bytearray: lambda value, _: bytes(value),
    memoryview: lambda value, _: bytes(value),
}


def folded(text: str) -> str:
    """The text case-folded, with runs of white space as one space and none at the ends."""
    return " ".join(text.split()).casefold()


def texts(rows: Rows) -> list[list[str]]:
    """The cells as texts, column by column, as pandas prints the cells of a data frame.

    In pandas, a column of numbers with a NULL or a fraction is a column of floats: its 1 prints as
    1.0 and its NULL as nan. In any other column a NULL prints as None, and 1 and 1.0 are different
    texts.
    """
    return [_column_texts(column) for column in zip(*rows, strict=True)]


def _column_texts(column: Sequence[Any]) -> list[str]:
    types = set(map(type, column))
    if types <= _NUMBERS and types & _FRACTIONS and types & _NOT_NULL:
        return ["nan" if cell is None else str(float(cell)) for cell in column]
    return list(map(str, column))


def rounded_rows(rows: Rows) -> Rows:
    """The first 100 rows as texts in the order of these texts, with numbers rounded to three
    decimals: ``process_answer`` of EHRSQL-2024's scoring_utils.py."""
    return sorted(tuple(map(_rounded, row)) for row in rows)[:100]


def _rounded(cell: Any) -> str:
    try:
        return str(round(float(cell), 3))
    except (TypeError, ValueError, OverflowError):
        return str(cell)


_NUMBERS = frozenset({int, float, Decimal, type(None)})
_FRACTIONS = frozenset({float, Decimal, type(None)})
_NOT_NULL = frozenset({int, float, Decimal})


# ------------------------------------------------------------
# Tables whose numbers are nearly equal.
#
# "Nearly equal" is not transitive, so it cannot be hashed. Two steps: chains of close numbers are
# joined, which makes rows hashable again but can make too many rows equal; then the paired rows
# are checked one by one. Numbers are not rounded, because two close numbers could be rounded
# differently.

_MAX_PAIRS = 10_000
"""Most pairs of distinct rows of one group that are compared with each other."""


def close(x: Any, y: Any, tolerance: float) -> bool:
    """True if the cells are equal, or numbers within the tolerance that are not both integers."""
    if x == y:
        return True
    if not (isinstance(x, float | int) and isinstance(y, float | int)):
        return False
    if isinstance(x, int) and isinstance(y, int):
        return False
    return _near(x, y, tolerance)


def _near(x: float, y: float, tolerance: float) -> bool:
    try:
        return math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance)
    except OverflowError:  # an integer that is too large for a float
        return False


def joined(a: Rows, b: Rows, tolerance: float, *, by_column: bool) -> tuple[Rows, Rows]:
    """Both tables with every number replaced by the smallest one of its chain of close numbers."""
    if not by_column:
        lowest = _lowest(chain(chain.from_iterable(a), chain.from_iterable(b)), tolerance)
        return _replaced(a, lowest), _replaced(b, lowest)
    left, right = [], []
    for x, y in column_pairs(a, b):
        lowest = _lowest(chain(x, y), tolerance)
        left.append([lowest.get(cell, cell) for cell in x])
        right.append([lowest.get(cell, cell) for cell in y])
    return list(zip(*left, strict=True)), list(zip(*right, strict=True))


def _replaced(rows: Rows, lowest: dict[Any, Any]) -> Rows:
    return [tuple([lowest.get(cell, cell) for cell in row]) for row in rows] if lowest else rows


def _lowest(cells: Iterable[Any], tolerance: float) -> dict[Any, Any]:
    numbers = [cell for cell in cells if isinstance(cell, float | int)]
    floats = {cell for cell in numbers if isinstance(cell, float)}
    if not floats:
        return {}
    lowest: dict[Any, Any] = {}
    for x, y in pairwise(sorted(set(numbers))):
        if (x in floats or y in floats) and _near(x, y, tolerance):
            lowest[y] = lowest.get(x, x)
    return lowest


def rows_close(
    a: Rows, b: Rows, keys: tuple[Sequence[Any], Sequence[Any]], tolerance: float, *, as_set: bool
) -> bool | None:
    """Whether the rows of two tables can be paired so that all their cells are close.

    Args:
        keys: for each row of each table, a key that must be equal in a pair: the row with joined
            numbers, perhaps with its place in the order.
        as_set: every row needs a partner, but several rows may share one.

    Returns:
        None if so many rows are close to each other that only a search could decide.
    """
    groups: dict[Any, tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for key, row in zip(keys[0], a, strict=True):
        groups[key][0].append(row)
    for key, row in zip(keys[1], b, strict=True):
        groups[key][1].append(row)
    check = _group_covered if as_set else _group_paired
    sure: bool | None = True
    for left, right in groups.values():
        found = check(left, right, tolerance)
        if found is False:
            return False
        sure = sure and found
    return sure


def _row_close(x: Row, y: Row, tolerance: float) -> bool:
    return x == y or all(close(p, q, tolerance) for p, q in zip(x, y, strict=True))


def _group_paired(left: list[Row], right: list[Row], tolerance: float) -> bool | None:
    if len(left) != len(right):
        return False
    if len(left) == 1:
        return _row_close(left[0], right[0], tolerance)
    varying = [i for i, cells in enumerate(zip(*left, *right, strict=True)) if _vary(cells)]
    order = sorted(left, key=lambda row: [row[i] for i in varying])
    other = sorted(right, key=lambda row: [row[i] for i in varying])
    if all(_row_close(x, y, tolerance) for x, y in zip(order, other, strict=True)):
        return True
    # If only one column varies, pairing in sorted order is optimal, so there is no other pairing.
    return False if len(varying) == 1 else None


def _vary(cells: Sequence[Any]) -> bool:
    first = cells[0]
    return any(cell != first for cell in cells)


def _group_covered(left: list[Row], right: list[Row], tolerance: float) -> bool | None:
    left, right = list(dict.fromkeys(left)), list(dict.fromkeys(right))
    if len(left) * len(right) > _MAX_PAIRS:
        return None
    return all(any(_row_close(x, y, tolerance) for y in right) for x in left) and all(
        any(_row_close(x, y, tolerance) for x in left) for y in right
    )
