"""Rules for ORDER BY and LIMIT."""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.blocks.forms import integer, whole_number
from sqljury.equivalence.rules.base import QUERY, RELATION, Rewritten, rule
from sqljury.equivalence.rules.filters import nothing
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Filter,
    Limit,
    Literal,
    Outer,
    Project,
    Recursive,
    Ref,
    Relation,
    Sort,
    SortKey,
    Subquery,
    SubqueryKind,
    Window,
    WindowCall,
)
from sqljury.trees.properties import properties, same_values, without_keys
from sqljury.trees.types import fields, nullable
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import (
    columns_read,
    inputs,
    map_expressions,
    map_queries,
    names,
    with_inputs,
    with_relation,
)

# ---------------------------------------------------------------- sort keys
# Removes sort keys without effect: constants, and keys that earlier ones determine.


@rule(RELATION, at={"Sort"}, assumes={Assumption.PRIMARY_KEY})
def sort_keys(relation: Sort, context: Context) -> Rewritten | None:
    """``ORDER BY id, name`` → ``ORDER BY id`` where the id determines the name.

    Assumes primary key where uniqueness comes from a declared key.
    """
    free = _needed(relation, without_keys(context))
    keys = _needed(relation, context)
    if keys == relation.keys:
        return None
    assumed = frozenset((Assumption.PRIMARY_KEY,) if len(keys) < len(free) else ())
    below = relation.input
    return Rewritten(replace(relation, keys=keys) if keys else below, assumed)


def _needed(sort: Sort, context: Context) -> tuple[SortKey, ...]:
    """The sort keys without those that have no effect."""
    known = properties(sort.input, context)
    row = fields(sort.input, context)
    exact = frozenset(c for c, field in enumerate(row) if same_values(field, field, context))
    columns: set[int] = set()
    kept: list[SortKey] = []
    for key in sort.keys:
        value = key.expression
        determined = known.determined(columns, len(row))
        read = columns_read(value)
        same = value in [k.expression for k in kept] or (
            read <= determined and (isinstance(value, Ref) or read & columns <= exact)
        )
        if isinstance(value, Literal | Outer) or (same and not is_volatile(value)):
            continue
        # If there are no NULLs, their place does not matter and is written in one way.
        kept.append(key if nullable(value, row, context) else replace(key, nulls_last=False))
        if isinstance(value, Ref):
            columns.add(value.index)
    return tuple(kept)


# ---------------------------------------------------------------- unread order
# Removes sorts without effect: below joins, set operations, aggregates and other sorts.


_BLIND = frozenset(("COUNT", "SUM", "AVG", "TOTAL", "MIN", "MAX", "STDDEV", "VARIANCE", "MEDIAN"))
"""Functions whose result does not depend on the order of the rows. Bare columns do depend on it: in
practice engines take them from the last row or the first."""


@rule(QUERY)
def unread_order(relation: Relation, _: Context) -> Rewritten | None:
    """``SELECT COUNT(*) FROM (SELECT x FROM t ORDER BY x)`` → ``SELECT COUNT(*) FROM (SELECT x
    FROM t)``."""
    if "Sort" not in names(relation):
        return None
    new = _without(relation, seen=True)
    return Rewritten(new) if new != relation else None


def _without(relation: Relation, *, seen: bool) -> Relation:
    """The relation without Sorts that have no effect.

    ``seen`` says whether the order of the relation's own rows has an effect.
    """
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


# ---------------------------------------------------------------- limits
# LIMIT that keeps everything or nothing, and LIMIT of a LIMIT.


@rule(RELATION, at={"Limit"})
def limits(relation: Limit, context: Context) -> Rewritten | None:
    """``LIMIT 3`` of ``LIMIT 5`` → ``LIMIT 3``; ``LIMIT 0`` → no rows; ``LIMIT 1`` of at most
    one row → no LIMIT."""
    count, offset = whole_number(relation.count), whole_number(relation.offset)
    if relation.offset is not None and offset == 0:
        return Rewritten(Limit(relation.input, relation.count))
    if count is not None and count < 0 and context.dialect == "sqlite":
        return Rewritten(Limit(relation.input, None, relation.offset))
    if relation.count is None and relation.offset is None:
        return Rewritten(relation.input)
    if count == 0:
        return Rewritten(nothing(relation, context))
    if relation.offset is None and count is not None:
        return _of_few(relation, count, context)
    return None


def _of_few(relation: Limit, count: int, context: Context) -> Rewritten | None:
    below = relation.input
    if isinstance(below, Limit) and below.offset is None:
        inner = whole_number(below.count)
        if inner is not None and inner >= 0:
            return Rewritten(Limit(below.input, integer(min(count, inner))))
    at_most_one = frozenset[int]() in properties(below, without_keys(context)).keys
    if at_most_one and count > 0:
        return Rewritten(below.input if isinstance(below, Sort) else below)
    return None
