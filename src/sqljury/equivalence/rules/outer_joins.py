"""Rules for outer joins."""

from __future__ import annotations

from collections.abc import Sequence

from sqljury.equivalence.blocks.block import Block, Flat, flatten, rebuilt
from sqljury.equivalence.blocks.chain import Reading
from sqljury.equivalence.blocks.forms import NOTHING, Assumed, assumed_for_not_null, null_of
from sqljury.equivalence.blocks.selection import not_exists
from sqljury.equivalence.rules.base import BLOCK, RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction, conjuncts, filtered
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
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
from sqljury.trees.properties import one_partner, without_keys
from sqljury.trees.types import fields, null_rejected
from sqljury.trees.volatile import has_volatile, is_volatile
from sqljury.trees.walk import (
    columns_read,
    deepen_relation,
    map_references,
    shift,
    width,
)

# ---------------------------------------------------------------- outer join inputs
# Conditions of a LEFT JOIN that read only its right side become a filter on the right side.


@rule(BLOCK, at={"outer"})
def outer_join_inputs(found: Reading, _: Context) -> frozenset[Assumption] | None:
    """``a LEFT JOIN b ON a.id = b.id AND b.x > 3`` → ``a LEFT JOIN (SELECT * FROM b WHERE x >
    3) AS b ON a.id = b.id``."""
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


# ---------------------------------------------------------------- outer to inner
# LEFT JOIN is an inner join if a condition above rejects the rows without a partner.
#
# Source: Galindo-Legaria and Rosenthal, "Outerjoin simplification and reordering", 1997, section 3.


@rule(BLOCK, at={"outer"})
def outer_to_inner(found: Reading, _: Context) -> frozenset[Assumption] | None:
    """``a LEFT JOIN b ON … WHERE b.x > 3`` → ``a JOIN b ON … WHERE b.x > 3``."""
    block = found.block
    inner = len(block.inputs)
    first = block.offsets()[inner]
    for k in _never_empty(block):
        condition = block.outer_joined[k][1]
        own = _own(block, k)
        # Its condition reads another outer-joined relation, which must become an inner join first.
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
    """The outer-joined relations in which every row of the result has a partner, last first."""
    rejected = frozenset().union(*map(null_rejected, block.conjuncts))
    found = []
    for k in reversed(range(len(block.outer_joined))):
        if not rejected.isdisjoint(_own(block, k)):
            found.append(k)
            rejected |= null_rejected(block.outer_joined[k][1])
    return found


# ---------------------------------------------------------------- unused outer join
# A LEFT JOIN with at most one partner, none of whose columns is read, is removed.


@rule(BLOCK, at={"outer"}, assumes={Assumption.PRIMARY_KEY})
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
            found.leave_out(inner + k)
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


# ---------------------------------------------------------------- left join to not exists
# ``LEFT JOIN … WHERE right.column IS NULL`` is NOT EXISTS.
#
# No partner may have NULL in that column: it is declared so, compared in the join's condition, or
# assumed. Otherwise rows with a partner whose column is NULL would be kept as well.


@rule(RELATION, at={"Filter"}, assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL})
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
            return Rewritten(_alone(flat, position, context), assumed)
    return None


def _assumed_for_no_partner(block: Block, position: int, context: Context) -> Assumed | None:
    """The assumptions under which rows of the block have no partner in that relation; or None."""
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
    """The left side of an outer join, without conditions."""
    return rebuilt(Block(block.inputs, block.outer_joined[:position], []))


def _never_true(condition: Expression, columns: frozenset[int]) -> bool:
    """True if a condition cannot be true when all these columns are NULL."""
    match condition:
        case Call(name="AND"):
            return any(_never_true(part, columns) for part in condition.operands)
        case Call(name="OR"):
            return all(_never_true(part, columns) for part in condition.operands)
        case Literal():
            return condition.value is None or condition.value is False
        case _:
            return bool(null_rejected(condition) & columns)


def _alone(flat: Flat, position: int, context: Context) -> Relation:
    """The rows without a partner, by NOT EXISTS; NULL in place of the partner's columns."""
    block = flat.block
    right, condition = block.outer_joined[position]
    first = block.offsets()[len(block.inputs) + position]
    after = first + width(right)
    nulls = [null_of(field.type, context) for field in fields(right, context)]

    def without(level: int, index: int) -> Expression:
        if level > 0 or index < first:
            return Ref(index) if level == 0 else Outer(level, index)
        return nulls[index - first] if index < after else Ref(index - width(right))

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
    """The partners of the left row, as a subquery in which the left row is the outer row."""

    def from_inside(level: int, index: int) -> Expression:
        if level > 0:
            return Outer(level + 1, index)
        return Outer(1, index) if index < first else Ref(index - first)

    inside = deepen_relation(right)
    return filtered(inside, map_references(condition, from_inside))
