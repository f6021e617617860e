"""``a IS NOT NULL`` is left out where the block has another reason for it, or it is assumed."""

from __future__ import annotations

from sqljury.equivalence.blocks.chain import Reading
from sqljury.equivalence.blocks.equal_columns import equal_columns
from sqljury.equivalence.blocks.nullability import assumed_for_not_null
from sqljury.equivalence.rules.base import BLOCK, rule
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Call, Expression, Ref
from sqljury.trees.types import null_rejected


@rule(BLOCK, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL}, order=70)
def joined_not_null(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``FROM a JOIN b ON a.x = b.x WHERE a.x IS NOT NULL`` → ``FROM a JOIN b ON a.x = b.x``.

    Assumes primary key or not null where the absence of NULLs comes from them.
    """
    block = found.block
    asked = {part: c for part in block.conjuncts if (c := _column(part)) is not None}
    if not asked:
        return None
    others = [part for part in block.conjuncts if part not in asked]
    held = frozenset[int]().union(*map(null_rejected, others), *equal_columns(block, context))
    gone = [part for part, column in asked.items() if column in held]
    assumed: frozenset[Assumption] = frozenset()
    for part, column in asked.items():
        reason = None if part in gone else _reason(found, column, context)
        if reason is not None:
            gone.append(part)
            assumed |= reason
    block.conjuncts = others + [part for part in asked if part not in gone]
    return assumed if gone else None


def _reason(found: Reading, column: int, context: Context) -> frozenset[Assumption] | None:
    block = found.block
    owner = block.owners()[column]
    if owner >= len(block.inputs):
        return None
    place = Ref(column - block.offsets()[owner])
    return assumed_for_not_null((place,), block.inputs[owner], context)


def _column(part: Expression) -> int | None:
    match part:
        case Call(name="NOT", operands=(Call(name="IS NULL", operands=(Ref(column),)),)):
            return column
        case _:
            return None
