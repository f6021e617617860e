"""Cells for people and for JSON; in which ways tables differ, and where: cells, rows, sentences."""

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
"""Characters of a cell that reports and stores keep."""
_MAX_SHOWN = 60
"""Characters of a cell in a sentence."""
_JSON_INTEGER = 2**53


def render_cell(value: Any, max_text: int = MAX_TEXT) -> str | float | bool | None:
    """A cell as a JSON value: '1' and 1, NULL and '' stay apart, long texts are cut with a mark.

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
    # Rendered bytes say their length themselves.
    if len(text) <= max_text or text.endswith(" bytes)"):
        return text
    return f"{text[:max_text]}… ({len(text)} characters)"


def shown(value: Any, *, typed: bool = False) -> str:
    """A cell as it stands in a sentence: NULL, 'text', 3.5; with its type if asked for."""
    if value is None:
        return "NULL"
    rendered = render_cell(value, _MAX_SHOWN)
    text = f"'{rendered}'" if isinstance(value, str) else str(rendered)
    return f"{text} ({_TYPE_NAMES.get(type(value), type(value).__name__)})" if typed else text


def shown_row(row: tuple[Any, ...]) -> str:
    """A row as it stands in a sentence."""
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
# In which ways tables differ, and where: cells, rows, sentences.


class MismatchKind(StrEnum):
    """How two tables differ."""

    COLUMN_COUNT = "column_count"
    ROW_COUNT = "row_count"
    EMPTY = "empty"
    """One of the two has no rows."""
    SUBSET = "subset"
    """Every row of the prediction is in the reference, and the reference has more."""
    SUPERSET = "superset"
    """Every row of the reference is in the prediction, and the prediction has more."""
    DUPLICATES = "duplicates"
    """The same distinct rows, not as often."""
    ROW_ORDER = "row_order"
    TIE = "tie"
    """Another order of rows that the reference's ORDER BY does not tell apart."""
    COLUMN_ORDER = "column_order"
    TYPES = "types"
    """Cells that would be equal but for their types: '1' and 1."""
    TEXT_CASE = "text_case"
    """Cells that are equal but for case and space."""
    ROUNDING = "rounding"
    """Numbers that are equal but for rounding."""
    NULL = "null"
    """NULL on one side, a value on the other."""
    VALUES = "values"
    UNKNOWN = "unknown"
    """The comparison gave up at its budget."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One difference in one plain sentence."""

    kind: MismatchKind
    text: str


@dataclass(frozen=True, slots=True)
class DifferingRows:
    """Rows that one table has and the other lacks: how many, and the first of them."""

    total: int
    rows: tuple[tuple[int, Row], ...]
    """Index (from 0) in its table, and the row."""
    places: frozenset[int] = frozenset()
    """The indexes of all of them among the first hundred rows of the table."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        rows = [{"row": i, "cells": [render_cell(cell) for cell in row]} for i, row in self.rows]
        return {"total": self.total, "rows": rows}


@dataclass(frozen=True, slots=True)
class CellDifference:
    """One cell of two rows that belong together. Indexes count from 0."""

    reference_row: int
    candidate_row: int
    reference_column: int
    candidate_column: int
    column: str
    kind: MismatchKind
    reference: Any
    candidate: Any

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
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
        """Where it is and what stands there."""
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
    """The differences, the most telling first."""

    findings: tuple[Mismatch, ...]
    reference_rows: int
    candidate_rows: int
    column_mapping: Mapping
    """For each reference column the prediction's column that it was held against."""
    missing: DifferingRows
    """Only in the reference."""
    extra: DifferingRows
    """Only in the prediction."""
    cells: tuple[CellDifference, ...] = ()
    """Cells that differ in rows that otherwise belong together."""

    @property
    def kinds(self) -> tuple[MismatchKind, ...]:
        """What kinds of difference there are, each once."""
        return tuple(dict.fromkeys(finding.kind for finding in self.findings))

    @property
    def text(self) -> str:
        """All sentences."""
        return " ".join(finding.text for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """As JSON: every cell safe to store and to print."""
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
    """Its number from 1, and its name if it has one."""
    return f"column {index + 1} ({name})" if name else f"column {index + 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Whether two tables are equal under a policy; true as a condition iff they are.

    Args:
        equal: None where the comparison gave up at its budget.
        only_order_differs: the rows are the same but their sequence is not: if the order has
            ties, ask again with ``ties``.
        column_mapping: for each reference column the prediction's column that stands for it,
            None for a column that has none; no mapping where columns are as given.
        notes: what the policy forgave: ``duplicates_differ``, ``extra_columns``,
            ``column_order``, ``tolerance``, ``text_case``, ``notation``.
        reason: the first kind of difference found.
        explanation: filled in by :func:`compare_tables`, on a mismatch.
    """

    equal: bool | None
    only_order_differs: bool = False
    column_mapping: tuple[int | None, ...] | None = None
    notes: tuple[str, ...] = ()
    reason: MismatchKind | None = None
    explanation: Explanation | None = None

    def __bool__(self) -> bool:
        return self.equal is True
