"""Result tables as people see them: cells as text, the rows and cells that differ."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqljury.case import Json
from sqljury.evidence_shapes import MismatchFields, RowsAlone, ShownRows, mismatch_of, shown_rows
from sqljury.reports.words import shortened, visible

_MOST_ROWS = 30
_NULL_LIKE = re.compile(r"null|none|nan|true|false|\s.*|.*\s|'.*'", re.IGNORECASE | re.DOTALL)
_NUMBER_LIKE = re.compile(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?")
_LONGEST_NUMBER = 15
"""Evidence keeps longer numbers as text, as JSON cannot hold them."""


def cell_text(cell: Json, most: int) -> str:
    """A cell on one line. Text that could be taken for something else stands in quotes.

    >>> [cell_text(cell, 9) for cell in (None, 123, "00123", "", "NULL", "Zoë", 1.0)]
    ['NULL', '123', "'00123'", "''", "'NULL'", 'Zoë', '1.0']
    """
    if cell is None:
        return "NULL"
    if not isinstance(cell, str):
        return shortened(visible(json.dumps(cell, ensure_ascii=False)), most)
    text = shortened(visible(cell).replace("\n", "\\n").replace("\t", "\\t"), most)
    return f"'{text}'" if _looks_otherwise(cell) else text


def _looks_otherwise(cell: str) -> bool:
    if not cell or _NULL_LIKE.fullmatch(cell):
        return True
    return len(cell) <= _LONGEST_NUMBER and _NUMBER_LIKE.fullmatch(cell) is not None


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of a result, with what differs in it."""

    number: int
    """Counted from 1."""
    cells: tuple[Json, ...]
    differs: bool
    differing: frozenset[int]
    """The columns that differ: all of them where the other result has no such row."""


@dataclass(frozen=True, slots=True)
class ShownTable:
    """The first rows of a result and those further down that differ."""

    columns: tuple[str, ...]
    rows: tuple[ShownRow, ...]
    row_count: int
    differing: int = 0
    """How many rows the other result lacks, shown or not."""

    @property
    def hidden(self) -> int:
        """How many rows are not shown."""
        return max(0, self.row_count - len(self.rows))

    @property
    def hidden_differing(self) -> int:
        """How many of those differ."""
        return max(0, self.differing - sum(row.differs for row in self.rows))

    def is_numeric(self, column: int) -> bool:
        """Whether every cell of the column that is not NULL is a number."""
        cells = [row.cells[column] for row in self.rows if column < len(row.cells)]
        return all(
            isinstance(cell, int | float) and not isinstance(cell, bool)
            for cell in cells
            if cell is not None
        )


def shown_tables(evidence: Mapping[str, Json]) -> tuple[ShownTable, ShownTable] | None:
    """Reference and prediction out of an execution judge's evidence, or None without them."""
    sides = [shown_rows(evidence, name) for name in ("reference", "prediction")]
    reference, prediction = (side if _is_table(side) else None for side in sides)
    if reference is None or prediction is None:
        return None
    explanation = mismatch_of(evidence)
    if not isinstance(explanation, dict):
        explanation = None
    return (
        _shown(reference, explanation, "missing", "reference"),
        _shown(prediction, explanation, "extra", "candidate"),
    )


def _is_table(side: Json) -> bool:
    return (
        isinstance(side, dict)
        and isinstance(side.get("columns"), list)
        and isinstance(side.get("rows"), list)
        and all(isinstance(row, list) for row in side["rows"])
    )


def _shown(
    side: ShownRows,
    explanation: MismatchFields | None,
    alone: Literal["missing", "extra"],
    name: Literal["reference", "candidate"],
) -> ShownTable:
    """One side.

    Args:
        alone: where the explanation lists the rows that only this side has.
    """
    rows = dict(enumerate(side["rows"][:_MOST_ROWS]))
    of_this_side = explanation.get(alone) if explanation else None
    further = {row["row"]: row["cells"] for row in (of_this_side or _NO_ROWS)["rows"]}
    for index in sorted(further):
        if len(rows) < _MOST_ROWS:
            rows.setdefault(index, further[index])
    marks = {mark for mark in side.get("marks") or () if isinstance(mark, int)} | set(further)
    cells = _differing_cells(explanation, name)
    count = side.get("row_count")
    return ShownTable(
        columns=tuple(str(name) for name in side["columns"]),
        rows=tuple(
            ShownRow(
                index + 1,
                tuple(row),
                index in marks,
                frozenset(cells.get(index) or range(len(row) if index in marks else 0)),
            )
            for index, row in rows.items()
        ),
        row_count=count if isinstance(count, int) else len(side["rows"]),
        differing=(of_this_side or _NO_ROWS)["total"],
    )


_NO_ROWS: RowsAlone = {"total": 0, "rows": []}


def _differing_cells(
    explanation: MismatchFields | None, side: Literal["reference", "candidate"]
) -> dict[int, set[int]]:
    cells: dict[int, set[int]] = {}
    for cell in (explanation.get("cells") if explanation else None) or ():
        row, column = (
            (cell["reference_row"], cell["reference_column"])
            if side == "reference"
            else (cell["candidate_row"], cell["candidate_column"])
        )
        cells.setdefault(row, set()).add(column)
    return cells
