"""What the condition of a LEFT JOIN asks of its right side alone filters the right side."""

from __future__ import annotations

from sqljury.equivalence.blocks.chain import Reading
from sqljury.equivalence.rules.base import BLOCK, rule
from sqljury.trees.conditions import conjunction, conjuncts
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Filter
from sqljury.trees.walk import columns_read, shift


@rule(BLOCK, at={"outer"}, order=20)
def outer_join_inputs(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``a LEFT JOIN b ON a.id = b.id AND b.x > 3`` → ``a LEFT JOIN (SELECT * FROM b WHERE x >
    3) AS b ON a.id = b.id``."""
    del context
    block = found.block
    offsets = block.offsets()
    changed = False
    for k, (relation, condition) in enumerate(block.outer_joined):
        start, stop = offsets[len(block.inputs) + k : len(block.inputs) + k + 2]
        parts = conjuncts(condition)
        own = [p for p in parts if columns_read(p) and columns_read(p) <= set(range(start, stop))]
        if not own:
            continue
        rest = conjunction(p for p in parts if p not in own)
        filtered = Filter(relation, conjunction(shift(p, -start) for p in own))
        block.outer_joined[k] = (filtered, rest)
        changed = True
    return frozenset() if changed else None
