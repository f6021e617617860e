"""Result tables: typed values, comparison under a policy, explanation of a mismatch."""

from typing import TYPE_CHECKING

from sqljury.rooms import lazily
from sqljury.tables.compare import compare

if TYPE_CHECKING:
    from sqljury.tables.explanation import explain
    from sqljury.tables.findings import (
        CellDifference,
        Comparison,
        DifferingRows,
        Explanation,
        Mismatch,
        MismatchKind,
        render_cell,
        shown_row,
    )
    from sqljury.tables.friendly import compare_tables
    from sqljury.tables.policy import POLICIES, Policy, make_policy
    from sqljury.tables.stored import compare_stored, counted_columns, paired
else:
    __getattr__ = lazily(__name__)

__all__ = [
    "POLICIES",
    "CellDifference",
    "Comparison",
    "DifferingRows",
    "Explanation",
    "Mismatch",
    "MismatchKind",
    "Policy",
    "compare",
    "compare_stored",
    "compare_tables",
    "counted_columns",
    "explain",
    "make_policy",
    "paired",
    "render_cell",
    "shown_row",
]
