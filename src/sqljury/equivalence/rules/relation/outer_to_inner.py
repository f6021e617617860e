"""LEFT JOIN is an inner join where a condition above is not true for the rows without partner.

Source: Galindo-Legaria and Rosenthal, "Outerjoin simplification and reordering", 1997, section 3.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.block import Block
from sqljury.equivalence.blocks.chain import Reading
from sqljury.equivalence.rules.base import BLOCK, rule
from sqljury.trees.conditions import conjuncts
from sqljury.trees.context import Assumption, Context
from sqljury.trees.types import null_rejected
from sqljury.trees.walk import columns_read


@rule(BLOCK, at={"outer"}, order=10)
def outer_to_inner(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``a LEFT JOIN b ON … WHERE b.x > 3`` → ``a JOIN b ON … WHERE b.x > 3``."""
    del context
    block = found.block
    inner = len(block.inputs)
    first = block.offsets()[inner]
    for k in _never_empty(block):
        condition = block.outer_joined[k][1]
        own = _own(block, k)
        # What it is joined to must be there before it; that is turned first.
        if any(first <= c and c not in own for c in columns_read(condition)):
            continue
        block.conjuncts += conjuncts(condition)
        others = [inner + i for i in range(len(block.outer_joined)) if i != k]
        found.arrange([*range(inner), inner + k], others)
        return frozenset()
    return None


def _own(block: Block, k: int) -> range:
    offsets = block.offsets()
    return range(offsets[len(block.inputs) + k], offsets[len(block.inputs) + k + 1])


def _never_empty(block: Block) -> list[int]:
    """The outer-joined relations that every row that is kept has a partner in, the last first."""
    rejected = frozenset().union(*map(null_rejected, block.conjuncts))
    found = []
    for k in reversed(range(len(block.outer_joined))):
        if not rejected.isdisjoint(_own(block, k)):
            found.append(k)
            rejected |= null_rejected(block.outer_joined[k][1])
    return found
