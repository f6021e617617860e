"""An order that nobody sees is no order: below joins, set operations, aggregates, other sorts."""

from __future__ import annotations

from sqljury.equivalence.rules.base import QUERY, Rewritten, rule
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Filter,
    Limit,
    Project,
    Recursive,
    Relation,
    Sort,
    Subquery,
    SubqueryKind,
    Window,
    WindowCall,
)
from sqljury.trees.walk import (
    inputs,
    map_expressions,
    map_queries,
    names,
    with_inputs,
    with_relation,
)

_BLIND = frozenset(("COUNT", "SUM", "AVG", "TOTAL", "MIN", "MAX", "STDDEV", "VARIANCE", "MEDIAN"))
"""Functions that give the same whatever the order of the rows. Bare columns do not: in practice
they come from the last row, or the first."""


@rule(QUERY, order=10)
def unread_order(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT COUNT(*) FROM (SELECT x FROM t ORDER BY x)`` → ``SELECT COUNT(*) FROM (SELECT x
    FROM t)``."""
    del context
    if "Sort" not in names(relation):
        return None
    new = _without(relation, seen=True)
    return Rewritten(new) if new != relation else None


def _without(relation: Relation, *, seen: bool) -> Relation:
    """The relation without sorts whose order is not seen."""
    if isinstance(relation, Recursive):
        return relation
    if isinstance(relation, Sort) and not seen:
        return _without(relation.input, seen=False)
    below = _seen_below(relation, seen)
    new = tuple(_without(r, seen=below) for r in inputs(relation))
    return map_expressions(with_inputs(relation, new), lambda e: map_queries(e, _inside))


def _seen_below(relation: Relation, seen: bool) -> bool:
    match relation:
        case Limit():
            return True
        case Project() | Filter() | Distinct():
            return seen
        case Window():
            return seen or any(map(_asks, relation.calls))
        case Aggregate():
            return any(map(_asks, relation.calls))
        case _:
            return False


def _asks(call: AggregateCall | WindowCall) -> bool:
    framed = isinstance(call, WindowCall) and bool(call.frame)
    return (framed or call.name not in _BLIND) and not call.order


def _inside(part: Subquery) -> Expression:
    first = part.kind is SubqueryKind.SCALAR
    return with_relation(part, _without(part.relation, seen=first))
