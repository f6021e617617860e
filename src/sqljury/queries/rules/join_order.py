"""Inner joins and filters as one block, its inputs in an order of their own.

Joins, filters and projections below a projection or an aggregate become a block; conditions stand
at their lowest places, inputs and outer joins in canonical order, and of equal columns the first
one is named everywhere.
"""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.block import Block
from sqljury.queries.rules.chain import Reading, reading
from sqljury.queries.rules.equal_columns import equal_columns, without_equalities
from sqljury.queries.rules.labelling import best_order
from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import Call, Expression, Ref, Relation
from sqljury.queries.trees.walk import width


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    found = reading(relation)
    if found is None:
        return None
    put_in_order(found, context)
    return Rewritten(found.rebuilt())


def put_in_order(found: Reading, context: Context) -> None:
    """The inputs in canonical order; of equal columns the first is named."""
    classes = equal_columns(found.block, context)
    rest = without_equalities(found.block.conjuncts, classes)
    found.block.conjuncts = rest
    inputs, outer_joined = best_order(found.block, found.uses, classes)
    place = _places(found.block, inputs, outer_joined)
    moved = [frozenset(place[c] for c in members) for members in classes]
    first = {c: min(members) for members in moved for c in members}
    found.substitute([Ref(first.get(p, p)) for p in place])
    block = found.block
    block.inputs = [block.inputs[i] for i in inputs]
    block.outer_joined = [block.outer_joined[i] for i in outer_joined]
    block.conjuncts += [equality for members in moved for equality in _equalities(members)]


def _equalities(members: frozenset[int]) -> list[Expression]:
    first, *others = sorted(members)
    return [Call("=", (Ref(first), Ref(other))) for other in others]


def _places(block: Block, inputs: list[int], outer_joined: list[int]) -> list[int]:
    """For each column its place in the new order."""
    offsets = block.offsets()
    relations = block.relations
    place = [0] * offsets[-1]
    free = 0
    for i in (*inputs, *(len(block.inputs) + i for i in outer_joined)):
        for k in range(width(relations[i])):
            place[offsets[i] + k] = free
            free += 1
    return place


JOIN_ORDER = RelationRule("join_order", _apply)
