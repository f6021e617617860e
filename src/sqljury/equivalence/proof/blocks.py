"""Queries as sums of blocks: a block has one row for each combination of input rows that satisfies
its conditions.

Filters, projections, inner joins and UNION ALL become blocks. An outer join becomes its inner join,
plus the rows without a partner, filled with NULLs. A semi or anti join becomes a condition with
EXISTS. Any other relation is an input of a block.

Source: Zhou et al. 2022 (SPES), section 4; Chu et al. 2018 (UDP), the sum-product form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product

from sqljury.equivalence.blocks.forms import null_of
from sqljury.equivalence.proof.grouping import (
    has_no_rows,
    of_no_rows,
    of_single_rows,
    rolled_up,
    with_determined_keys,
    with_sums,
)
from sqljury.equivalence.rules.base import Scope
from sqljury.equivalence.simplify import simplify_condition
from sqljury.trees.conditions import conjunction, conjuncts
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    TRUE,
    Aggregate,
    Call,
    Distinct,
    Expression,
    Field,
    Filter,
    Join,
    JoinKind,
    Literal,
    Outer,
    Project,
    Ref,
    Relation,
    SetKind,
    SetOperation,
    Sort,
    Subquery,
    SubqueryKind,
    Type,
    Values,
)
from sqljury.trees.types import fields
from sqljury.trees.walk import (
    columns_read,
    deepen,
    deepen_relation,
    map_references,
    outer_references,
    over_pair,
    renumber,
    shift,
    subexpressions,
    substitute,
    width,
)

Rows = tuple[tuple[Field, ...], ...]
"""The rows of the outer queries, nearest first."""

_MOST_BLOCKS = 24
_MOST_INPUTS = 12
_LARGEST = 4_000
"""Most parts of an expression after substitution."""
_MOST_VALUES = 12


class TooLargeError(Exception):
    """A query would become too many or too large blocks."""


@dataclass(frozen=True, slots=True)
class ProofBlock:
    """One row of ``outputs`` for each combination of rows of ``inputs`` where all conditions hold.

    Expressions read the columns of all inputs, concatenated.
    """

    inputs: tuple[Relation, ...]
    conditions: tuple[Expression, ...]
    outputs: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Reader:
    """Turns relations into blocks; if ``sets``, duplicates of rows may be lost."""

    context: Context
    outer: Rows = ()
    sets: bool = False

    def blocks(self, relation: Relation) -> tuple[ProofBlock, ...]:
        """The blocks whose rows together are the rows of a relation.

        Raises:
            TooLargeError: there would be too many.
        """
        found = tuple(self._blocks(relation))
        if len(found) > _MOST_BLOCKS:
            raise TooLargeError
        return found

    def _blocks(self, relation: Relation) -> Iterator[ProofBlock]:
        match relation:
            case Filter():
                yield from self._filter(relation)
            case Project():
                yield from self._project(relation)
            case Join(lateral=False):
                yield from self._join(relation)
            case Sort():
                yield from self.blocks(relation.input)
            case Values() if len(relation.rows) <= _MOST_VALUES:
                for row in relation.rows:
                    yield ProofBlock((), (), row)
            case SetOperation(kind=SetKind.UNION) if relation.all or self.sets:
                yield from self._union(relation)
            case SetOperation(kind=SetKind.UNION):
                yield atom(Distinct(replace(relation, all=True)))
            case Distinct() if self.sets:
                yield from self.blocks(relation.input)
            case Aggregate():
                yield from self._aggregate(relation)
            case _:
                yield atom(relation)

    def _below(self, relation: Relation) -> tuple[ProofBlock, ...]:
        """The blocks of an input, or the input as one block if its blocks differ in column types.

        An expression over the input could otherwise have another meaning over one of the blocks.
        """
        found = self.blocks(relation)
        if len(found) > 1 and not all(self._alike(block, relation) for block in found):
            return (atom(relation),)
        return found

    def _alike(self, block: ProofBlock, relation: Relation) -> bool:
        shown = fields(Project(_product(block), block.outputs), self.context, self.outer)
        whole = fields(relation, self.context, self.outer)
        return all(
            (isinstance(e, Literal) and e.value is None)
            or (one.type is other.type and one.affinity == other.affinity is not None)
            # Decimals of one type differ in their digits: 1.50 and 1.500.
            or (one.type is other.type is not Type.DECIMAL and self.context.dialect != "sqlite")
            for e, one, other in zip(block.outputs, shown, whole, strict=True)
        )

    def row(self, block: ProofBlock) -> tuple[Field, ...]:
        """The fields of all columns that a block's expressions can read."""
        return tuple(
            field for below in block.inputs for field in fields(below, self.context, self.outer)
        )

    def _filter(self, relation: Filter) -> Iterator[ProofBlock]:
        for block in self._below(relation.input):
            yield _and(block, conjuncts(_over(relation.condition, block.outputs)))

    def _project(self, relation: Project) -> Iterator[ProofBlock]:
        for block in self._below(relation.input):
            outputs = tuple(_over(e, block.outputs) for e in relation.expressions)
            yield replace(block, outputs=outputs)

    def _aggregate(self, relation: Aggregate) -> Iterator[ProofBlock]:
        """An aggregate as blocks of plain rows if it can be simplified so, else as an input."""
        if not relation.keys and has_no_rows(relation.input):
            constant = of_no_rows(relation, self.context)
            yield atom(relation) if constant is None else ProofBlock((), (), constant)
            return
        simple = None
        if not self.outer:
            simple = of_single_rows(relation, self.context) or with_determined_keys(
                relation, self.context
            )
        if simple is not None:
            yield from self.blocks(simple)
        elif relation.keys and not relation.calls:
            grouped = Project(relation.input, relation.keys)
            yield from self.blocks(grouped) if self.sets else (atom(Distinct(grouped)),)
        else:
            whole = rolled_up(relation)
            yield atom(with_sums(relation if whole is None else whole))

    def _union(self, relation: SetOperation) -> Iterator[ProofBlock]:
        """The blocks of all inputs; outside SQLite, where a union converts its columns to common
        types, the union as one block if there is anything to convert."""
        found = [block for below in relation.inputs for block in self.blocks(below)]
        if self.context.dialect == "sqlite" or all(self._alike(b, relation) for b in found):
            yield from found
        else:
            yield atom(relation)

    def _join(self, join: Join) -> Iterator[ProofBlock]:
        if join.kind in (JoinKind.SEMI, JoinKind.ANTI):
            yield from self._partners(join, self._below(join.left), ())
            return
        left, right = self._below(join.left), self._below(join.right)
        for one, other in product(left, right):
            both = _pair(one, other)
            yield _and(both, conjuncts(_over(join.condition, both.outputs)))
        if join.kind in (JoinKind.LEFT, JoinKind.FULL):
            anti = replace(join, kind=JoinKind.ANTI)
            yield from self._partners(anti, left, self._nulls(join.right))
        if join.kind in (JoinKind.RIGHT, JoinKind.FULL):
            yield from self._mirrored(join, right)

    def _partners(
        self, join: Join, left: tuple[ProofBlock, ...], nulls: tuple[Expression, ...]
    ) -> Iterator[ProofBlock]:
        """Blocks of the left rows with a partner (or without, for ANTI), then ``nulls``."""
        for block in left:
            found = _has_partner(join.condition, join.right, block.outputs)
            condition = found if join.kind is JoinKind.SEMI else Call("NOT", (found,))
            kept = _and(block, (condition,))
            yield replace(kept, outputs=kept.outputs + nulls)

    def _mirrored(self, join: Join, right: tuple[ProofBlock, ...]) -> Iterator[ProofBlock]:
        """Blocks of the right rows without a partner, after columns of NULL."""
        columns, others = width(join.left), width(join.right)
        turned = map_references(
            join.condition,
            lambda level, index: (
                Outer(level, index)
                if level
                else Ref(index + others if index < columns else index - columns)
            ),
        )
        anti = Join(JoinKind.ANTI, join.right, join.left, turned)
        for block in self._partners(anti, right, ()):
            yield replace(block, outputs=self._nulls(join.left) + block.outputs)

    def _nulls(self, relation: Relation) -> tuple[Expression, ...]:
        row = fields(relation, self.context, self.outer)
        return tuple(null_of(field.type, self.context) for field in row)


