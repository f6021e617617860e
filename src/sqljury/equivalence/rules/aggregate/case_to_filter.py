"""An aggregate of CASE WHEN c THEN x END is the aggregate of x for the rows where c is true.

Aggregates pass over NULLs, so what CASE makes NULL of may as well be filtered out.
"""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.blocks.forms import is_null
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction, conjuncts, disjunction
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Expression,
    Filter,
    Literal,
    Relation,
    Type,
)

_PASS_OVER_NULL = frozenset(("COUNT", "SUM", "AVG", "MIN", "MAX", "TOTAL"))
_ONE = Literal(1, Type.INTEGER)


@rule(RELATION, at={"Aggregate"}, order=10)
def case_to_filter(relation: Relation, _: Context) -> Rewritten | None:
    """``SUM(CASE WHEN c THEN x END)`` → ``SUM(x) FILTER (WHERE c)``.

    Not beside a bare column, which SQLite takes from the row of MIN.
    """
    if not isinstance(relation, Aggregate) or any(c.name == "BARE" for c in relation.calls):
        return None
    calls = tuple(map(_filtered, relation.calls))
    return None if calls == relation.calls else Rewritten(replace(relation, calls=calls))


def _filtered(call: AggregateCall) -> AggregateCall:
    if call.name not in _PASS_OVER_NULL or len(call.operands) != 1 or call.order:
        return call
    found = _value_and_condition(call.operands[0], counted=call.name == "COUNT")
    if found is None:
        return call
    value, condition = found
    before = () if call.filter is None else conjuncts(call.filter)
    return replace(call, operands=(value,), filter=conjunction((*before, condition)))


def _value_and_condition(
    operand: Expression, *, counted: bool
) -> tuple[Expression, Expression] | None:
    match operand:
        case Call(name="CASE", operands=(condition, value, default)) if is_null(default):
            return value, condition
        case Call(name="CASE", operands=(condition, value, default)) if is_null(value):
            return default, Call("NOT", (Call("IS TRUE", (condition,)),))
        case Call(name="OR", operands=parts) if counted and any(map(is_null, parts)):
            # COUNT(c OR NULL)
            return _ONE, disjunction(part for part in parts if not is_null(part))
        case _:
            return None


@rule(RELATION, at={"Aggregate"}, order=50)
def filter_of_all_calls(relation: Relation, _: Context) -> Rewritten | None:
    """``SELECT SUM(x) FILTER (WHERE c) FROM t`` → ``SELECT SUM(x) FROM t WHERE c``, where all
    aggregates have that filter.

    Only without GROUP BY: groups would be lost.
    """
    if not isinstance(relation, Aggregate) or relation.keys or not relation.calls:
        return None
    condition = relation.calls[0].filter
    if condition is None or any(call.filter != condition for call in relation.calls):
        return None
    calls = tuple(replace(call, filter=None) for call in relation.calls)
    return Rewritten(replace(relation, input=Filter(relation.input, condition), calls=calls))
