"""A column beside an aggregate that nothing fixes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query, shown
from sqljury.faults.sites import Site
from sqljury.trees.nodes import Aggregate, AggregateCall, Call, Filter, Literal, Ref, Relation, Type
from sqljury.trees.properties import properties
from sqljury.trees.walk import columns_read, relations

if TYPE_CHECKING:
    from sqlglot import exp


@check("AU404", sees=Sees.TREE, read=(5, 5))
def bare_column(query: Query) -> Iterator[Finding]:
    """A column beside an aggregate has several values in a group, and any one of them is shown."""
    if query.syntax is None or _is_sorted_distinct(query.syntax):
        return
    for relation in relations(query.tree):
        if not isinstance(relation, Aggregate) or _follows_extreme(relation):
            continue
        bare = [call for call in relation.calls if call.name == "BARE"]
        loose = [call for call in bare if not _is_fixed(query, relation, call)]
        found = [one for call in loose if (one := _several(query, relation, call))]
        yield from found[:1]


def _is_sorted_distinct(syntax: exp.Query) -> bool:
    """DISTINCT in an order of something else is no group that anybody wrote."""
    return bool(syntax.args.get("distinct") and syntax.args.get("order"))


def _follows_extreme(aggregate: Aggregate) -> bool:
    """SQLite takes bare columns from the row of the only MIN or MAX."""
    return sum(call.name in ("MIN", "MAX") for call in aggregate.calls) == 1


def _is_fixed(query: Query, aggregate: Aggregate, call: AggregateCall) -> bool:
    known = properties(aggregate.input, query.context)
    keys = {key.index for key in aggregate.keys if isinstance(key, Ref)}
    read = columns_read(call.operands[0])
    return known.unique(keys) or read <= known.closure(keys) or _by_key(query, aggregate, read)


def _by_key(query: Query, aggregate: Aggregate, read: frozenset[int]) -> bool:
    """Whether a key of the column's own table is among the groups' keys."""
    known = properties(aggregate.input, query.context)
    keys = {key.index for key in aggregate.keys if isinstance(key, Ref)}
    return any(read <= determined for given, determined in known.dependencies if given <= keys)


def _is_of_named(query: Query, aggregate: Aggregate, call: AggregateCall) -> bool:
    """Whether the groups are of names of the column's own table, which are likely its own."""
    site = Site(None, aggregate, aggregate.input, (), query.context)
    column = site.column(call.operands[0])
    keys = [site.column(key) for key in aggregate.keys]
    return any(key is not None and column is not None and key[0] == column[0] for key in keys)


def _several(query: Query, aggregate: Aggregate, call: AggregateCall) -> Finding | None:
    reason = "a column that is neither grouped by nor aggregated is shown beside an aggregate"
    if query.result.table is None:
        if _is_of_named(query, aggregate, call):
            return None
        return Finding(reason=f"{reason}.", part="GROUP BY" if aggregate.keys else "")
    number = len(aggregate.keys)
    counted = AggregateCall("COUNT", call.operands, distinct=True)
    grouped = Aggregate(aggregate.input, aggregate.keys, (counted,))
    several: Relation = Filter(grouped, Call(">", (Ref(number), Literal(1, Type.INTEGER))))
    rows = query.rows_of(several)
    if not rows:
        return None
    return Finding(
        reason=f"{reason}, and it has up to {max(row[-1] for row in rows)} values in a group.",
        part="GROUP BY" if aggregate.keys else "",
        evidence={"group_and_number_of_values": shown(rows)},
    )
