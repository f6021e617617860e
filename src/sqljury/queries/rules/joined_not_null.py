"""``a IS NOT NULL`` is left out where another condition of the block says so of ``a``."""

from __future__ import annotations

from sqljury.queries.rules.chain import BlockRule, Reading
from sqljury.queries.rules.equal_columns import equal_columns, inner_row
from sqljury.queries.trees.context import Assumption, Context
from sqljury.queries.trees.nodes import Call, Expression, Ref
from sqljury.queries.trees.types import null_rejected


def _apply(found: Reading, context: Context) -> frozenset[Assumption] | None:
    block = found.block
    asked = [part for part in block.conjuncts if _column(part) is not None]
    if not asked:
        return None
    row = inner_row(block, context)
    others = [part for part in block.conjuncts if _column(part) is None]
    held = frozenset().union(*map(null_rejected, others))
    held |= frozenset(c for c, field in enumerate(row) if not field.nullable)
    for members in equal_columns(block, context):
        held |= members
    kept = [part for part in dict.fromkeys(asked) if _column(part) not in held]
    if len(kept) == len(asked):
        return None
    block.conjuncts = others + kept
    return frozenset()


def _column(part: Expression) -> int | None:
    match part:
        case Call(name="NOT", operands=(Call(name="IS NULL", operands=(Ref(column),)),)):
            return column
        case _:
            return None


JOINED_NOT_NULL = BlockRule("joined_not_null", _apply)
