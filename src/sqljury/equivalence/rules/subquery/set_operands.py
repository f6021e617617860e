"""UNION is DISTINCT of UNION ALL, whose inputs stand in an order of their own.

Inputs that are unions themselves are taken apart; below DISTINCT an input counts once, and its own
DISTINCT not at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqljury.equivalence.blocks.comparable import comparable
from sqljury.equivalence.blocks.forms import NUMBERS
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.context import Context
from sqljury.trees.nodes import Distinct, Field, Relation, SetKind, SetOperation, Sort
from sqljury.trees.order import sort_key
from sqljury.trees.types import fields
from sqljury.trees.volatile import has_volatile


@rule(RELATION, at={"SetOperation", "Distinct"}, order=220)
def set_operands(relation: Relation, context: Context) -> Rewritten | None:
    """``b UNION a`` → ``DISTINCT (a UNION ALL b)``."""
    match relation:
        case SetOperation(kind=SetKind.UNION, all=False):
            return Rewritten(Distinct(_union(relation.inputs)))
        case SetOperation(kind=SetKind.UNION):
            new = _ordered(_taken_apart(relation.inputs), context)
        case Distinct(input=SetOperation(kind=SetKind.UNION) as union):
            once = dict.fromkeys(_blind(part) for part in _taken_apart(union.inputs))
            return _if_new(relation, Distinct(_union(_ordered(once, context))))
        case _:
            return None
    return _if_new(relation, _union(new))


def _if_new(old: Relation, new: Relation) -> Rewritten | None:
    return Rewritten(new) if new != old else None


def _union(parts: Iterable[Relation]) -> Relation:
    inputs = tuple(parts)
    return inputs[0] if len(inputs) == 1 else SetOperation(SetKind.UNION, True, inputs)


def _taken_apart(parts: Iterable[Relation]) -> Iterable[Relation]:
    for part in parts:
        if isinstance(part, SetOperation) and part.kind is SetKind.UNION and part.all:
            yield from _taken_apart(part.inputs)
        else:
            yield part


def _blind(part: Relation) -> Relation:
    return part.input if isinstance(part, Distinct | Sort) else part


def _ordered(parts: Iterable[Relation], context: Context) -> list[Relation]:
    """In order, unless the first input decides what type the columns have."""
    found = list(parts)
    rows = [fields(part, context) for part in found]
    alike = all(_alike(a, b, context) for row in rows for a, b in zip(rows[0], row, strict=True))
    volatile = any(has_volatile(part) for part in found)
    return sorted(found, key=sort_key) if alike and not volatile else found


def _alike(one: Field, other: Field, context: Context) -> bool:
    """Whether the type of both together is the same in either order."""
    numbers = one.type in NUMBERS and other.type in NUMBERS
    return comparable(one, other, context) or (numbers and context.dialect != "sqlite")
