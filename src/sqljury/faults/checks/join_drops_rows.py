"""Things without partners that an inner join drops."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query, shown
from sqljury.faults.sites import Leaf, leaves
from sqljury.trees.nodes import Aggregate, Join, JoinKind, Ref, Scan
from sqljury.trees.walk import relations

_ALL = r"each|every|including those"
_FEWEST = r"fewest|the least|smallest number|lowest number|at most|less than|fewer than|zero"
_ONLY_SOME = r"(?:who|that|which) (?:have|has|had|own|owns|participated)|with some|at least"


@check("AU405", sees=Sees.TREE | Sees.ROWS | Sees.QUESTION, weak=True, read=(0, 4))
def join_drops_rows(query: Query) -> Iterator[Finding]:
    """Each thing is asked for, or the fewest, and an inner join drops those that have none."""
    fewest = query.wording.says(_FEWEST)
    if not fewest and (not query.wording.says(_ALL) or query.wording.says(_ONLY_SOME)):
        return
    for relation in relations(query.tree):
        if not isinstance(relation, Aggregate) or not _is_shown(query, fewest):
            continue
        for leaf in _counted_for(query, relation):
            yield from _dropped(query, relation, leaf)


def _is_shown(query: Query, fewest: bool) -> bool:
    """Whether groups of none would be in the result: not where only the largest are taken."""
    syntax = query.syntax
    return syntax is not None and (
        fewest or not (syntax.args.get("limit") or "having" in syntax.args)
    )


def _counted_for(query: Query, aggregate: Aggregate) -> Iterator[Leaf]:
    """The table that the groups are of, where it is joined with one other and that is counted."""
    join = aggregate.input
    counts = any(call.name == "COUNT" for call in aggregate.calls)
    if not isinstance(join, Join) or join.kind is not JoinKind.INNER or not counts:
        return
    found = leaves(join)
    for leaf in found if len(found) == 2 else ():
        keys = [key.index for key in aggregate.keys if isinstance(key, Ref)]
        own = keys and all(key in leaf.columns for key in keys)
        if own and isinstance(leaf.relation, Scan) and query.wording.names(leaf.table):
            yield leaf


def _dropped(query: Query, aggregate: Aggregate, leaf: Leaf) -> Iterator[Finding]:
    own = tuple(Ref(key.index - leaf.start) for key in aggregate.keys if isinstance(key, Ref))
    kept = query.rows_of(Aggregate(aggregate.input, aggregate.keys, ()))
    every = query.rows_of(Aggregate(leaf.relation, own, ()))
    dropped = [row for row in every or () if row not in set(kept or ())]
    if dropped and kept:
        yield Finding(
            reason=f"{len(dropped)} of {len(every or ())} groups of {leaf.table} have no partner "
            "and are left out.",
            part="JOIN",
            evidence={"left_out": shown(dropped, 3)},
        )
