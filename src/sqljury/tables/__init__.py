"""Result tables: typed values, comparison under a policy, explanation of a mismatch."""

from sqljury.tables.compare import compare
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
    "compare_tables",
    "explain",
    "make_policy",
    "render_cell",
    "shown_row",
]
