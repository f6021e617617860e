"""Differences between two results that many people would not call one."""

from __future__ import annotations

from dataclasses import replace

from sqljury.execution import ResultTable
from sqljury.tables import Policy, compare, make_policy

_TEXTS = make_policy("strict", values="text", row_order="free")
_ROUNDED = 0.02


def slight_difference(left: ResultTable, right: ResultTable, policy: Policy) -> str:
    """A name for a slight difference of two results that differ, or nothing.

    ``nothing``: no row against one row of NULL or 0; ``types``: the cells print alike;
    ``rounding``: the numbers agree to two parts in a hundred.
    """
    if len(left.rows) + len(right.rows) == 1 and (is_nothing(left) or is_nothing(right)):
        return "nothing"
    if len(left.rows) != len(right.rows) or left.width != right.width:
        return ""
    if compare(left, right, replace(_TEXTS, column_order=policy.column_order)).equal:
        return "types"
    if policy.values != "text" and _has_fractions(left, right):
        close = compare(left, right, replace(policy, tolerance=_ROUNDED))
        return "rounding" if close.equal else ""
    return ""


def _has_fractions(left: ResultTable, right: ResultTable) -> bool:
    rows = (*left.rows[:1], *right.rows[:1])
    return any(isinstance(cell, float) for row in rows for cell in row)


def is_nothing(table: ResultTable) -> bool:
    """Whether a result is one row of NULL, 0 and empty texts."""
    return len(table.rows) == 1 and all(cell in (None, 0, "") for cell in table.rows[0])
