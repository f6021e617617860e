"""Joins and filters as one block of inputs and conditions; its equal columns; back to a tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqljury.trees.conditions import conjunction, conjuncts, filtered
from sqljury.trees.context import Context
from sqljury.trees.facts import fact
from sqljury.trees.nodes import (
    Call,
    Expression,
    Filter,
    Join,
    JoinKind,
    Outer,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
    Values,
    whole_row,
)
from sqljury.trees.order import sort_key
from sqljury.trees.properties import same_values
from sqljury.trees.types import Row, fields
from sqljury.trees.volatile import any_volatile, is_volatile
from sqljury.trees.walk import (
    columns_read,
    deepen_relation,
    length,
    map_references,
    renumber,
    shift,
    substitute,
    width,
)

# ---------------------------------------------------------------- block
# A block: inner-joined inputs, outer joins on top of them, and conditions in any order.
#
# Filters, inner and cross joins, projections and semi-joins are one thing for an optimiser: a set
# of inputs and a set of conditions. The B of ``A LEFT JOIN B`` is an input of its own kind, because
# later inner joins may be done before the LEFT JOIN: ``(A ⟕ B) ⋈ C`` is ``(A ⋈ C) ⟕ B``.
#
# Source: Galindo-Legaria and Rosenthal, "Outerjoin simplification and reordering", 1997.


_MOST_INPUTS = 24
_LARGEST_EXPRESSION = 400


@dataclass(slots=True)
class Block:
    """Inner-joined inputs, outer-joined relations and conditions.

    The columns of a block are those of the inputs, then those of the outer-joined relations.
    """

    inputs: list[Relation] = field(default_factory=list)
    outer_joined: list[tuple[Relation, Expression]] = field(default_factory=list)
    """Each relation with its LEFT JOIN condition, which may read its columns and all before it."""
    conjuncts: list[Expression] = field(default_factory=list)
    """Conditions that every row of the block satisfies, over all its columns."""

    @property
    def relations(self) -> list[Relation]:
        """All inputs, the outer-joined ones last."""
        return [*self.inputs, *(relation for relation, _ in self.outer_joined)]

    def offsets(self) -> list[int]:
        """The position of each relation's first column; the last number counts all columns."""
        found = [0]
        for relation in self.relations:
            found.append(found[-1] + width(relation))
        return found

    def owners(self) -> list[int]:
        """For each column the position in ``relations`` of the relation that it belongs to."""
        return [i for i, relation in enumerate(self.relations) for _ in range(width(relation))]


@dataclass(frozen=True, slots=True)
class Flat:
    """A relation taken apart: the block, and each output column as an expression over it."""

    block: Block
    outputs: tuple[Expression, ...]


def flatten(relation: Relation) -> Flat:
    """A relation as a block. A part that cannot be taken apart becomes one input of it."""
    known = _flattened(relation)
    block = known.block
    return Flat(Block(block.inputs[:], block.outer_joined[:], block.conjuncts[:]), known.outputs)


@fact
def _flattened(relation: Relation) -> Flat:
    """As :func:`flatten`, but the block is shared and must not be changed."""
    match relation:
        case Filter() if not is_volatile(relation.condition):
            return _of_filter(relation)
        case Project() if not any_volatile(relation.expressions):
            return _of_project(relation)
        case Join(lateral=False) if not is_volatile(relation.condition):
            return _of_join(relation)
        case Values(rows=((),)):
            return Flat(Block(), ())
        case _:
            return _alone(relation)


def _alone(relation: Relation) -> Flat:
    return Flat(Block([relation]), whole_row(width(relation)))


def _of_filter(relation: Filter) -> Flat:
    below = flatten(relation.input)
    condition = _inlined(relation.condition, below.outputs)
    if condition is None:
        return _alone(relation)
    below.block.conjuncts += conjuncts(condition)
    return below


def _of_project(relation: Project) -> Flat:
    below = flatten(relation.input)
    outputs = [_inlined(e, below.outputs) for e in relation.expressions]
    whole = tuple(e for e in outputs if e is not None)
    return Flat(below.block, whole) if len(whole) == len(outputs) else _alone(relation)


