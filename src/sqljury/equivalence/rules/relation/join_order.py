"""Inner joins and filters as one block, its inputs in an order of their own.

Joins, filters and projections below a projection or an aggregate become a block; conditions stand
at their lowest places, inputs and outer joins in canonical order, and of equal columns the first
one is named everywhere. What else is known of blocks is done on the way.
"""

from __future__ import annotations

from functools import cache

from sqljury.equivalence.blocks.chain import Reading, reading
from sqljury.equivalence.blocks.equal_columns import equal_columns, without_equalities
from sqljury.equivalence.blocks.labelling import best_order
from sqljury.equivalence.rules.base import BLOCK, RELATION, OnBlock, Rewritten, Rule, rule
from sqljury.equivalence.rules.registry import rules_of
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Call, Expression, Relation, ref


@rule(RELATION, at={"Project", "Aggregate", "Distinct"}, order=120)
def join_order(relation: Relation, context: Context) -> Rewritten | None:
    """``FROM b JOIN a ON … WHERE …`` → ``FROM a JOIN b ON …``, the inputs in an order of their
    own.

    The rules of blocks are applied on the way.
    """
    found = reading(relation)
    if found is None:
        return None
    assumed: set[Assumption] = set()
    names: list[str] = []
    while (done := _step(found, context)) is not None:
        names.append(done[0])
        assumed |= done[1]
    put_in_order(found, context)
    return Rewritten(found.rebuilt(), frozenset(assumed), (*names, "join_order"))


def _step(found: Reading, context: Context) -> tuple[str, frozenset[Assumption]] | None:
    """The name of the first rule that changed the block, and what it assumed."""
    block = found.block
    for each in _block_rules(len(block.inputs) > 1, bool(block.outer_joined)):
        assumed = each.apply(found, context)
        if assumed is not None:
            return each.name, assumed
    return None


@cache
def _block_rules(several: bool, outer: bool) -> tuple[Rule[OnBlock], ...]:
    """The rules that are tried at blocks of several inputs, with outer joins."""
    has = {"several": several, "outer": outer}
    return tuple(each for each in rules_of(BLOCK) if not each.at or any(has[k] for k in each.at))


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
        found.substitute([ref(first.get(c, c)) for c in range(len(place))])
    block.conjuncts += [equality for members in moved for equality in _equalities(members)]


def _equalities(members: frozenset[int]) -> list[Expression]:
    first, *others = sorted(members)
    return [Call("=", (ref(first), ref(other))) for other in others]
