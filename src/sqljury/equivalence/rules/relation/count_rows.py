"""COUNT of what is never NULL counts rows; and DISTINCT does nothing to values that differ."""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.blocks.nullability import assumed_for_not_null
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Aggregate, AggregateCall, Filter, Ref, Relation
from sqljury.trees.properties import assumed_for_unique
from sqljury.trees.volatile import is_volatile

_SAME_WITHOUT_DISTINCT = frozenset(("MIN", "MAX", "BARE"))
_DISTINCT = frozenset(("COUNT", "SUM", "AVG", "TOTAL", "GROUP_CONCAT"))


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL}, order=130)
def count_rows(relation: Relation, context: Context) -> Rewritten | None:
    """``COUNT(x)`` → ``COUNT(*)`` where x is never NULL; ``COUNT(DISTINCT x)`` → ``COUNT(x)``
    where no x occurs twice.

    Assumes primary key or not null where the absence of NULLs comes from them. Assumes primary
    key where uniqueness comes from a declared key.
    """
    if not isinstance(relation, Aggregate):
        return None
    assumed: frozenset[Assumption] = frozenset()
    calls = []
    for call in relation.calls:
        found = _once(call, relation, context)
        calls.append(found[0])
        assumed |= found[1]
    if tuple(calls) == relation.calls:
        return None
    return Rewritten(replace(relation, calls=tuple(calls)), assumed)


def _once(
    call: AggregateCall, aggregate: Aggregate, context: Context
) -> tuple[AggregateCall, frozenset[Assumption]]:
    """The call without what does nothing, and what that assumed."""
    if call.distinct and call.name in _SAME_WITHOUT_DISTINCT:
        return replace(call, distinct=False), frozenset()
    if call.distinct:
        assumed = _assumed_for_different(call, aggregate, context)
        return (call, frozenset()) if assumed is None else (replace(call, distinct=False), assumed)
    if call.name != "COUNT" or len(call.operands) != 1 or is_volatile(*call.operands):
        return call, frozenset()
    assumed = assumed_for_not_null(call.operands, _counted(call, aggregate), context)
    if assumed is None:
        return call, frozenset()
    return replace(call, operands=(), order=()), assumed


def _counted(call: AggregateCall, aggregate: Aggregate) -> Relation:
    return aggregate.input if call.filter is None else Filter(aggregate.input, call.filter)


def _assumed_for_different(
    call: AggregateCall, aggregate: Aggregate, context: Context
) -> frozenset[Assumption] | None:
    """What makes sure that no value occurs twice in a group; NULLs are not counted."""
    if call.name not in _DISTINCT or call.order:
        return None
    columns = [e.index for e in (*aggregate.keys, *call.operands[:1]) if isinstance(e, Ref)]
    if len(call.operands) != 1 or not isinstance(call.operands[0], Ref):
        return None
    held = frozenset((call.operands[0].index,))
    return assumed_for_unique(_counted(call, aggregate), columns, context, held)
