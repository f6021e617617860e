"""``LEFT JOIN … WHERE right.column IS NULL`` is NOT EXISTS.

The column must be one that no partner has NULL in: declared so, compared in the join's condition,
or assumed. Else rows with a partner whose column is NULL are kept as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqljury.equivalence.blocks.block import Block, Flat, flatten, rebuilt
from sqljury.equivalence.blocks.exists_join import not_exists
from sqljury.equivalence.blocks.nullability import NOTHING, Assumed, assumed_for_not_null
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import filtered
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    NULL,
    Call,
    Expression,
    Filter,
    Join,
    JoinKind,
    Literal,
    Outer,
    Project,
    Ref,
    Relation,
)
from sqljury.trees.types import null_rejected
from sqljury.trees.volatile import has_volatile, is_volatile
from sqljury.trees.walk import (
    columns_read,
    map_outer_references,
    map_references,
    width,
)


@rule(RELATION, at={"Filter"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL}, order=210)
def left_join_to_not_exists(relation: Relation, context: Context) -> Rewritten | None:
    """``FROM t LEFT JOIN u ON … WHERE u.x IS NULL`` → ``FROM t WHERE NOT EXISTS (SELECT 1 FROM
    u WHERE …)``.

    Assumes primary key or not null where the absence of NULLs comes from them.
    """
    match relation:
        case Filter(input=Join(kind=JoinKind.LEFT, lateral=False)):
            flat = flatten(relation)
        case _:
            return None
    for position, (right, condition) in enumerate(flat.block.outer_joined):
        if has_volatile(right) or is_volatile(condition):
            continue
        assumed = _assumed_for_no_partner(flat.block, position, context)
        if assumed is not None:
            return Rewritten(_alone(flat, position), assumed)
    return None


def _assumed_for_no_partner(block: Block, position: int, context: Context) -> Assumed | None:
    """What makes sure that a row kept by the block has no partner on that right side."""
    right, condition = block.outer_joined[position]
    first = block.offsets()[len(block.inputs) + position]
    own = range(first, first + width(right))
    nulls = [c for part in block.conjuncts if (c := _null_column(part)) is not None and c in own]
    later = block.outer_joined[position + 1 :]
    if not nulls or any(columns_read(c) & frozenset(own) for _, c in later):
        return None
    if _never_true(condition, frozenset(nulls)):
        return NOTHING
    pairs = Join(JoinKind.INNER, _before(block, position), right, condition)
    found = [assumed_for_not_null((Ref(column),), pairs, context) for column in nulls]
    return min((f for f in found if f is not None), key=len, default=None)


def _null_column(part: Expression) -> int | None:
    match part:
        case Call(name="IS NULL", operands=(Ref() as column,)):
            return column.index
        case _:
            return None


def _before(block: Block, position: int) -> Relation:
    """What stands left of an outer join."""
    return rebuilt(Block(block.inputs, block.outer_joined[:position], []))


def _never_true(condition: Expression, columns: frozenset[int]) -> bool:
    """Whether a condition cannot be true where all the columns are NULL."""
    match condition:
        case Call(name="AND"):
            return any(_never_true(part, columns) for part in condition.operands)
        case Call(name="OR"):
            return all(_never_true(part, columns) for part in condition.operands)
        case Literal():
            return condition.value is None or condition.value is False
        case _:
            return bool(null_rejected(condition) & columns)


def _alone(flat: Flat, position: int) -> Relation:
    """The rows without partner; NULL in place of the partner's columns."""
    block = flat.block
    right, condition = block.outer_joined[position]
    first = block.offsets()[len(block.inputs) + position]
    after = first + width(right)

    def without(level: int, index: int) -> Expression:
        if level > 0 or index < first:
            return Ref(index) if level == 0 else Outer(level, index)
        return NULL if index < after else Ref(index - width(right))

    def kept(parts: Sequence[Expression]) -> list[Expression]:
        own = range(first, after)
        return [map_references(p, without) for p in parts if _null_column(p) not in own]

    later = [(r, map_references(c, without)) for r, c in block.outer_joined[position + 1 :]]
    alone = not_exists(_partners(right, condition, first))
    rest = Block(
        block.inputs, block.outer_joined[:position] + later, [*kept(block.conjuncts), alone]
    )
    return Project(rebuilt(rest), tuple(map_references(e, without) for e in flat.outputs))


def _partners(right: Relation, condition: Expression, first: int) -> Relation:
    """The right rows that fit the left row, which is now around them."""

    def from_inside(level: int, index: int) -> Expression:
        if level > 0:
            return Outer(level + 1, index)
        return Outer(1, index) if index < first else Ref(index - first)

    inside = map_outer_references(right, lambda level, index: Outer(level + 1, index))
    return filtered(inside, map_references(condition, from_inside))
