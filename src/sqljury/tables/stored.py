"""Result tables from files, made comparable with each other and with the rows of a database."""

from __future__ import annotations

from dataclasses import replace

from sqljury.execution import ResultTable
from sqljury.stored_table import ReferenceTable, StoredTable
from sqljury.tables.compare import compare
from sqljury.tables.csv_cells import plain, typed, written
from sqljury.tables.findings import Comparison, MismatchKind
from sqljury.tables.policy import Policy


def paired(
    reference: StoredTable | ResultTable,
    prediction: StoredTable | ResultTable,
    *,
    as_text: bool = False,
) -> tuple[ResultTable, ResultTable]:
    """Both tables with cells in the same notation.

    If one is from a CSV file, both get the types that their texts look like. Otherwise cells have
    JSON's types: a date is its ISO text.

    Args:
        as_text: cells stay as they are, for a policy that reads the text itself.
    """
    sides = (reference, prediction)
    if isinstance(reference, ResultTable) and isinstance(prediction, ResultTable):
        return reference, prediction
    if as_text:
        return _rows(reference), _rows(prediction)
    if any(isinstance(one, StoredTable) and one.is_text for one in sides):
        return _typed(reference), _typed(prediction)
    return _plain(reference), _plain(prediction)


def _rows(table: StoredTable | ResultTable) -> ResultTable:
    return ResultTable(table.columns, list(table.rows))


def _typed(table: StoredTable | ResultTable) -> ResultTable:
    columns = [typed(column) for column in written(table.rows)]
    return ResultTable(table.columns, list(zip(*columns, strict=True)))


def _plain(table: StoredTable | ResultTable) -> ResultTable:
    return ResultTable(table.columns, [tuple(map(plain, row)) for row in table.rows])


def compare_stored(
    reference: ReferenceTable, prediction: StoredTable | ResultTable, policy: Policy
) -> tuple[Comparison, ResultTable, ResultTable]:
    """The comparison with a reference that is a result table, and both tables as compared.

    Columns that do not count may be there or not. A policy without extra columns accepts a
    prediction that has all the reference's columns, or only those that count; the others accept
    any, as long as none that counts lacks.
    """
    left, right = paired(reference, prediction, as_text=policy.values == "csv")
    counted = reference.counted
    if counted is None:
        return compare(left, right, policy, ordered=reference.ordered), left, right
    needed = _chosen(left, counted)
    if policy.column_order == "given" or policy.duplicates == "odd":
        if right.width == left.width:
            right = _chosen(right, counted)
    elif policy.extra_columns or right.width == left.width:
        policy = replace(policy, extra_columns=True)
        if right.width < needed.width and policy.duplicates != "by_column":
            lacks = Comparison(equal=False, reason=MismatchKind.COLUMN_COUNT)
            return lacks, needed, right
    return compare(needed, right, policy, ordered=reference.ordered), needed, right


def counted_columns(
    reference: ReferenceTable | ResultTable, prediction: StoredTable | ResultTable
) -> tuple[ResultTable, ResultTable]:
    """Both tables with only the columns that count, as far as the prediction's positions tell."""
    left, right = paired(reference, prediction)
    if isinstance(reference, ResultTable) or reference.counted is None:
        return left, right
    if right.width == left.width:
        right = _chosen(right, reference.counted)
    return _chosen(left, reference.counted), right


def _chosen(table: ResultTable, columns: tuple[int, ...]) -> ResultTable:
    return ResultTable(
        tuple(table.columns[i] for i in columns),
        [tuple([row[i] for i in columns]) for row in table.rows],
    )
