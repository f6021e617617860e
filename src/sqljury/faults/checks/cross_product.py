"""Tables that nothing joins."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.sites import Leaf, blocks, leaves
from sqljury.trees.conditions import conjuncts
from sqljury.trees.nodes import Expression, Filter, Join, Relation
from sqljury.trees.types import has_one_row
from sqljury.trees.walk import columns_read, width


@check("AU408", sees=Sees.TREE, read=(5, 5))
def cross_product(query: Query) -> Iterator[Finding]:
    """Tables are put together without a condition: every row meets every other."""
    for source, _ in blocks(query.tree):
        found = leaves(source)
        if len(found) < 2:
            continue
        apart = _apart(found, list(_conditions(source, 0)))
        if len(apart) > 1:
            names = [" and ".join(leaf.table or "a subquery" for leaf in group) for group in apart]
            reason = f"nothing connects {' with '.join(names)}: every row meets every other."
            yield Finding(reason=reason, part="FROM")


def _conditions(relation: Relation, start: int) -> Iterator[frozenset[int]]:
    """The columns of the whole row that each condition reads."""
    if isinstance(relation, Filter):
        yield from _reads(relation.condition, start)
        yield from _conditions(relation.input, start)
    elif isinstance(relation, Join):
        yield from _reads(relation.condition, start)
        yield from _conditions(relation.left, start)
        yield from _conditions(relation.right, start + width(relation.left))


def _reads(condition: Expression, start: int) -> Iterator[frozenset[int]]:
    for part in conjuncts(condition):
        yield frozenset(start + column for column in columns_read(part))


def _apart(found: list[Leaf], conditions: list[frozenset[int]]) -> list[list[Leaf]]:
    """The tables in groups that conditions connect; those of one row belong to any."""
    group = {leaf.start: leaf.start for leaf in found}
    for read in conditions:
        met = [leaf.start for leaf in found if read & set(leaf.columns)]
        merged = {group[start] for start in met}
        group = {s: min(merged) if g in merged else g for s, g in group.items()} if met else group
    single = [leaf for leaf in found if has_one_row(leaf.relation)]
    rest = [leaf for leaf in found if leaf not in single]
    return [
        [leaf for leaf in rest if group[leaf.start] == g]
        for g in sorted({group[leaf.start] for leaf in rest})
    ]