def is_whole_row(values: tuple[Expression, ...]) -> bool:
    """True if the values are all columns of a row, in order."""
    return values is whole_row(len(values))


def _inlined(expression: Expression, values: tuple[Expression, ...]) -> Expression | None:
    """The expression with ``values`` put in place of its columns; None if that is too large."""
    found = expression if is_whole_row(values) else substitute(expression, values)
    return found if length(found) < _LARGEST_EXPRESSION else None


def _of_join(relation: Join) -> Flat:
    match relation.kind:
        case JoinKind.INNER:
            return _of_inner(relation)
        case JoinKind.LEFT:
            return _of_left(relation)
        case JoinKind.SEMI | JoinKind.ANTI:
            return _of_semi(relation)
        case JoinKind.RIGHT:
            return _of_right(relation)
        case JoinKind.FULL:
            return _alone(relation)


def _of_inner(relation: Join) -> Flat:
    left, right = flatten(relation.left), flatten(relation.right)
    if len(left.block.relations) + len(right.block.relations) > _MOST_INPUTS:
        return _alone(relation)
    together = _side_by_side(left, right)
    condition = _inlined(relation.condition, together.outputs)
    if condition is None:
        return _alone(relation)
    together.block.conjuncts += conjuncts(condition)
    return together


def _side_by_side(left: Flat, right: Flat) -> Flat:
    """The cross join of two blocks: first all inner-joined inputs, then all outer-joined ones."""
    inner = sum(map(width, left.block.inputs))
    outer = sum(width(relation) for relation, _ in left.block.outer_joined)
    right_inner = sum(map(width, right.block.inputs))

    def of_left(expression: Expression) -> Expression:
        if not outer:
            return expression
        return renumber(expression, lambda c: c if c < inner else c + right_inner)

    def of_right(expression: Expression) -> Expression:
        return renumber(expression, lambda c: c + inner if c < right_inner else c + inner + outer)

    block = Block(
        left.block.inputs + right.block.inputs,
        [
            *((r, of_left(c)) for r, c in left.block.outer_joined),
            *((r, of_right(c)) for r, c in right.block.outer_joined),
        ],
        [*map(of_left, left.block.conjuncts), *map(of_right, right.block.conjuncts)],
    )
    if (left.outputs, right.outputs) == (whole_row(inner), whole_row(right_inner)):
        return Flat(block, whole_row(inner + right_inner))
    return Flat(block, (*map(of_left, left.outputs), *map(of_right, right.outputs)))


def _of_left(relation: Join) -> Flat:
    left = flatten(relation.left)
    right, places = _of_columns(relation.right)
    if len(left.block.relations) >= _MOST_INPUTS:
        return _alone(relation)
    by = sum(map(width, left.block.relations))
    outputs = (*left.outputs, *(Ref(by + place) for place in places))
    condition = _inlined(relation.condition, outputs)
    if condition is None:
        return _alone(relation)
    left.block.outer_joined.append((right, condition))
    return Flat(left.block, outputs)


def _of_columns(relation: Relation) -> tuple[Relation, tuple[int, ...]]:
    """The relation below projections that only choose columns; the place of each column there."""
    places = tuple(range(width(relation)))
    while isinstance(relation, Project):
        columns = [e.index for e in relation.expressions if isinstance(e, Ref)]
        # In a row that the outer join fills with NULLs a computed column is NULL. Computed after
        # the join, over NULLs, it might not be.
        if len(columns) != len(relation.expressions):
            break
        places = tuple(columns[place] for place in places)
        relation = relation.input
    return relation, places


def _of_right(relation: Join) -> Flat:
    by, more = width(relation.left), width(relation.right)
    turned = tuple(Ref(more + i) for i in range(by)) + tuple(Ref(i) for i in range(more))
    swapped = Join(
        JoinKind.LEFT, relation.right, relation.left, substitute(relation.condition, turned)
    )
    flat = flatten(swapped)
    return Flat(flat.block, tuple(substitute(e, flat.outputs) for e in turned))


