"""``ROW_NUMBER() OVER (ORDER BY x) = 1`` is ``ORDER BY x LIMIT 1``.

RANK and DENSE_RANK give all rows of a tie the same number, so they need that there is none.
"""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.conditions import conjunction, conjuncts, filtered
from sqljury.queries.rules.nullability import NOTHING, Assumed
from sqljury.queries.trees.context import Assumption, Context
from sqljury.queries.trees.nodes import (
    Call,
    Expression,
    Filter,
    Limit,
    Literal,
    Project,
    Ref,
    Relation,
    Sort,
    Type,
    Window,
    WindowCall,
)
from sqljury.queries.trees.volatile import has_volatile
from sqljury.queries.trees.walk import width

_RANKS = ("RANK", "DENSE_RANK")


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    match relation:
        case Filter(input=Window(calls=(call,)) as window) if not has_volatile(relation):
            assumed = _assumed_for_number(call, context)
            parts = conjuncts(relation.condition)
        case _:
            return None
    rank = width(window.input)
    asked = [part for part in parts if _is_first(part, rank)]
    if assumed is None or not asked:
        return None
    rest = [part for part in parts if part not in asked]
    first = Limit(Sort(window.input, call.order), Literal(1, Type.INTEGER))
    row: tuple[Expression, ...] = (*map(Ref, range(rank)), Literal(1, Type.INTEGER))
    return Rewritten(filtered(Project(first, row), conjunction(rest)), assumed)


def _assumed_for_number(call: WindowCall, context: Context) -> Assumed | None:
    """What makes the window function a number of each row."""
    if call.partition or not call.order:
        return None
    if call.name == "ROW_NUMBER":
        return NOTHING
    if call.name in _RANKS and context.may(Assumption.NO_TIES):
        return frozenset((Assumption.NO_TIES,))
    return None


def _is_first(part: Expression, column: int) -> bool:
    match part:
        case Call(name="=", operands=(Ref(index=index), Literal(value=1))):
            return index == column
        case Call(name="<=", operands=(Ref(index=index), Literal(value=1))):
            return index == column
        case Call(name="<", operands=(Ref(index=index), Literal(value=2))):
            return index == column
        case _:
            return False


RANK_TO_LIMIT = RelationRule("rank_to_limit", _apply)
