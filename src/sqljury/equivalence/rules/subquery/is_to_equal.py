"""``IS`` between columns is ``=`` where one of them is never NULL; that may be assumed.

Set operations compare so. Only the questions of EXISTS are looked at: who writes IS means it.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.block import Block, flatten, rebuilt
from sqljury.equivalence.blocks.exists_join import asked, questions
from sqljury.equivalence.blocks.nullability import NOTHING, Assumed, assumed_for_not_null
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Call, Expression, Filter, Outer, Ref, Relation, Subquery
from sqljury.trees.nodes import SubqueryKind as Kind
from sqljury.trees.volatile import has_volatile


@rule(
    RELATION,
    at={"Filter", "Join"},
    needs={"IS"},
    assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
    order=280,
)
def is_to_equal(relation: Relation, context: Context) -> Rewritten | None:
    """``EXISTS (… WHERE x IS y)`` → ``EXISTS (… WHERE x = y)`` where x or y is never NULL.

    Assumes primary key or not null where the absence of NULLs comes from them.
    """
    asking = questions(relation)
    if asking is None:
        return None
    rows, parts = asking
    for i, part in enumerate(parts):
        found = _answered(part, rows, context)
        if found is not None:
            new = conjunction((*parts[:i], found[0], *parts[i + 1 :]))
            return Rewritten(Filter(rows, new), found[1])
    return None


def _answered(
    part: Expression, rows: Relation, context: Context
) -> tuple[Expression, Assumed] | None:
    if isinstance(part, Call) and part.name == "NOT":
        positive = _answered(part.operands[0], rows, context)
        return (Call("NOT", (positive[0],)), positive[1]) if positive is not None else None
    inner = asked(part)
    if inner is None or has_volatile(inner):
        return None
    block = flatten(inner).block
    base = rebuilt(Block(block.inputs, block.outer_joined, []))
    found = [_equal(each, base, rows, context) for each in block.conjuncts]
    if not any(found):
        return None
    new = [f[0] if f else old for f, old in zip(found, block.conjuncts, strict=True)]
    answered = rebuilt(Block(block.inputs, block.outer_joined, new))
    return Subquery(Kind.EXISTS, answered), NOTHING.union(*(f[1] for f in found if f))


def _equal(
    part: Expression, base: Relation, rows: Relation, context: Context
) -> tuple[Expression, Assumed] | None:
    match part:
        case Call(name="IS", operands=(Ref() as inside, Outer(level=1) as around)):
            pass
        case Call(name="IS", operands=(Outer(level=1) as around, Ref() as inside)):
            pass
        case _:
            return None
    sides = (
        assumed_for_not_null((inside,), base, context),
        assumed_for_not_null((Ref(around.index),), rows, context),
    )
    known = [assumed for assumed in sides if assumed is not None]
    if not known:
        return None
    return Call("=", part.operands), min(known, key=lambda a: (len(a), sorted(a)))