def _of_semi(relation: Join) -> Flat:
    """A semi-join as a block: it becomes an EXISTS condition, an anti-join a NOT EXISTS."""
    flat = flatten(relation.left)
    by = width(relation.left)

    def seen_inside(level: int, index: int) -> Expression:
        if level > 0:
            return Outer(level + 1, index)
        return Ref(index - by) if index >= by else Outer(1, index)

    condition = map_references(relation.condition, seen_inside)
    right = deepen_relation(relation.right)
    exists: Expression = Subquery(SubqueryKind.EXISTS, filtered(right, condition))
    if relation.kind is JoinKind.ANTI:
        exists = Call("NOT", (exists,))
    inlined = _inlined(exists, flat.outputs)
    if inlined is None:
        return _alone(relation)
    flat.block.conjuncts.append(inlined)
    return flat


# ---------------------------------------------------------------- back to a tree


def rebuilt(block: Block) -> Relation:
    """The tree of a block: left-deep joins in its order, each condition as low as possible."""
    owners, offsets, inner = block.owners(), block.offsets(), len(block.inputs)
    waiting = [(c, frozenset(owners[i] for i in columns_read(c))) for c in block.conjuncts]
    # A condition that reads no column filters the only input, or the result of all inner joins.
    free = frozenset((0,) if inner == 1 else ())
    found: Relation = Values(((),))
    for i, relation in enumerate(block.inputs):
        own = [shift(c, -offsets[i]) for c, read in waiting if (read or free) == {i}]
        side = _filtered(relation, own)
        here = [c for c, read in waiting if len(read) > 1 and max(read) == i]
        found = Join(JoinKind.INNER, found, side, ordered(here)) if i else side
    if inner != 1:
        found = _filtered(found, [c for c, read in waiting if not read])
    for relation, condition in block.outer_joined:
        found = Join(JoinKind.LEFT, found, relation, ordered(conjuncts(condition)))
    return _filtered(found, [c for c, read in waiting if read and max(read) >= inner])


def _filtered(relation: Relation, parts: list[Expression]) -> Relation:
    return Filter(relation, ordered(parts)) if parts else relation


def ordered(parts: Iterable[Expression]) -> Expression:
    """The conjunction of the parts, each once, in a fixed order."""
    return conjunction(sorted(dict.fromkeys(parts), key=sort_key))


# ---------------------------------------------------------------- equal columns
# Columns of a block that hold equal values, as classes: ``a = b AND b = c`` is one class.
#
# Only columns whose values are the same when they compare as equal, so that one may replace the
# other: SQLite may find the text '1' equal to the number 1, and '1.0' as well.


def equal_columns(block: Block, context: Context) -> list[frozenset[int]]:
    """The sets of two or more inner-joined columns that the conditions make equal."""
    inner = sum(map(width, block.inputs))
    pairs = [pair for part in block.conjuncts if (pair := _pair(part, inner)) is not None]
    if not pairs:
        return []
    row = inner_row(block, context)
    classes: list[frozenset[int]] = []
    for pair in pairs:
        if not same_values(row[pair[0]], row[pair[1]], context):
            continue
        near = [members for members in classes if not members.isdisjoint(pair)]
        classes = [members for members in classes if members.isdisjoint(pair)]
        classes.append(frozenset(pair).union(*near))
    return classes


def inner_row(block: Block, context: Context) -> Row:
    """The fields (types) of all columns of the inner-joined inputs."""
    return tuple(field for relation in block.inputs for field in fields(relation, context))


def without_equalities(
    parts: Iterable[Expression], classes: list[frozenset[int]]
) -> list[Expression]:
    """The conditions without those that only equate two columns of one class."""
    return [part for part in parts if not _said(part, classes)]


def _said(part: Expression, classes: list[frozenset[int]]) -> bool:
    match part:
        case Call(name="=", operands=(Ref() as a, Ref() as b)):
            return a != b and any(a.index in m and b.index in m for m in classes)
        case _:
            return False


def _pair(part: Expression, inner: int) -> tuple[int, int] | None:
    match part:
        case Call(name="=", operands=(Ref() as a, Ref() as b)):
            both = a.index, b.index
            return both if a != b and max(both) < inner else None
        case _:
            return None


def is_trivial(part: Expression) -> bool:
    """True if the condition is ``x = x`` of a column, which remains when two columns are merged."""
    match part:
        case Call(name="=", operands=(Ref(a), Ref(b))):
            return a == b
        case _:
            return False
