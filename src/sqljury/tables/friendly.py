"""Compares tables in any form: lists of rows, result tables, data frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqljury.errors import InputError
from sqljury.execution import ResultTable
from sqljury.tables.compare import compare
from sqljury.tables.explanation import explain
from sqljury.tables.findings import Comparison
from sqljury.tables.policy import Policy, make_policy

TableLike = Any
"""A ResultTable, a list of rows, or an object with ``columns`` and ``itertuples`` (pandas)."""


def compare_tables(
    a: TableLike, b: TableLike, policy: str | Policy = "strict", ordered: bool = False
) -> Comparison:
    """Compares two tables; if they differ, the result has an explanation.

    Args:
        a: the reference: rows as tuples or lists, a ResultTable, or a data frame.
        b: the prediction.
        policy: a name out of :data:`POLICIES` or a policy made with :func:`make_policy`.
        ordered: the order of rows counts.

    Raises:
        InputError: SJ604: not a table; SJ605: rows of unequal length; SJ601: no such policy.

    >>> compare_tables([(1, "Ann"), (2, "Bob")], [(2.0, "Bob"), (1.0, "Ann")]).equal
    True
    >>> found = compare_tables([(1, "Ann"), (2, "Bob")], [(1, "ann"), (2, "Bob")])
    >>> print(found.explanation.text)
    The values differ only in case or space. Row 1, column 2: reference 'Ann', prediction 'ann'.
    """
    rules = make_policy(policy) if isinstance(policy, str) else policy
    left, right = _table(a, "a"), _table(b, "b")
    # A list without rows has no columns of its own: it gets those of the other table.
    if not left.rows and not left.columns:
        left = ResultTable(right.columns, [])
    if not right.rows and not right.columns:
        right = ResultTable(left.columns, [])
    found = compare(left, right, rules, ordered=ordered)
    if found.equal:
        return found
    return replace(found, explanation=explain(left, right, rules, found, ordered=ordered))


def _table(value: TableLike, name: str) -> ResultTable:
    if isinstance(value, ResultTable):
        return _checked(value.columns, value.rows, name)
    if hasattr(value, "columns") and hasattr(value, "itertuples"):
        rows = [tuple(map(_frame_cell, row)) for row in value.itertuples(index=False, name=None)]
        return _checked(tuple(map(str, value.columns)), rows, name)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InputError(
            "SJ604",
            f"{name} is {_a(value)}, not a table.",
            hint="Pass a list of tuples, a ResultTable or a data frame.",
        )
    rows = list(value)
    for i, row in enumerate(rows):
        if not isinstance(row, tuple | list):
            raise InputError(
                "SJ604",
                f"row {i + 1} is {_a(row)}, not a tuple or list.",
                where=name,
                hint="A table of one column is [(1,), (2,)].",
            )
    rows = [tuple(row) for row in rows]
    return _checked(("",) * len(rows[0]) if rows else (), rows, name)


def _checked(columns: tuple[str, ...], rows: Sequence[Any], name: str) -> ResultTable:
    width = len(columns)
    for i, row in enumerate(rows):
        if len(row) != width:
            raise InputError(
                "SJ605",
                f"row {i + 1} has {len(row)} cells, not {width}.",
                where=name,
                hint="Every row of a table has one cell for each column.",
            )
    return ResultTable(tuple(columns), [tuple(row) for row in rows])


def _frame_cell(value: Any) -> Any:
    """A data frame's cell as a plain value: numpy scalars unpacked, every missing value None."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    # A data frame stores NULL as NaN in columns of numbers, so the two cannot be distinguished.
    return None if isinstance(value, float) and value != value else value


def _a(value: Any) -> str:
    name = type(value).__name__
    return f"an {name}" if name[:1] in "aeiou" else f"a {name}"