def _product(block: ProofBlock) -> Relation:
    """The cross join of a block's inputs."""
    if not block.inputs:
        return Values(((),))
    return reduce(lambda a, b: Join(JoinKind.INNER, a, b, TRUE), block.inputs)


def atom(relation: Relation) -> ProofBlock:
    """A block whose only input is the relation."""
    return ProofBlock((relation,), (), tuple(map(Ref, range(width(relation)))))


def _and(block: ProofBlock, conditions: tuple[Expression, ...]) -> ProofBlock:
    return replace(block, conditions=block.conditions + conditions)


def _pair(one: ProofBlock, other: ProofBlock) -> ProofBlock:
    if len(one.inputs) + len(other.inputs) > _MOST_INPUTS:
        raise TooLargeError
    by = sum(map(width, one.inputs))
    return ProofBlock(
        one.inputs + other.inputs,
        one.conditions + tuple(shift(c, by) for c in other.conditions),
        one.outputs + tuple(shift(o, by) for o in other.outputs),
    )


def _over(expression: Expression, outputs: tuple[Expression, ...]) -> Expression:
    """An expression over a block's outputs, rewritten over its inputs."""
    sizes = [sum(1 for _ in subexpressions(o)) for o in outputs]
    parts = list(subexpressions(expression))
    if sum(sizes[p.index] if isinstance(p, Ref) else 1 for p in parts) > _LARGEST:
        raise TooLargeError
    return substitute(expression, outputs)


