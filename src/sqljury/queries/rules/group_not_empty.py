"""``HAVING COUNT(*) >= 1`` is true for every group, as a group has rows."""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.conditions import conjunction, conjuncts, filtered
from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Expression,
    Filter,
    Literal,
    Ref,
    Relation,
)

_ROWS = AggregateCall("COUNT")


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    del context
    match relation:
        case Filter(input=Aggregate() as grouped) if grouped.keys:
            parts = conjuncts(relation.condition)
            rest = [part for part in parts if not _is_certain(part, grouped)]
            if len(rest) < len(parts):
                return Rewritten(filtered(grouped, conjunction(rest)))
    return None


def _is_certain(part: Expression, grouped: Aggregate) -> bool:
    match part:
        case Call(name=">" | ">=" | "<>", operands=(Ref(column), Literal(value=int(least)))):
            counted = column - len(grouped.keys)
            if counted < 0 or grouped.calls[counted] != _ROWS:
                return False
            return least <= (1 if part.name == ">=" else 0)
        case _:
            return False


GROUP_NOT_EMPTY = RelationRule("group_not_empty", _apply)
