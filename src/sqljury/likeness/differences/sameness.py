"""Columns that a query makes equal, so that one may be said for the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from sqljury.likeness.differences.blocks import Clause, QueryBlock, is_column
from sqljury.likeness.matching.labelled import Node


def representatives(block: QueryBlock, common: Iterable[str]) -> Callable[[Node], Node]:
    """Puts one column for all that the block's join conditions make equal.

    Args:
        common: the tables that both queries read; their columns are preferred.

    A table that is read twice has no part in it: which of its rows a column is of is not said.
    """
    often = Counter(block.tables())
    once = {table for table, count in often.items() if count == 1}
    shared = set(common)
    classes: dict[str, set[str]] = {}
    for condition in block.of(Clause.JOIN_CONDITION):
        names = [_name(side) for side in condition.children]
        if all(name is not None and name.partition(".")[0] in once for name in names):
            members = set().union(*(classes.get(n, {n}) for n in names if n is not None))
            classes.update(dict.fromkeys(members, members))
    chosen = {
        name: min(members, key=lambda n: (n.partition(".")[0] not in shared, n))
        for name, members in classes.items()
    }
    return lambda node: renamed(node, lambda name: chosen.get(name, name))


def renamed(node: Node, name: Callable[[str], str]) -> Node:
    """An expression with other columns."""
    if is_column(node):
        return Node(name(node.value))
    return Node(node.value, tuple(renamed(c, name) for c in node.children), node.ordered)


def _name(node: Node) -> str | None:
    inner = node.children[0] if node.value == "outer" else node
    return inner.value if is_column(inner) else None
