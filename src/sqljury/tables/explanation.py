"""Explains why two result tables are not equal: which cell, row, column, order, tie, duplicate."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import compress
from typing import Any

from sqljury.execution import ResultTable
from sqljury.tables.by_column import explain_columns
from sqljury.tables.columns import BudgetSpentError, Mapping, match_columns
from sqljury.tables.compare import forgiving, loosely
from sqljury.tables.findings import (
    CellDifference,
    Comparison,
    DifferingRows,
    Explanation,
    Mismatch,
    MismatchKind,
    column_name,
    shown_row,
)
from sqljury.tables.policy import Policy
from sqljury.tables.values import (
    Floats,
    Row,
    Rows,
    close,
    comparable,
    folded,
    joined,
    plainest,
    rounded_rows,
    texts,
)

SOFT_KINDS = (MismatchKind.TYPES, MismatchKind.TEXT_CASE, MismatchKind.ROUNDING)
"""Kinds of differences between cells that very likely mean the same value."""


def differing_rows(a: Rows, b: Rows, *, as_set: bool) -> tuple[list[int], list[int]]:
    """The indexes of the rows that only ``a`` and that only ``b`` has; with ``as_set``, each
    distinct row once."""
    if as_set:
        return _not_among(a, set(b)), _not_among(b, set(a))
    # Equal rows at the same index are removed first, because comparing them is cheap.
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
    """The indexes of rows that the other table lacks, or has fewer times."""
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
    """A row of the reference and the most similar row of the prediction, as indexes."""

    reference_row: int
    candidate_row: int
    differing: tuple[int, ...]
    """Indexes of the aligned columns in which they differ."""


def near_misses(
    a: Rows, b: Rows, missing: Sequence[int], extra: Sequence[int], limit: int
) -> list[RowPair]:
    """Pairs missing rows with extra rows that agree in at least half of their cells.

    Considers the first ``limit`` rows of each side, and extra rows at the index of a missing one.
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
    for p, q in zip(x, y, strict=True):  # a loop, because all() with a generator is slower
        if p != q and cell_kind(p, q) not in SOFT_KINDS:
            return False
    return True


def cell_kind(x: Any, y: Any) -> MismatchKind:
    """The kind of difference between two unequal cells."""
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
        # Two decimals may differ in digits that a float cannot represent.
        return MismatchKind.ROUNDING if type(x) is type(y) else MismatchKind.TYPES
    return MismatchKind.ROUNDING if _rounded(p, q) or _rounded(q, p) else MismatchKind.VALUES


def _rounded(short: float, long: float) -> bool:
    """True if ``short`` is ``long`` rounded to fewer digits, or both differ only in the last
    digits."""
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


# ------------------------------------------------------------
# The explanation of a mismatch, as sentences and as data.

_TRIED_CELLS = 20_000
"""Largest tables, in cells, for which other mappings of columns are tried."""
_GUESS_BUDGET = 100_000
_NAMED_CELLS = 3
"""Most differing cells that get a sentence; the others are only in the data."""
_MARKED_ROWS = 100
"""Differing rows are marked among this many first rows of a table; reports show no more."""


def explain(
    reference: ResultTable,
    candidate: ResultTable,
    policy: Policy,
    comparison: Comparison,
    *,
    ordered: bool = False,
    ties: Sequence[Any] | None = None,
    max_rows: int = 20,
) -> Explanation:
    """The differences between two tables that a comparison did not find equal.

    Args:
        comparison: the result of :func:`compare` with the same tables and policy.
        ordered: the order of rows counted.
        ties: as for :func:`compare`.
        max_rows: how many missing and extra rows to keep, and how many of them to pair.
    """
    if policy.duplicates == "by_column":
        in_order = ordered and policy.row_order != "free"
        return explain_columns(reference, candidate, comparison, ordered=in_order)
    mapping = comparison.column_mapping or _alignment(reference, candidate, policy)
    a, b = _aligned(reference.rows, candidate.rows, mapping, policy)
    as_set = policy.duplicates == "set"
    missing, extra = differing_rows(a, b, as_set=as_set)
    if missing and extra and (policy.values == "lenient" or policy.tolerance):
        missing, extra = _loosely_differing(a, b, missing, extra, policy)
    pairs = near_misses(a, b, missing, extra, max_rows) if missing and extra else []
    view = _View(reference, candidate, policy, ties, mapping, a, b, missing, extra)
    cells = tuple(view.cells(pairs, max_rows))
    findings = tuple(view.findings(comparison, cells, ordered))
    return Explanation(
        findings=findings,
        reference_rows=len(reference.rows),
        candidate_rows=len(candidate.rows),
        column_mapping=mapping,
        missing=_first_rows(reference, missing, max_rows),
        extra=_first_rows(candidate, extra, max_rows),
        cells=cells,
    )


