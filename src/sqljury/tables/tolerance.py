"""Numbers that are nearly equal, in tables.

"Nearly" is not transitive, so it cannot be hashed. Two steps: chains of close numbers are
joined, which makes tables hashable again and can only find too many equal rows; then the rows
so paired are checked one by one. Nothing is rounded: no edge cuts two close numbers apart.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Any

from sqljury.tables.values import Row, Rows, column_pairs

_MAX_PAIRS = 10_000
"""How many pairs of rows of one group are tried where sorting does not pair them."""


def close(x: Any, y: Any, tolerance: float) -> bool:
    """Equal, or numbers within the tolerance that are not both integers."""
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
    except OverflowError:  # an integer beyond every float
        return False


def joined(a: Rows, b: Rows, tolerance: float, *, by_column: bool) -> tuple[Rows, Rows]:
    """Both tables with every number replaced by the smallest of its chain of close numbers."""
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
    """Whether the rows of two tables can be paired so that all cells are close.

    Args:
        keys: what must be equal beside: the row with its numbers joined, its place in the order.
        as_set: every row needs a partner, but partners may be shared.

    Returns:
        None where the rows crowd so densely that only a search would tell.
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
    # Along one column, partners in sorted order are the best there are.
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
