"""Inner joins and filters as one block, its inputs in an order of their own.

Joins, filters and projections below a projection or an aggregate become a block; conditions stand
at their lowest places, inputs and outer joins in canonical order, and of equal columns the first
one is named everywhere. What else is known of blocks is done on the way.
"""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.chain import BlockRule, Reading, reading
from sqljury.queries.rules.distinct_input import DISTINCT_INPUT
from sqljury.queries.rules.equal_columns import equal_columns, without_equalities
from sqljury.queries.rules.foreign_key_join import FOREIGN_KEY_JOIN
from sqljury.queries.rules.joined_not_null import JOINED_NOT_NULL
from sqljury.queries.rules.labelling import best_order
from sqljury.queries.rules.null_blind import NULL_BLIND
from sqljury.queries.rules.outer_join_inputs import OUTER_JOIN_INPUTS
from sqljury.queries.rules.outer_to_inner import OUTER_TO_INNER
from sqljury.queries.rules.same_row_twice import SAME_ROW_TWICE
from sqljury.queries.rules.unused_outer_join import UNUSED_OUTER_JOIN
from sqljury.queries.trees.context import Assumption, Context
from sqljury.queries.trees.nodes import Call, Expression, Ref, Relation

BLOCK_RULES: tuple[BlockRule, ...] = (
    OUTER_TO_INNER,
    OUTER_JOIN_INPUTS,
    UNUSED_OUTER_JOIN,
    SAME_ROW_TWICE,
    DISTINCT_INPUT,
    FOREIGN_KEY_JOIN,
    JOINED_NOT_NULL,
    NULL_BLIND,
)
_NAME = "join_order"


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    found = reading(relation)
    if found is None:
        return None
    assumed: set[Assumption] = set()
    names: list[str] = []
    while (done := _step(found, context)) is not None:
        names.append(done[0])
        assumed |= done[1]
    put_in_order(found, context)
    return Rewritten(found.rebuilt(), frozenset(assumed), (*names, _NAME))


def _step(found: Reading, context: Context) -> tuple[str, frozenset[Assumption]] | None:
    """The name of the first rule that changed the block, and what it assumed."""
    for rule in BLOCK_RULES:
        assumed = rule.apply(found, context)
        if assumed is not None:
            return rule.name, assumed
    return None


def put_in_order(found: Reading, context: Context) -> None:
    """The inputs in canonical order; of equal columns the first is named."""
    block = found.block
    classes = equal_columns(block, context)
    block.conjuncts = without_equalities(block.conjuncts, classes)
    inputs, outer_joined = best_order(block, found.uses, classes)
    inner = len(block.inputs)
    place = found.arrange(inputs, [inner + i for i in outer_joined])
    moved = [frozenset(place[c] for c in members) for members in classes]
    first = {c: min(members) for members in moved for c in members}
    if first:
        found.substitute([Ref(first.get(c, c)) for c in range(len(place))])
    block.conjuncts += [equality for members in moved for equality in _equalities(members)]


def _equalities(members: frozenset[int]) -> list[Expression]:
    first, *others = sorted(members)
    return [Call("=", (Ref(first), Ref(other))) for other in others]


JOIN_ORDER = RelationRule(_NAME, _apply)
