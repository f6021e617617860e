"""Rows that a join repeats, counted or summed up."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.edits import edited
from sqljury.faults.query import Query, shown
from sqljury.faults.sites import Leaf, key_places, leaves
from sqljury.faults.wording import name_stems
from sqljury.trees.nodes import Aggregate, AggregateCall, Ref, Relation
from sqljury.trees.properties import properties
from sqljury.trees.walk import relations


@check("AU401", sees=Sees.TREE | Sees.ROWS)
def counts_repeated_rows(query: Query) -> Iterator[Finding]:
    """COUNT of a table's key counts the same row again wherever a join repeats it."""
    for leaf in _counted(query):
        proposal = edited(query.sql, query.dialect, _count_distinct)
        differs = _differs(query, proposal)
        if differs is not None:
            reason = f"the join repeats rows of {leaf.table}, which COUNT counts again."
            yield Finding(reason=reason, part="COUNT", evidence=differs, proposal=proposal)


@check("AU410", sees=Sees.TREE, weak=True, read=(2, 4))
def may_count_repeated_rows(query: Query) -> Iterator[Finding]:
    """COUNT of a table's key over a join that may repeat its rows; there are no rows to see it."""
    for leaf in _counted(query) if query.result.table is None else ():
        reason = f"the join may repeat rows of {leaf.table}, which COUNT would count again."
        proposal = edited(query.sql, query.dialect, _count_distinct)
        yield Finding(reason=reason, part="COUNT", proposal=proposal)


@check("AU402", sees=Sees.TREE, weak=True, read=(1, 4))
def sums_repeated_rows(query: Query) -> Iterator[Finding]:
    """SUM or AVG takes a table's values again wherever a join repeats its rows."""
    for aggregate, call, leaf in _over_joins(query, "SUM", "AVG"):
        if _is_unique(query, aggregate, leaf) or not _repeats(query, aggregate, leaf):
            continue
        reason = f"the join repeats rows of {leaf.table}, whose values {call.name} takes again."
        yield Finding(reason=reason, part=call.name)


def _counted(query: Query) -> Iterator[Leaf]:
    """The tables whose keys are counted where no key says that each row comes once."""
    for aggregate, call, leaf in _over_joins(query, "COUNT"):
        counted = not query.question or _is_counted(query, leaf)
        if counted and _is_key(query, call, leaf) and not _is_unique(query, aggregate, leaf):
            yield leaf


def _over_joins(query: Query, *names: str) -> Iterator[tuple[Aggregate, AggregateCall, Leaf]]:
    """Aggregates of a plain column over a join, and the table that the column is of."""
    for relation in relations(query.tree):
        if not isinstance(relation, Aggregate) or len(found := leaves(relation.input)) < 2:
            continue
        for call in relation.calls:
            if call.name not in names or call.distinct or len(call.operands) != 1:
                continue
            leaf = _leaf_of(call.operands[0], found)
            if leaf is not None and leaf.table:
                yield relation, call, leaf


def _leaf_of(operand: object, found: list[Leaf]) -> Leaf | None:
    if not isinstance(operand, Ref):
        return None
    return next((leaf for leaf in found if operand.index in leaf.columns), None)


def _is_key(query: Query, call: AggregateCall, leaf: Leaf) -> bool:
    (operand,) = call.operands
    return isinstance(operand, Ref) and key_places(leaf, query.context) == (operand.index,)


def _is_counted(query: Query, leaf: Leaf) -> bool:
    """Whether the question counts rows of this table: "how many users"."""
    return bool(query.wording.counted & set(name_stems(leaf.table)))


def _is_unique(query: Query, aggregate: Aggregate, leaf: Leaf) -> bool:
    """Whether each row of the table comes once into a group, as far as keys say, or has no key."""
    key = key_places(leaf, query.context)
    if not key:
        return True
    grouped = {one.index for one in aggregate.keys if isinstance(one, Ref)}
    return properties(aggregate.input, query.context).unique({*key, *grouped})


def _repeats(query: Query, aggregate: Aggregate, leaf: Leaf) -> bool:
    """Whether the data repeats a row of the table within a group; True where it cannot be seen."""
    key = tuple(Ref(i) for i in key_places(leaf, query.context))
    by_row: Relation = Aggregate(
        aggregate.input, (*aggregate.keys, *key), (AggregateCall("COUNT"),)
    )
    rows = query.rows_of(by_row)
    return rows is None or any(row[-1] > 1 for row in rows)


def _count_distinct(tree: object) -> bool:
    from sqlglot import exp

    assert isinstance(tree, exp.Expr)
    found = [n for n in tree.find_all(exp.Count) if isinstance(n.this, exp.Column)]
    found = [n for n in found if not isinstance(n.this.this, exp.Star)]
    for node in found:
        node.set("this", exp.Distinct(expressions=[node.this.copy()]))
    return bool(found)


def _differs(query: Query, proposal: str | None) -> dict[str, object] | None:
    """The rows before and after; None where they are the same or nothing runs."""
    before = query.result.table
    after = None if proposal is None or before is None else query.rows(proposal)
    if before is None or after is None:
        return None
    if sorted(map(repr, after)) == sorted(map(repr, before.rows)):
        return None
    return {"rows": shown(before.rows), "each_once": shown(after)}
