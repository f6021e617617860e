"""Which rows and cells differ: the smallest set of rows, and pairs of rows that nearly match."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import compress
from typing import Any

from sqljury.tables.findings import MismatchKind
from sqljury.tables.values import Row, Rows, folded

SOFT_KINDS = (MismatchKind.TYPES, MismatchKind.TEXT_CASE, MismatchKind.ROUNDING)
"""Differences that leave little doubt that the same value was meant."""


def differing_rows(a: Rows, b: Rows, *, as_set: bool) -> tuple[list[int], list[int]]:
    """The indexes of the fewest rows without which both tables have the same rows."""
    if as_set:
        return _not_among(a, set(b)), _not_among(b, set(a))
    # Rows that stand in the same place belong together, and comparing them is cheap.
    left, right = _out_of_place(a, b), _out_of_place(b, a)
    return _beyond(a, left, b, right), _beyond(b, right, a, left)


def _not_among(rows: Rows, others: set[Row]) -> list[int]:
    first: dict[Row, int] = {}
    for i, row in enumerate(rows):
        if row not in others:
            first.setdefault(row, i)
    return list(first.values())


def _out_of_place(rows: Rows, other: Rows) -> list[int]:
    common = min(len(rows), len(other))
    here = range(common)
    return [*compress(here, map(operator.ne, rows, other)), *range(common, len(rows))]


def _beyond(rows: Rows, places: list[int], other: Rows, other_places: list[int]) -> list[int]:
    """The places whose rows the other table does not have, or not as often."""
    left = Counter([other[i] for i in other_places])
    found = []
    for i in places:
        times = left.get(rows[i], 0)
        if times:
            left[rows[i]] = times - 1
        else:
            found.append(i)
    return found


@dataclass(frozen=True, slots=True)
class RowPair:
    """A row of the reference and the row of the prediction that most resembles it."""

    reference_row: int
    candidate_row: int
    differing: tuple[int, ...]
    """Which of the aligned columns differ."""


def near_misses(
    a: Rows, b: Rows, missing: Sequence[int], extra: Sequence[int], limit: int
) -> list[RowPair]:
    """Pair missing with extra rows of which at least half the cells agree.

    Looks at ``limit`` rows of each side and at rows that stand in the same place.
    """
    left = list(missing[:limit])
    same_place = set(left)
    right = [*extra[:limit], *(i for i in extra[limit:] if i in same_place)]
    scored = []
    for i in left:
        for j in right:
            equal = sum(map(operator.eq, a[i], b[j]))
            if 2 * equal >= len(a[i]) or len(missing) == len(extra) == 1:
                scored.append((-equal, abs(i - j), i, j))
            elif _all_soft(a[i], b[j]):
                scored.append((-len(a[i]) // 2, abs(i - j), i, j))
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, i, j in sorted(scored):
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return [RowPair(i, j, _differing(a[i], b[j])) for i, j in sorted(pairs.items())]


def _differing(x: Row, y: Row) -> tuple[int, ...]:
    return tuple(k for k, (p, q) in enumerate(zip(x, y, strict=True)) if p != q)


def _all_soft(x: Row, y: Row) -> bool:
    for p, q in zip(x, y, strict=True):  # asked of a hundred pairs of rows: no generator for each
        if p != q and cell_kind(p, q) not in SOFT_KINDS:
            return False
    return True


def cell_kind(x: Any, y: Any) -> MismatchKind:
    """How two cells that are not equal differ."""
    if x is None or y is None:
        return MismatchKind.NULL
    if isinstance(x, str) and isinstance(y, str):
        return MismatchKind.TEXT_CASE if folded(x) == folded(y) else MismatchKind.VALUES
    if isinstance(x, _NUMBER) and isinstance(y, _NUMBER):
        return _number_kind(x, y)
    return MismatchKind.TYPES if _same_as_text(x, y) or _same_as_text(y, x) else MismatchKind.VALUES


_NUMBER = (int, float, Decimal)


def _number_kind(x: Any, y: Any) -> MismatchKind:
    if isinstance(x, int) and isinstance(y, int):
        return MismatchKind.VALUES
    try:
        p, q = float(x), float(y)
    except (OverflowError, ValueError):
        return MismatchKind.VALUES
    if p == q:
        # Two decimals may differ in digits that no float holds.
        return MismatchKind.ROUNDING if type(x) is type(y) else MismatchKind.TYPES
    return MismatchKind.ROUNDING if _rounded(p, q) or _rounded(q, p) else MismatchKind.VALUES


def _rounded(short: float, long: float) -> bool:
    """Whether one number is the other with fewer digits, or noise in the last ones."""
    if not (math.isfinite(short) and math.isfinite(long)):
        return False
    if math.isclose(short, long, rel_tol=1e-6, abs_tol=1e-9):
        return True
    exponent = Decimal(repr(short)).normalize().as_tuple().exponent
    digits = max(0, -exponent) if isinstance(exponent, int) else 0
    return digits <= 6 and math.isclose(round(long, digits), short, rel_tol=1e-12)


def _same_as_text(text: Any, other: Any) -> bool:
    if isinstance(text, datetime) and type(other) is date:
        return text.isoformat(" ") == f"{other} 00:00:00"
    if not isinstance(text, str):
        return False
    if isinstance(other, bytes):
        return text.encode("utf-8", "replace") == other
    if str(other) == text:
        return True
    if not isinstance(other, _NUMBER):
        return False
    try:
        return Decimal(text) == other or float(text) == other
    except (ArithmeticError, ValueError):
        return False
