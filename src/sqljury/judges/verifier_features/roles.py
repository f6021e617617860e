"""What a query uses each column for."""

from __future__ import annotations

from collections.abc import Mapping

from sqljury.judges.verifier_features.facts import Facts

ROLES = ("select", "condition", "group", "order")


def roles_of(facts: Facts, merged: Mapping[str, str]) -> dict[str, set[str]]:
    """By role, the columns that a query has in it; those that foreign keys make equal are one.

    Columns that only join tables have no role.
    """
    found: dict[str, set[str]] = {role: set() for role in ROLES}
    for block in facts.blocks:
        outer = block.place in ("top", "operand")
        for item in block.items:
            if outer:
                found["select"].add(item.column)
            elif block.place != "from" and item.function in ("max", "min", "avg", "sum"):
                found["order"].add(item.column)
        for one in (*block.where, *block.having):
            if not (one.has_query and one.operator in ("in", "not in")):
                found["condition"].add(one.item.column)
        found["group"] |= {item.column for item in block.group}
        found["order"] |= {item.column for item, _ in block.order}
    return {role: {merged.get(one, one) for one in columns} for role, columns in found.items()}


def tables_used(facts: Facts) -> set[str]:
    """The tables of all blocks."""
    return {table for block in facts.blocks for table in block.tables}
