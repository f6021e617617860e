"""Numbers of rows that a key tells apart: 1 in a part of one row, one kind of number without ties.

``ROW_NUMBER() OVER (PARTITION BY id …)`` is 1 for a key ``id``, so that DISTINCT ON a key does
nothing; ``RANK() OVER (ORDER BY id)`` and DENSE_RANK are ROW_NUMBER.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Expression,
    Literal,
    Project,
    Ref,
    Relation,
    Type,
    Window,
    WindowCall,
)
from sqljury.trees.properties import assumed_for_unique
from sqljury.trees.walk import width

_RANKS: Final = ("RANK", "DENSE_RANK")
_NUMBERS: Final = ("ROW_NUMBER", *_RANKS)
_ONE: Final = Literal(1, Type.INTEGER)


@rule(RELATION, at={"Window"}, assumes={Assumption.PRIMARY_KEY}, order=180)
def window_of_key(relation: Relation, context: Context) -> Rewritten | None:
    """``ROW_NUMBER() OVER (PARTITION BY id …)`` → 1; ``RANK() OVER (ORDER BY id)`` →
    ``ROW_NUMBER() OVER (ORDER BY id)``, where no id occurs twice.

    Assumes primary key where uniqueness comes from a declared key.
    """
    if not isinstance(relation, Window):
        return None
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
    """The call in its plain form, None for the number 1, and what that assumes."""
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