def _first_rows(table: ResultTable, indexes: list[int], max_rows: int) -> DifferingRows:
    return DifferingRows(
        len(indexes),
        tuple((i, table.rows[i]) for i in indexes[:max_rows]),
        frozenset(i for i in indexes if i < _MARKED_ROWS),
    )


# ---------------------------------------------------------------- mapping of columns


def _alignment(reference: ResultTable, candidate: ResultTable, policy: Policy) -> Mapping:
    """The mapping of columns by which the tables are explained: by position if the policy fixes the
    order, else columns with equal contents first."""
    widths = reference.width, candidate.width
    rows = len(reference.rows) + len(candidate.rows)
    fixed = widths[0] == widths[1] and policy.column_order == "given"
    if fixed or rows * max(widths) > _TRIED_CELLS:
        return tuple(i if i < widths[1] else None for i in range(widths[0]))
    return _by_contents(_contents(reference), _contents(candidate))


def _contents(table: ResultTable) -> list[Any]:
    if not table.rows:
        return [None] * table.width
    return [Counter(map(repr, column)) for column in zip(*table.rows, strict=True)]


def _by_contents(left: list[Any], right: list[Any]) -> Mapping:
    mapping: list[int | None] = [None] * len(left)
    free = set(range(len(right)))
    # Equal contents in the same place first, then equal contents elsewhere, then the same place,
    # then any column.
    for by_contents, by_place in ((True, True), (True, False), (False, True), (False, False)):
        for i, contents in enumerate(left):
            if mapping[i] is not None:
                continue
            for j in sorted(free):
                same = not by_contents or bool(contents == right[j])
                if same and (i == j or not by_place):
                    mapping[i] = j
                    free.discard(j)
                    break
    return tuple(mapping)


def _aligned(a: Rows, b: Rows, mapping: Mapping, policy: Policy) -> tuple[Rows, Rows]:
    """The rows of both tables with comparable cells, and only their mapped columns."""
    pairs = [(i, j) for i, j in enumerate(mapping) if j is not None]
    as_texts = {"text": _text_rows, "rounded": rounded_rows}.get(policy.values)
    if as_texts is not None:
        a, b = as_texts(a), as_texts(b)
    if any(i != j for i, j in pairs) or len(pairs) != len((*a, (0,))[0]):
        a = [tuple([row[i] for i, _ in pairs]) for row in a]
    if any(i != j for i, j in pairs) or len(pairs) != len((*b, (0,))[0]):
        b = [tuple([row[j] for _, j in pairs]) for row in b]
    if as_texts is not None:
        return a, b
    floats: Floats = "never" if policy.values == "exact" else "beside"
    return comparable(a, b, by_column=True, floats=floats) or (a, b)


def _loosely_differing(
    a: Rows, b: Rows, missing: list[int], extra: list[int], policy: Policy
) -> tuple[list[int], list[int]]:
    """Those of the missing and extra rows that still differ after what the policy forgives."""
    left: Rows = [a[i] for i in missing]
    right: Rows = [b[i] for i in extra]
    left, right = loosely(left, right, forgiving(policy), by_column=True)
    if policy.tolerance:
        left, right = joined(left, right, policy.tolerance, by_column=True)
    lost, found = differing_rows(left, right, as_set=policy.duplicates == "set")
    return [missing[i] for i in lost], [extra[i] for i in found]


def _text_rows(rows: Rows) -> Rows:
    return list(zip(*texts(rows), strict=True))


# ---------------------------------------------------------------- findings


