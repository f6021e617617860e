"""Renders cells for display and JSON; the values that describe how two tables differ."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import StrEnum
from typing import Any

from sqljury.tables.columns import Mapping
from sqljury.tables.values import Row
from sqljury.writing import encodable

MAX_TEXT = 300
"""Most characters of a cell that are kept in reports and stores."""
_MAX_SHOWN = 60
"""Most characters of a cell that are shown in a sentence."""
_JSON_INTEGER = 2**53


def render_cell(value: Any, max_text: int = MAX_TEXT) -> str | float | bool | None:
    """A cell as a JSON value. '1' and 1, NULL and '' stay different; a long text is cut and ends
    with its length.

    >>> render_cell("1"), render_cell(1), render_cell(None), render_cell(b"\\x00a")
    ('1', 1, None, "x'0061'")
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if len(value) <= max_text and value.isascii():
            return value
        return _cut(encodable(value), max_text)
    if isinstance(value, int):
        return int(value) if abs(value) <= _JSON_INTEGER else _cut(_integer_text(value), max_text)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        if value.is_finite():
            number = float(value)
            if math.isfinite(number) and Decimal(repr(number)) == value:
                return number
        return _cut(str(value), max_text)
    return _cut(encodable(_text(value, max_text)), max_text)


def _integer_text(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # more digits than Python prints
        return hex(value)


def _text(value: Any, max_text: int) -> str:
    if isinstance(value, bytes | bytearray | memoryview):
        data = bytes(value)
        mark = f"… ({len(data)} bytes)" if 2 * len(data) > max_text else ""
        return f"x'{data[: max_text // 2].hex()}'{mark}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, default=str, ensure_ascii=False, skipkeys=True)
    return str(value)


def _cut(text: str, max_text: int) -> str:
    # Rendered bytes already end with their length.
    if len(text) <= max_text or text.endswith(" bytes)"):
        return text
    return f"{text[:max_text]}… ({len(text)} characters)"


def shown(value: Any, *, typed: bool = False) -> str:
    """A cell as shown in a sentence: NULL, 'text', 3.5; with ``typed``, followed by its type."""
    if value is None:
        return "NULL"
    rendered = render_cell(value, _MAX_SHOWN)
    text = f"'{rendered}'" if isinstance(value, str) else str(rendered)
    return f"{text} ({_TYPE_NAMES.get(type(value), type(value).__name__)})" if typed else text


def shown_row(row: tuple[Any, ...]) -> str:
    """A row as shown in a sentence; at most six cells."""
    cells = [shown(cell) for cell in row[:6]]
    if len(row) > 6:
        cells.append(f"… {len(row) - 6} more")
    return f"({', '.join(cells)})"


_TYPE_NAMES = {
    bool: "boolean",
    int: "integer",
    float: "float",
    Decimal: "decimal",
    str: "text",
    bytes: "bytes",
    datetime: "timestamp",
    date: "date",
}


# ------------------------------------------------------------
# How tables differ, and where: cells, rows, sentences.


class MismatchKind(StrEnum):
    """The kinds of difference between two tables."""

    COLUMN_COUNT = "column_count"
    ROW_COUNT = "row_count"
    EMPTY = "empty"
    """One of the two has no rows."""
    SUBSET = "subset"
    """Every row of the prediction is in the reference, and the reference has more."""
    SUPERSET = "superset"
    """Every row of the reference is in the prediction, and the prediction has more."""
    DUPLICATES = "duplicates"
    """The same distinct rows, but different numbers of them."""
    ROW_ORDER = "row_order"
    TIE = "tie"
    """Only rows that tie in the reference's ORDER BY are in another order."""
    COLUMN_ORDER = "column_order"
    TYPES = "types"
    """Cells that differ only in their types: '1' and 1."""
    TEXT_CASE = "text_case"
    """Texts that differ only in case or white space."""
    ROUNDING = "rounding"
    """Numbers that differ only in rounding."""
    NULL = "null"
    """NULL on one side, a value on the other."""
    VALUES = "values"
    UNKNOWN = "unknown"
    """The comparison used up its budget without an answer."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One difference, described in one sentence."""

    kind: MismatchKind
    text: str


@dataclass(frozen=True, slots=True)
class DifferingRows:
    """The rows that only one table has: their number, and the first of them."""

    total: int
    rows: tuple[tuple[int, Row], ...]
    """Index (from 0) in its table, and the row."""
    places: frozenset[int] = frozenset()
    """The indexes of those of them that are among the first hundred rows of the table."""

    def to_dict(self) -> dict[str, Any]:
        """A JSON object with rendered cells."""
        rows = [{"row": i, "cells": [render_cell(cell) for cell in row]} for i, row in self.rows]
        return {"total": self.total, "rows": rows}


@dataclass(frozen=True, slots=True)
class CellDifference:
    """One cell in which two paired rows differ. Indexes count from 0."""

    reference_row: int
    candidate_row: int
    reference_column: int
    candidate_column: int
    column: str
    kind: MismatchKind
    reference: Any
    candidate: Any

    def to_dict(self) -> dict[str, Any]:
        """A JSON object with rendered cells."""
        return {
            "reference_row": self.reference_row,
            "candidate_row": self.candidate_row,
            "reference_column": self.reference_column,
            "candidate_column": self.candidate_column,
            "column": self.column,
            "kind": self.kind.value,
            "reference": render_cell(self.reference),
            "candidate": render_cell(self.candidate),
        }

    def sentence(self) -> str:
        """The place of the cell and both values, as a sentence without its full stop."""
        where = f"row {self.reference_row + 1}"
        if self.candidate_row != self.reference_row:
            where = f"reference row {self.reference_row + 1}, prediction {self.candidate_row + 1}"
        typed = self.kind is MismatchKind.TYPES
        return (
            f"{where}, {column_name(self.reference_column, self.column)}: "
            f"reference {shown(self.reference, typed=typed)}, "
            f"prediction {shown(self.candidate, typed=typed)}"
        )


@dataclass(frozen=True, slots=True)
class Explanation:
    """The differences between two tables, the most important first."""

    findings: tuple[Mismatch, ...]
    reference_rows: int
    candidate_rows: int
    column_mapping: Mapping
    """For each reference column the prediction's column that it was compared with, or None."""
    missing: DifferingRows
    """Rows that only the reference has."""
    extra: DifferingRows
    """Rows that only the prediction has."""
    cells: tuple[CellDifference, ...] = ()
    """Differing cells of missing and extra rows that were paired because they are similar."""

    @property
    def kinds(self) -> tuple[MismatchKind, ...]:
        """The kinds of difference, each once."""
        return tuple(dict.fromkeys(finding.kind for finding in self.findings))

    @property
    def text(self) -> str:
        """The sentences of all findings."""
        return " ".join(finding.text for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """A JSON object; every cell is rendered, so it is safe to store and to print."""
        return {
            "kinds": [kind.value for kind in self.kinds],
            "findings": [{"kind": f.kind.value, "text": f.text} for f in self.findings],
            "reference_rows": self.reference_rows,
            "candidate_rows": self.candidate_rows,
            "column_mapping": list(self.column_mapping),
            "missing": self.missing.to_dict(),
            "extra": self.extra.to_dict(),
            "cells": [cell.to_dict() for cell in self.cells],
        }


def column_name(index: int, name: str) -> str:
    """A column's number from 1, and its name if it has one: ``column 2 (age)``."""
    return f"column {index + 1} ({name})" if name else f"column {index + 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result of a comparison under a policy; as a condition, True if the tables are equal.

    Args:
        equal: None if the comparison used up its budget.
        only_order_differs: the rows are the same but in another order: if rows may tie, compare
            again with ``ties``.
        column_mapping: for each reference column the matching column of the prediction, or None if
            it has none; without a mapping, columns match by position.
        notes: the differences that the policy forgave: ``duplicates_differ``, ``extra_columns``,
            ``column_order``, ``tolerance``, ``text_case``, ``notation``.
        reason: the first kind of difference found.
        explanation: set by :func:`compare_tables` on a mismatch.
    """

    equal: bool | None
    only_order_differs: bool = False
    column_mapping: tuple[int | None, ...] | None = None
    notes: tuple[str, ...] = ()
    reason: MismatchKind | None = None
    explanation: Explanation | None = None

    def __bool__(self) -> bool:
        return self.equal is True
