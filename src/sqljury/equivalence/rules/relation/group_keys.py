"""Group keys and aggregates in an order of their own, each once, and no keys that others determine.

A key that is constant, or the same in all rows that are equal in the other keys, makes no group
smaller; its value is that of any row of the group.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Expression,
    Literal,
    Outer,
    Project,
    Ref,
    Relation,
)
from sqljury.trees.order import call_key, sort_key
from sqljury.trees.properties import properties, same_values, without_keys
from sqljury.trees.types import Row, fields
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import columns_read


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY}, order=150)
def group_keys(relation: Relation, context: Context) -> Rewritten | None:
    """``GROUP BY name, id`` → ``GROUP BY id`` where the id determines the name; keys and
    aggregates each once, in order.

    Assumes primary key where uniqueness comes from a declared key.
    """
    if not isinstance(relation, Aggregate) or is_volatile(*relation.keys):
        return None
    keys, assumed = _needed(relation, context)
    calls = [call for call in relation.calls if _key_of(call) not in keys]
    calls += [_any_value(key) for key in relation.keys if key not in keys and not _is_fixed(key)]
    new = Aggregate(relation.input, keys, tuple(sorted(_each_once(calls), key=call_key)))
    if new.keys == relation.keys and new.calls == relation.calls:
        return None
    outputs = [
        *(key if _is_fixed(key) else _place(new, key, _any_value(key)) for key in relation.keys),
        *(_place(new, _key_of(call), call) for call in relation.calls),
    ]
    return Rewritten(Project(new, tuple(outputs), relation.names), assumed)


def _any_value(key: Expression) -> AggregateCall:
    return AggregateCall("BARE", (key,))


def _key_of(call: AggregateCall) -> Expression | None:
    """The expression of which a call gives the value in some row."""
    return call.operands[0] if call.name == "BARE" and call.filter is None else None


def _is_fixed(key: Expression) -> bool:
    return isinstance(key, Literal | Outer)


def _each_once(calls: Sequence[AggregateCall]) -> Sequence[AggregateCall]:
    # With a bare column it counts in SQLite how many calls of MIN and MAX there are.
    bare = any(call.name == "BARE" for call in calls)
    extremes = [call for call in calls if call.name in ("MIN", "MAX")]
    keeps = bare and len(set(extremes)) < len(extremes)
    return calls if keeps else list(dict.fromkeys(calls))


def _place(new: Aggregate, key: Expression | None, call: AggregateCall) -> Expression:
    if key is not None and key in new.keys:
        return Ref(new.keys.index(key))
    return Ref(len(new.keys) + new.calls.index(call))


# ---------------------------------------------------------------- keys that are not needed


def _needed(
    aggregate: Aggregate, context: Context
) -> tuple[tuple[Expression, ...], frozenset[Assumption]]:
    """The keys in order without those that the others determine; at least one remains."""
    once = sorted(dict.fromkeys(aggregate.keys), key=sort_key)
    nothing: frozenset[Assumption] = frozenset()
    if len(once) < 2:
        return tuple(once), nothing
    free = _without_determined(once, aggregate.input, without_keys(context))
    fewer = _without_determined(once, aggregate.input, context)
    if len(fewer) < len(free):
        return tuple(fewer), frozenset((Assumption.PRIMARY_KEY,))
    return tuple(free), nothing


def _without_determined(
    keys: list[Expression], below: Relation, context: Context
) -> list[Expression]:
    known = properties(below, context)
    row = fields(below, context)
    for key in reversed(keys):
        others = [other for other in keys if other != key]
        columns = [other.index for other in others if isinstance(other, Ref)]
        determined = known.determined(columns, len(row))
        read = columns_read(key)
        if others and read <= determined and _exactly(read.intersection(columns), row, context):
            keys = others
    return keys


def _exactly(columns: frozenset[int], row: Row, context: Context) -> bool:
    """Whether rows that are equal in columns are the same in them: 1 and 1.0 are equal."""
    return all(same_values(row[c], row[c], context) for c in columns)
