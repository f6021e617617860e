"""``ROW_NUMBER() OVER (ORDER BY x) = 1`` is ``ORDER BY x LIMIT 1``.

RANK and DENSE_RANK give all rows of a tie the same number, so they need that there is none.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.nullability import NOTHING, Assumed
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction, conjuncts, filtered
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
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
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import width

_RANKS = ("RANK", "DENSE_RANK")


@rule(RELATION, at={"Filter"}, assumes={Assumption.NO_TIES}, order=350)
def rank_to_limit(relation: Relation, context: Context) -> Rewritten | None:
    """``ROW_NUMBER() OVER (ORDER BY x) = 1`` → ``ORDER BY x LIMIT 1``.

    Assumes no ties of RANK and DENSE_RANK, which number all rows of a tie alike.
    """
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