def _has_partner(condition: Expression, right: Relation, left: tuple[Expression, ...]) -> Subquery:
    """An EXISTS of a join partner in ``right`` for the row whose columns are ``left``."""
    columns = len(left)

    def seen(level: int, index: int) -> Expression:
        if level:
            return Outer(level + 1, index)
        return deepen(left[index], 1) if index < columns else Ref(index - columns)

    inside = deepen_relation(right)
    return Subquery(SubqueryKind.EXISTS, Filter(inside, map_references(condition, seen)))


# ---------------------------------------------------------------- blocks made of blocks


def simplified(block: ProofBlock, reader: Reader) -> ProofBlock:
    """The block with its conditions simplified."""
    scope = Scope(reader.row(block), reader.context, reader.outer)
    found = [simplify_condition(c, scope).expression for c in block.conditions]
    return replace(block, conditions=tuple(p for c in found for p in conjuncts(c)))


def without_input(block: ProofBlock, place: int) -> ProofBlock:
    """The block with an EXISTS in place of one of its inputs, which no output may read."""
    start = sum(map(width, block.inputs[:place]))
    columns = width(block.inputs[place])
    end = start + columns

    def outside(level: int, index: int) -> Expression:
        if level:
            return Outer(level, index)
        return Ref(index if index < start else index - columns)

    def inside(level: int, index: int) -> Expression:
        if level == 0 and start <= index < end:
            return Ref(index - start)
        return deepen(outside(level, index), 1)

    asked = [c for c in block.conditions if _reads(c, start, end)]
    found = Filter(
        deepen_relation(block.inputs[place]),
        conjunction([map_references(c, inside) for c in asked]),
    )
    kept = tuple(map_references(c, outside) for c in block.conditions if c not in asked)
    return ProofBlock(
        block.inputs[:place] + block.inputs[place + 1 :],
        (*kept, Subquery(SubqueryKind.EXISTS, found)),
        tuple(map_references(o, outside) for o in block.outputs),
    )


def reads_input(block: ProofBlock, place: int) -> bool:
    """True if an output reads the input at that place."""
    start = sum(map(width, block.inputs[:place]))
    end = start + width(block.inputs[place])
    return any(_reads(o, start, end) for o in block.outputs)


def _reads(expression: Expression, start: int, end: int) -> bool:
    return any(start <= index < end for index in columns_read(expression))


def either(one: ProofBlock, other: ProofBlock, columns: Sequence[int]) -> ProofBlock:
    """One block for two over the same inputs whose conditions are never both true.

    ``columns`` gives for each column of the second block the column of the first.
    """
    moved = tuple(renumber(c, lambda index: columns[index]) for c in other.conditions)
    first, second = conjunction(one.conditions), conjunction(moved)
    outputs = tuple(renumber(o, lambda index: columns[index]) for o in other.outputs)
    shown = tuple(
        a if a == b else Call("CASE", (first, a, b))
        for a, b in zip(one.outputs, outputs, strict=True)
    )
    return ProofBlock(one.inputs, (Call("OR", (first, second)),), shown)


# ---------------------------------------------------------------- EXISTS as a join


def opened(block: ProofBlock, reader: Reader) -> tuple[ProofBlock, ...]:
    """Blocks with the same set of rows in which inputs replace the EXISTS conditions.

    Duplicates may be added. An EXISTS whose inputs read outer rows stays.
    """
    for place, condition in enumerate(block.conditions):
        if isinstance(condition, Subquery) and condition.kind is SubqueryKind.EXISTS:
            rest = replace(
                block, conditions=block.conditions[:place] + block.conditions[place + 1 :]
            )
            found = _opened(rest, condition.relation, reader)
            if found is not None:
                return tuple(each for more in found for each in opened(more, reader))
    return (block,)


def _opened(block: ProofBlock, relation: Relation, reader: Reader) -> list[ProofBlock] | None:
    inside = Reader(reader.context, (reader.row(block), *reader.outer), sets=True)
    by = sum(map(width, block.inputs))
    made = []
    for inner in inside.blocks(relation):
        if any(outer_references(below) for below in inner.inputs):
            return None
        if len(block.inputs) + len(inner.inputs) > _MOST_INPUTS:
            raise TooLargeError
        conditions = tuple(over_pair(c, by) for c in inner.conditions)
        made.append(
            ProofBlock(block.inputs + inner.inputs, block.conditions + conditions, block.outputs)
        )
    return made