@dataclass(frozen=True, slots=True)
class _View:
    """Both tables, their aligned rows, and the indexes of the rows that only one of them has."""

    reference: ResultTable
    candidate: ResultTable
    policy: Policy
    ties: Sequence[Any] | None
    mapping: Mapping
    a: Rows
    b: Rows
    missing: list[int]
    extra: list[int]

    def cells(self, pairs: list[RowPair], limit: int) -> Iterator[CellDifference]:
        columns = [(i, j) for i, j in enumerate(self.mapping) if j is not None]
        for pair in pairs[:limit]:
            left = self.reference.rows[pair.reference_row]
            right = self.candidate.rows[pair.candidate_row]
            for place in pair.differing[:limit]:
                i, j = columns[place]
                kind = cell_kind(left[i], right[j])
                if _forgiven(left[i], right[j], kind, self.policy):
                    continue
                yield CellDifference(
                    pair.reference_row,
                    pair.candidate_row,
                    i,
                    j,
                    self.reference.columns[i],
                    kind,
                    left[i],
                    right[j],
                )

    def findings(
        self, comparison: Comparison, cells: tuple[CellDifference, ...], ordered: bool
    ) -> Iterator[Mismatch]:
        if comparison.equal is None:
            yield Mismatch(
                MismatchKind.UNKNOWN,
                "The comparison gave up: which column stands for which could not be settled "
                "within the budget.",
            )
        if comparison.only_order_differs:
            yield self._order()
            return
        found = False
        for finding in self._all(cells):
            found = True
            yield finding
        if not found and comparison.equal is False:
            order = " and the order of rows counts" if ordered else ""
            yield Mismatch(
                MismatchKind.VALUES,
                f"No arrangement of the columns makes the tables equal under the policy "
                f"{self.policy.signature}{order}.",
            )

    def _all(self, cells: tuple[CellDifference, ...]) -> Iterator[Mismatch]:
        if self.reference.width != self.candidate.width:
            yield self._column_count()
        yield from self._row_count()
        whole = self._duplicates() or self._column_order()
        if whole is not None:
            yield whole
            return
        yield from self._cells(cells)
        if not cells or len({cell.reference_row for cell in cells}) < len(self.missing):
            yield from self._rows()

    def _column_count(self) -> Mismatch:
        left, right = self.reference, self.candidate
        text = (
            f"The reference has {_count(left.width, 'column')}{_names(left)}, "
            f"the prediction {right.width}{_names(right)}."
        )
        mapping = self._guess()
        if mapping is not None:
            used = [j for j in mapping if j is not None]
            wide, name = (right, "prediction") if right.width > left.width else (left, "reference")
            taken = used if wide is right else [i for i, j in enumerate(mapping) if j is not None]
            unused = [column_name(k, c) for k, c in enumerate(wide.columns) if k not in taken]
            text += f" Without the {name}'s {', '.join(unused)} the tables would be equal."
        return Mismatch(MismatchKind.COLUMN_COUNT, text)

    def _guess(self) -> Mapping | None:
        """A mapping of columns under which the tables are equal; None if there is none, or the
        tables are large."""
        a, b = self.reference.rows, self.candidate.rows
        widths = self.reference.width, self.candidate.width
        if not a or len(a) != len(b) or (len(a) + len(b)) * max(widths) > _TRIED_CELLS:
            return None
        left, right = comparable(a, b, by_column=False, floats="beside") or (a, b)
        try:
            return match_columns(left, right, widths, budget=_GUESS_BUDGET)
        except BudgetSpentError:
            return None

    def _row_count(self) -> Iterator[Mismatch]:
        n, m = len(self.reference.rows), len(self.candidate.rows)
        if (n == 0) != (m == 0):
            empty, full, rows = (
                ("reference", "prediction", m) if n == 0 else ("prediction", "reference", n)
            )
            text = f"The {empty} is empty, the {full} has {_count(rows, 'row')}."
            yield Mismatch(MismatchKind.EMPTY, text)
            return
        if n != m:
            text = f"The reference has {_count(n, 'row')}, the prediction {m}."
            yield Mismatch(MismatchKind.ROW_COUNT, text)

    def _duplicates(self) -> Mismatch | None:
        if not (self.missing or self.extra) or set(self.a) != set(self.b):
            return None
        left, right = Counter(self.a), Counter(self.b)
        if self.missing:
            row, raw = self.a[self.missing[0]], self.reference.rows[self.missing[0]]
        else:
            row, raw = self.b[self.extra[0]], self.candidate.rows[self.extra[0]]
        return Mismatch(
            MismatchKind.DUPLICATES,
            f"The distinct rows are the same but not as often: {shown_row(raw)} stands "
            f"{_times(left[row])} in the reference, {_times(right[row])} in the prediction.",
        )

    def _column_order(self) -> Mismatch | None:
        widths = self.reference.width, self.candidate.width
        if widths[0] != widths[1] or self.policy.column_order == "any":
            return None
        mapping = self._guess()
        if mapping is None or list(mapping) == list(range(widths[0])):
            return None
        order = ", ".join(str((j or 0) + 1) for j in mapping)
        return Mismatch(
            MismatchKind.COLUMN_ORDER,
            f"Only the order of columns differs: the tables would be equal with the "
            f"prediction's columns in the order {order}.",
        )

    def _cells(self, cells: tuple[CellDifference, ...]) -> Iterator[Mismatch]:
        if not cells:
            return
        kinds = {cell.kind for cell in cells}
        paired = {cell.reference_row for cell in cells}
        complete = len(paired) == len(self.missing) == len(self.extra)
        if complete and len(kinds) == 1 and cells[0].kind in SOFT_KINDS:
            lead = _LEADS[cells[0].kind]
            yield Mismatch(cells[0].kind, f"{lead} {_capital(cells[0].sentence())}.")
            cells = cells[1:_NAMED_CELLS]
        for cell in cells[:_NAMED_CELLS]:
            yield Mismatch(cell.kind, f"{_capital(cell.sentence())}.")

    def _rows(self) -> Iterator[Mismatch]:
        """The number of rows that only one table has, with the first such row."""
        if not (self.reference.rows and self.candidate.rows):
            return
        missing = _only(self.reference, self.missing, "reference")
        extra = _only(self.candidate, self.extra, "prediction")
        if missing and extra:
            yield Mismatch(MismatchKind.VALUES, f"{missing}, {extra}.")
        elif missing:
            yield Mismatch(MismatchKind.SUBSET, f"{missing}; the prediction has no row of its own.")
        elif extra:
            yield Mismatch(MismatchKind.SUPERSET, f"{extra}; the reference has no row of its own.")

    def _order(self) -> Mismatch:
        if self.ties is not None and not self.policy.free_ties and self._first_misplaced() is None:
            return Mismatch(
                MismatchKind.TIE,
                "Only rows that the reference's ORDER BY does not tell apart stand in another "
                "order, which this policy counts.",
            )
        if len(self.a) > 1 and self.a == self.b[::-1]:
            return Mismatch(MismatchKind.ROW_ORDER, "The same rows stand in the reverse order.")
        text = "The same rows stand in another order"
        first = self._first_misplaced()
        if first is None:
            return Mismatch(MismatchKind.ROW_ORDER, f"{text}.")
        left, right = self.reference.rows[first], self.candidate.rows[first]
        return Mismatch(
            MismatchKind.ROW_ORDER,
            f"{text}: row {first + 1} is {shown_row(left)} in the reference, "
            f"{shown_row(right)} in the prediction.",
        )

    def _first_misplaced(self) -> int | None:
        """The index of the prediction's first row that is in a wrong place; None without one."""
        ties = self.ties if self.ties is not None else range(len(self.a))
        left = Counter(zip(ties, self.a, strict=False))
        for i, key in enumerate(zip(ties, self.b, strict=False)):
            if left[key] <= 0:
                return i
            left[key] -= 1
        return None


