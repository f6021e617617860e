"""What a comparison says, and the fixed list of ways in which tables differ."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqljury.tables.explanation import Explanation


class Kind(StrEnum):
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
            ``column_order``, ``tolerance``, ``text_case``.
        reason: the first kind of difference found.
        explanation: filled in by :func:`compare_tables`, on a mismatch.
    """

    equal: bool | None
    only_order_differs: bool = False
    column_mapping: tuple[int | None, ...] | None = None
    notes: tuple[str, ...] = ()
    reason: Kind | None = None
    explanation: Explanation | None = None

    def __bool__(self) -> bool:
        return self.equal is True
