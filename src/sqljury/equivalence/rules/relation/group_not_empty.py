"""``HAVING COUNT(*) >= 1`` is true for every group, as a group has rows."""

from __future__ import annotations

from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction, conjuncts, filtered
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
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


@rule(RELATION, at={"Filter"}, order=100)
def group_not_empty(relation: Relation, context: Context) -> Rewritten | None:
    """``GROUP BY x HAVING COUNT(*) >= 1`` → ``GROUP BY x``."""
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
