"""Spider 2.0's comparison: each column of the reference must equal some column of the prediction.

Columns are compared one by one, so rows need not belong together: with the order of rows free, a
prediction with the values of a column shuffled among the rows is accepted, and one column of the
prediction can stand for several of the reference. This follows ``compare_pandas_table`` of
``spider2-lite/evaluation_suite/evaluate.py`` in xlang-ai/Spider2 (commit e12c5f1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sqljury.execution import ResultTable
from sqljury.tables.csv_cells import as_pandas_reads, columns_of, written
from sqljury.tables.findings import (
    Comparison,
    DifferingRows,
    Explanation,
    Mismatch,
    MismatchKind,
    column_name,
    shown,
)

_SCALE = 1e-9
"""The relative tolerance that ``math.isclose`` has beside the absolute one."""


def compare_columns(
    reference: ResultTable, prediction: ResultTable, *, ordered: bool, tolerance: float
) -> Comparison:
    """Equal if each column of the reference has the cells of some column of the prediction.

    Both tables are taken as pandas reads them from a CSV file. Missing cells count as 0, numbers
    are equal within the absolute tolerance, and if the order of rows is free, each column is sorted
    on its own, by the texts of its cells.
    """
    left, right = (_vectors(table, ordered=ordered) for table in (reference, prediction))
    mapping = tuple(_partner(column, right, tolerance) for column in left)
    if None not in mapping:
        return Comparison(equal=True, column_mapping=mapping)
    kind = MismatchKind.VALUES
    if len(reference.rows) != len(prediction.rows):
        kind = MismatchKind.ROW_COUNT
    return Comparison(equal=False, column_mapping=mapping, reason=kind)


def _vectors(table: ResultTable, *, ordered: bool) -> list[list[Any]]:
    columns = written(table.rows) if table.rows else [[] for _ in table.columns]
    vectors = [[0 if x != x else x for x in column] for column in as_pandas_reads(columns)]
    if ordered:
        return vectors
    return [sorted(vector, key=_place) for vector in vectors]


def _place(cell: Any) -> tuple[str, bool]:
    return str(cell), isinstance(cell, int | float)


def _partner(
    column: Sequence[Any], others: Sequence[Sequence[Any]], tolerance: float
) -> int | None:
    return next((j for j, other in enumerate(others) if _match(column, other, tolerance)), None)


def _match(column: Sequence[Any], other: Sequence[Any], tolerance: float) -> bool:
    return len(column) == len(other) and all(
        _same(x, y, tolerance) for x, y in zip(column, other, strict=True)
    )


def _same(x: Any, y: Any, tolerance: float) -> bool:
    if isinstance(x, int | float) and isinstance(y, int | float):
        try:
            return math.isclose(float(x), float(y), rel_tol=_SCALE, abs_tol=tolerance)
        except OverflowError:  # an integer that no float holds: the script fails
            return False
    return bool(x == y)


def explain_columns(
    reference: ResultTable, prediction: ResultTable, comparison: Comparison, *, ordered: bool
) -> Explanation:
    """For each reference column without a partner, a sentence on where the most similar column of
    the prediction differs."""
    findings = []
    n, m = len(reference.rows), len(prediction.rows)
    if n != m:
        text = f"The reference has {n:,} rows, the prediction {m:,}."
        findings.append(Mismatch(MismatchKind.ROW_COUNT, text))
    else:
        mapping = comparison.column_mapping or ()
        left = list(columns_of(reference.rows, reference.width))
        right = list(columns_of(prediction.rows, prediction.width))
        for i, partner in enumerate(mapping):
            if partner is None:
                name = column_name(i, reference.columns[i])
                text = f"No column of the prediction equals the reference's {name}"
                text += _nearest(left[i], right, prediction.columns, ordered=ordered)
                findings.append(Mismatch(MismatchKind.VALUES, f"{text}."))
    none = DifferingRows(0, ())
    return Explanation(tuple(findings), n, m, comparison.column_mapping or (), none, none)


def _nearest(
    column: Sequence[Any], others: Sequence[Sequence[Any]], names: Sequence[str], *, ordered: bool
) -> str:
    """How the most similar column differs; empty if none shares a cell."""
    best, shared = -1, 0
    for j, other in enumerate(others):
        if ordered:
            common = sum(x == y for x, y in zip(column, other, strict=True))
        else:
            common = len(column) - len(_without(column, other))
        if common > shared:
            best, shared = j, common
    if best < 0:
        return ""
    if ordered:
        pairs = list(zip(column, others[best], strict=True))
        lacks = [pair for pair in pairs if pair[0] != pair[1]]
    else:
        lacks = list(zip(_without(column, others[best]), _without(others[best], column)))  # noqa: B905
    if not lacks:
        return ""
    mine, theirs = lacks[0]
    return (
        f"; {column_name(best, names[best])} differs in {len(lacks):,} of {len(column):,} cells: "
        f"{shown(theirs)} instead of {shown(mine)}"
    )


def _without(column: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    """The cells of a column that another one lacks, or has fewer times."""
    left: dict[str, int] = {}
    for cell in other:
        left[str(cell)] = left.get(str(cell), 0) + 1
    found = []
    for cell in column:
        if left.get(str(cell), 0):
            left[str(cell)] -= 1
        else:
            found.append(cell)
    return found
