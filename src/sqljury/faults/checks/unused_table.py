"""A table that is joined and not used."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.sites import Leaf, blocks, leaves
from sqljury.trees.conditions import conjuncts
from sqljury.trees.nodes import Aggregate, Filter, Join, Relation
from sqljury.trees.properties import properties
from sqljury.trees.walk import columns_read, expressions, width


@check("AU409", sees=Sees.TREE | Sees.QUESTION, read=(3, 5))
def unused_table(query: Query) -> Iterator[Finding]:
    """A table that nothing is said of is joined, and repeats or drops rows of the others."""
    for leaf, single, alone in _unused(query):
        # Of two tables the other may be there to ask for a row at all: "students who have a dog".
        if not single and not alone:
            reason = f"nothing of {leaf.table} is used but the join, which repeats and drops rows."
            yield Finding(reason=reason, part=leaf.table)


@check("AU411", sees=Sees.TREE | Sees.QUESTION, weak=True, read=(0, 4))
def needless_table(query: Query) -> Iterator[Finding]:
    """A table that nothing is said of is joined, to no effect where foreign keys hold."""
    for leaf, single, _ in _unused(query):
        if single:
            reason = f"nothing of {leaf.table} is used but the join itself."
            yield Finding(reason=reason, part=leaf.table)


def _unused(query: Query) -> Iterator[tuple[Leaf, bool, bool]]:
    """Tables that are read in one join only; whether each row meets one of theirs at most, and
    whether there is only one other table."""
    for source, above in blocks(query.tree):
        found = leaves(source)
        joins = [set(read) for read in _joined(source, 0)]
        used = _used(source, above)
        for leaf in found:
            near = [read for read in joins if read & set(leaf.columns)]
            loose = leaf.table and not used & set(leaf.columns) and len(near) == 1
            if loose and not _said(query, leaf):
                own = {column - leaf.start for column in near[0] & set(leaf.columns)}
                single = properties(leaf.relation, query.context).unique(own)
                yield leaf, single, len(found) == 2


def _said(query: Query, leaf: Leaf) -> bool:
    return query.said.names(leaf.table)


def _joined(relation: Relation, start: int) -> Iterator[frozenset[int]]:
    """The columns that each condition between tables reads."""
    if isinstance(relation, Filter):
        yield from _between(relation, relation.input, start)
        yield from _joined(relation.input, start)
    elif isinstance(relation, Join):
        yield from _between(relation, relation, start)
        yield from _joined(relation.left, start)
        yield from _joined(relation.right, start + width(relation.left))


def _between(relation: Filter | Join, row: Relation, start: int) -> Iterator[frozenset[int]]:
    for part in conjuncts(relation.condition):
        read = columns_read(part)
        if sum(bool(read & set(leaf.columns)) for leaf in leaves(row)) > 1:
            yield frozenset(start + column for column in read)


def _used(source: Relation, above: tuple[Relation, ...]) -> set[int]:
    """The columns that conditions on one table, or the operator above, read."""
    used = set(_filtered(source, 0))
    for relation in above[-1:]:
        used |= {column for e in expressions(relation) for column in columns_read(e)}
        if isinstance(relation, Aggregate) and any(not call.operands for call in relation.calls):
            used |= set(range(width(source)))  # COUNT(*) counts what the join makes
    return used


def _filtered(relation: Relation, start: int) -> Iterator[int]:
    if isinstance(relation, Filter | Join):
        row = relation.input if isinstance(relation, Filter) else relation
        for part in conjuncts(relation.condition):
            read = columns_read(part)
            if sum(bool(read & set(leaf.columns)) for leaf in leaves(row)) < 2:
                yield from (start + column for column in read)
    if isinstance(relation, Filter):
        yield from _filtered(relation.input, start)
    elif isinstance(relation, Join):
        yield from _filtered(relation.left, start)
        yield from _filtered(relation.right, start + width(relation.left))