_LEADS = {
    MismatchKind.TYPES: "The values would be equal but for their types.",
    MismatchKind.TEXT_CASE: "The values differ only in case or space.",
    MismatchKind.ROUNDING: "The values differ only in rounding.",
}


def _forgiven(x: Any, y: Any, kind: MismatchKind, policy: Policy) -> bool:
    lenient = policy.values == "lenient"
    if kind is MismatchKind.TEXT_CASE:
        return lenient
    if lenient and plainest(x) == plainest(y):
        return True
    if not policy.tolerance or kind not in (MismatchKind.ROUNDING, MismatchKind.TYPES):
        return False
    x, y = (float(cell) if isinstance(cell, Decimal) else cell for cell in (x, y))
    return close(x, y, policy.tolerance)


def _only(table: ResultTable, indexes: list[int], name: str) -> str:
    if not indexes:
        return ""
    verb = "is" if len(indexes) == 1 else "are"
    example = f"row {indexes[0] + 1}: {shown_row(table.rows[indexes[0]])}"
    return f"{_count(len(indexes), 'row')} {verb} only in the {name} ({example})"


def _names(table: ResultTable) -> str:
    names = [name or "?" for name in table.columns]
    if not any(table.columns):
        return ""
    shown_names = [*names[:8], f"… {len(names) - 8} more"] if len(names) > 8 else names
    return f" ({', '.join(shown_names)})"


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n:,} times"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
