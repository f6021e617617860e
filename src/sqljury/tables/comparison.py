"""What a comparison says."""

from __future__ import annotations

from dataclasses import dataclass

from sqljury.tables.findings import Explanation, MismatchKind


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
