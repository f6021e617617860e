"""An aggregate of all rows that leaves NULLs out needs no condition that does so before."""

from __future__ import annotations

from sqljury.equivalence.blocks.chain import Reading
from sqljury.equivalence.rules.base import BLOCK, rule
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Aggregate, AggregateCall, Call, Expression, Ref
from sqljury.trees.types import null_rejected

_BLIND = frozenset(("SUM", "AVG", "MIN", "MAX", "COUNT", "TOTAL", "GROUP_CONCAT", "STRING_AGG"))


@rule(BLOCK, order=80)
def null_blind(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``SELECT SUM(x) FROM t WHERE x IS NOT NULL`` → ``SELECT SUM(x) FROM t``."""
    del context
    reader = found.readers[0]
    if not isinstance(reader, Aggregate) or reader.keys or len(found.readers) > 1:
        return None
    # Without keys every use is a call: its first operand comes first.
    skipped = [
        _makes_null(use.expressions[0]) if _skips_null(call) else frozenset()
        for call, use in zip(reader.calls, found.uses, strict=True)
    ]
    if not skipped:
        return None
    needless = [not_null(Ref(c)) for c in frozenset.intersection(*skipped)]
    parts = found.block.conjuncts
    kept = [part for part in parts if part not in needless]
    if len(kept) == len(parts):
        return None
    found.block.conjuncts = kept
    return frozenset()


def not_null(expression: Expression) -> Expression:
    """``expression IS NOT NULL``."""
    return Call("NOT", (Call("IS NULL", (expression,)),))


def _makes_null(expression: Expression) -> frozenset[int]:
    """The columns that make an expression NULL when they are."""
    return null_rejected(not_null(expression))


def _skips_null(call: AggregateCall) -> bool:
    return call.name in _BLIND and bool(call.operands)
