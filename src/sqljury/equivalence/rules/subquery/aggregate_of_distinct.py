"""``COUNT(x)`` of ``SELECT DISTINCT x`` is ``COUNT(DISTINCT x)``, as other aggregates of x are."""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.blocks.nullability import NOTHING, Assumed, assumed_for_not_null
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Project,
    Ref,
    Relation,
)
from sqljury.trees.volatile import any_volatile

_OF_VALUES = frozenset(("COUNT", "SUM", "AVG", "TOTAL", "MIN", "MAX"))


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL}, order=330)
def aggregate_of_distinct(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT COUNT(x) FROM (SELECT DISTINCT x FROM t)`` → ``SELECT COUNT(DISTINCT x) FROM
    t``.

    Assumes primary key or not null where the absence of NULLs comes from them.
    """
    match relation:
        case Aggregate(input=Distinct(input=Project() as below)) if relation.calls:
            place = _aggregated(relation, below)
        case _:
            return None
    if place is None or any_volatile(below.expressions):
        return None
    value = below.expressions[place]
    calls = [_of_value(call, place) for call in relation.calls]
    assumed: Assumed | None = NOTHING
    if AggregateCall("COUNT") in relation.calls:
        assumed = assumed_for_not_null((value,), below.input, context)
    if assumed is None or not all(calls):
        return None
    new = tuple(replace(c, operands=(value,), distinct=True) for c in calls if c is not None)
    keys = tuple(below.expressions[k.index] for k in relation.keys if isinstance(k, Ref))
    return Rewritten(Aggregate(below.input, keys, new, relation.names), assumed)


def _aggregated(relation: Aggregate, below: Project) -> int | None:
    """The only column that is no key, if the others are."""
    keys = {key.index for key in relation.keys if isinstance(key, Ref)}
    rest = set(range(len(below.expressions))) - keys
    columns_only = all(isinstance(key, Ref) for key in relation.keys)
    return rest.pop() if columns_only and len(rest) == 1 else None


def _of_value(call: AggregateCall, place: int) -> AggregateCall | None:
    """The call, if it is of that column only."""
    wanted: tuple[tuple[Expression, ...], ...] = ((Ref(place),),)
    if call.name == "COUNT":
        wanted = (*wanted, ())
    fits = call.name in _OF_VALUES and call.filter is None and not call.order
    return call if fits and call.operands in wanted else None
