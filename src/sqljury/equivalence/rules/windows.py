"""Rules for window functions."""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.blocks.forms import NOTHING, Assumed
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
from sqljury.trees.properties import assumed_for_unique
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import width

# ---------------------------------------------------------------- window of key
# Row numbers where a key rules out ties.
#
# ``ROW_NUMBER() OVER (PARTITION BY id …)`` is 1 for a key ``id``, so DISTINCT ON a key does
# nothing. ``RANK() OVER (ORDER BY id)`` and DENSE_RANK are the same as ROW_NUMBER.


_RANKS = ("RANK", "DENSE_RANK")
_NUMBERS = ("ROW_NUMBER", *_RANKS)
_ONE = Literal(1, Type.INTEGER)


@rule(RELATION, at={"Window"}, assumes={Assumption.PRIMARY_KEY})
def window_of_key(relation: Window, context: Context) -> Rewritten | None:
    """``ROW_NUMBER() OVER (PARTITION BY id …)`` → 1; ``RANK() OVER (ORDER BY id)`` →
    ``ROW_NUMBER() OVER (ORDER BY id)``, where no id occurs twice.

    Assumes primary key where uniqueness comes from a declared key.
    """
    found = [_numbered(call, relation.input, context) for call in relation.calls]
    if not any(found):
        return None
    assumed = frozenset[Assumption]().union(*(each[1] for each in found if each))
    calls = [each[0] if each else call for each, call in zip(found, relation.calls, strict=True)]
    kept = tuple(call for call in calls if call is not None)
    below: Relation = replace(relation, calls=kept) if kept else relation.input
    if len(kept) == len(calls):
        return Rewritten(below, assumed)
    start = width(relation.input)
    outputs: list[Expression] = list(map(Ref, range(start)))
    for call in calls:
        outputs.append(_ONE if call is None else Ref(start))
        start += call is not None
    return Rewritten(Project(below, tuple(outputs)), assumed)


def _numbered(
    call: WindowCall, rows: Relation, context: Context
) -> tuple[WindowCall | None, frozenset[Assumption]] | None:
    """The simplified call (None for the constant 1) and its assumptions; None if unchanged."""
    if call.name not in _NUMBERS or call.filter is not None:
        return None
    parts = [part.index for part in call.partition if isinstance(part, Ref)]
    alone = assumed_for_unique(rows, parts, context)
    if alone is not None:
        return None, alone
    order = [key.expression.index for key in call.order if isinstance(key.expression, Ref)]
    apart = assumed_for_unique(rows, [*parts, *order], context)
    if call.name in _RANKS and apart is not None:
        return replace(call, name="ROW_NUMBER"), apart
    return None


# ---------------------------------------------------------------- rank to limit
# ``ROW_NUMBER() OVER (ORDER BY x) = 1`` is ``ORDER BY x LIMIT 1``.
#
# RANK and DENSE_RANK give all tied rows the same number, so for them no ties is assumed.


@rule(RELATION, at={"Filter"}, assumes={Assumption.NO_TIES})
def rank_to_limit(relation: Relation, context: Context) -> Rewritten | None:
    """``ROW_NUMBER() OVER (ORDER BY x) = 1`` → ``ORDER BY x LIMIT 1``.

    Assumes no ties for RANK and DENSE_RANK, which give all tied rows the same number.
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
    """The assumptions under which the function numbers all rows 1, 2, 3 …; None if it does not."""
    if call.partition or not call.order:
        return None
    if call.name == "ROW_NUMBER":
        return NOTHING
    if call.name in _RANKS and context.may(Assumption.NO_TIES):
        return frozenset((Assumption.NO_TIES,))
    return None


def _is_first(part: Expression, column: int) -> bool:
    match part:
        case (
            Call(name="=" | "<=", operands=(Ref(index=index), Literal(value=1)))
            | Call(name="<", operands=(Ref(index=index), Literal(value=2)))
        ):
            return index == column
        case _:
            return False
