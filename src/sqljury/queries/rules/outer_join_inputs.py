"""What the condition of a LEFT JOIN asks of its right side alone filters the right side."""

from __future__ import annotations

from sqljury.queries.rules.chain import BlockRule, Reading
from sqljury.queries.rules.conditions import conjunction, conjuncts
from sqljury.queries.trees.context import Assumption, Context
from sqljury.queries.trees.nodes import Filter
from sqljury.queries.trees.walk import columns_read, shift


def _apply(found: Reading, context: Context) -> frozenset[Assumption] | None:
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


OUTER_JOIN_INPUTS = BlockRule("outer_join_inputs", _apply)
