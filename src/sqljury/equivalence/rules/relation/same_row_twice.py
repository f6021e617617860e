"""Two inputs that are the same relation, joined on a key, are one: both rows are the same row."""

from __future__ import annotations

from itertools import combinations

from sqljury.equivalence.blocks.chain import Reading
from sqljury.equivalence.blocks.equal_columns import equal_columns, inner_row, is_trivial
from sqljury.equivalence.rules.base import BLOCK, rule
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Call, Expression, Ref
from sqljury.trees.properties import assumed_for_unique
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import width


@rule(BLOCK, at={"several"}, assumes={Assumption.PRIMARY_KEY}, order=40)
def same_row_twice(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``FROM a JOIN a AS b ON a.id = b.id`` → ``FROM a``, where no id occurs twice.

    Assumes primary key where uniqueness comes from a declared key.
    """
    block = found.block
    if len(set(block.inputs)) == len(block.inputs):
        return None
    offsets = block.offsets()
    classes = equal_columns(block, context)
    for i, j in combinations(range(len(block.inputs)), 2):
        relation = block.inputs[i]
        if relation != block.inputs[j] or has_volatile(relation):
            continue
        equal = [
            k
            for k in range(width(relation))
            if any(offsets[i] + k in m and offsets[j] + k in m for m in classes)
        ]
        # Only rows without NULL there find a partner.
        assumed = assumed_for_unique(relation, equal, context, frozenset(equal)) if equal else None
        if assumed is not None:
            _make_one(found, i, j, equal, context)
            return assumed
    return None


def _make_one(found: Reading, i: int, j: int, equal: list[int], context: Context) -> None:
    block = found.block
    offsets, row = block.offsets(), inner_row(block, context)
    by = offsets[j] - offsets[i]
    own = range(offsets[j], offsets[j + 1])
    # The equality was not true for NULLs.
    held: list[Expression] = [
        Call("NOT", (Call("IS NULL", (Ref(offsets[i] + k),)),))
        for k in equal
        if row[offsets[i] + k].nullable
    ]
    found.substitute([Ref(c - by if c in own else c) for c in range(offsets[-1])])
    block.conjuncts = [part for part in block.conjuncts if not is_trivial(part)] + held
    inner = len(block.inputs)
    found.arrange(
        [k for k in range(inner) if k != j], [inner + k for k in range(len(block.outer_joined))]
    )
