"""A LEFT JOIN with at most one partner, of which nothing is read, is left out."""

from __future__ import annotations

from sqljury.equivalence.blocks.block import Block
from sqljury.equivalence.blocks.chain import Reading
from sqljury.equivalence.rules.base import BLOCK, rule
from sqljury.trees.context import Assumption, Context
from sqljury.trees.properties import one_partner, without_keys
from sqljury.trees.types import fields
from sqljury.trees.walk import columns_read


@rule(BLOCK, at={"outer"}, assumes={Assumption.PRIMARY_KEY}, order=30)
def unused_outer_join(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``SELECT a.x FROM a LEFT JOIN b ON a.b_id = b.id`` → ``SELECT a.x FROM a`` where a row
    has at most one partner.

    Assumes primary key where uniqueness comes from a declared key.
    """
    block = found.block
    inner, offsets = len(block.inputs), block.offsets()
    read = found.read().union(*map(columns_read, block.conjuncts))
    for k in reversed(range(len(block.outer_joined))):
        own = range(offsets[inner + k], offsets[inner + k + 1])
        later = (columns_read(c) for _, c in block.outer_joined[k + 1 :])
        if read.intersection(own) or any(not c.isdisjoint(own) for c in later):
            continue
        assumed = _assumed_for_one(found, k, context)
        if assumed is not None:
            others = [inner + i for i in range(len(block.outer_joined)) if i != k]
            found.arrange(range(inner), others)
            return assumed
    return None


def _assumed_for_one(found: Reading, k: int, context: Context) -> frozenset[Assumption] | None:
    if found.is_set():
        return frozenset()
    if _one_partner(found.block, k, without_keys(context)):
        return frozenset()
    if _one_partner(found.block, k, context):
        return frozenset((Assumption.PRIMARY_KEY,))
    return None


def _one_partner(block: Block, k: int, context: Context) -> bool:
    start = block.offsets()[len(block.inputs) + k]
    row = tuple(f for relation in block.relations for f in fields(relation, context))
    return one_partner(*block.outer_joined[k], row, start, context)
