"""Rules for DISTINCT."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.equivalence.blocks.block import (
    Block,
    equal_columns,
    is_trivial,
    ordered,
    rebuilt,
    without_equalities,
)
from sqljury.equivalence.blocks.chain import Reading, reading
from sqljury.equivalence.rules.base import BLOCK, RELATION, Rewritten, rule
from sqljury.equivalence.rules.exists import ONE
from sqljury.trees.conditions import conjunction, filtered
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Aggregate,
    Call,
    Distinct,
    Expression,
    Filter,
    Literal,
    Outer,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.properties import assumed_for_unique, same_values
from sqljury.trees.types import fields
from sqljury.trees.volatile import any_volatile, has_volatile, is_volatile
from sqljury.trees.walk import (
    columns_read,
    deepen_relation,
    map_references,
    renumber,
    width,
)

# ---------------------------------------------------------------- distinct as exists
# Joins that only test whether there is a partner, and a DISTINCT that removes the repeated rows.
#
# ``SELECT DISTINCT s.id, s.name FROM s JOIN c ON …`` is ``SELECT s.id, s.name FROM s WHERE EXISTS
# (SELECT 1 FROM c WHERE …)`` if ``s.id`` is a key. A join with ``SELECT DISTINCT c.s_id`` on that
# column is the same test.


@rule(RELATION, at={"Distinct"}, assumes={Assumption.PRIMARY_KEY})
def distinct_as_exists(relation: Distinct, context: Context) -> Rewritten | None:
    """``SELECT DISTINCT s.id FROM s JOIN c ON …`` → ``SELECT s.id FROM s WHERE EXISTS (SELECT 1
    FROM c WHERE …)``.

    Assumes primary key where uniqueness comes from a declared key.
    """
    found = reading(relation)
    if found is None or len(found.readers) != 2 or found.block.outer_joined:
        return None
    if len(found.block.inputs) < 2 or has_volatile(relation):
        return None
    outputs = [use.expressions[0] for use in found.uses]
    for kept in _choices(found, outputs, context):
        split = _Split(found.block, kept, context)
        assumed = split.assumed_for_unique(outputs)
        if assumed is not None:
            project = found.readers[1]
            assert isinstance(project, Project)
            new = Project(split.relation(), split.over_kept(outputs), project.names)
            return Rewritten(new, assumed)
    return None


def _choices(
    found: Reading, outputs: list[Expression], context: Context
) -> Iterator[frozenset[int]]:
    """Sets of inputs that suffice for all outputs: those read, or one with equal columns."""
    owners = found.block.owners()
    read = frozenset().union(*map(columns_read, outputs))
    named = frozenset(owners[c] for c in read)
    if not read:
        return
    if len(named) < len(found.block.inputs):
        yield named
    classes = equal_columns(found.block, context)
    for i in range(len(found.block.inputs)):
        equal = {c for members in classes if any(owners[m] == i for m in members) for c in members}
        if named != {i} and all(owners[c] == i or c in equal for c in read):
            yield frozenset((i,))


class _Split:
    """A block split into the inputs that are kept and EXISTS conditions on the others."""

    def __init__(self, block: Block, kept: frozenset[int], context: Context) -> None:
        self.block, self.kept, self.context = block, kept, context
        self.owners, self.offsets = block.owners(), block.offsets()
        self.classes = equal_columns(block, context)
        self.stand_in = {
            c: min(mine)
            for members in self.classes
            if (mine := [m for m in members if self.owners[m] in kept])
            for c in members
        }
        parts = without_equalities(block.conjuncts, self.classes)
        self.parts = [renumber(part, self.near) for part in parts] + list(self.equalities())
        self.place = {
            c: new for new, c in enumerate(c for c, o in enumerate(self.owners) if o in kept)
        }

    def near(self, column: int) -> int:
        """An equal column of the kept inputs, or the same column if there is none."""
        return self.stand_in.get(column, column)

    def equalities(self) -> Iterator[Expression]:
        for members in self.classes:
            first = self.near(min(members))
            yield from (Call("=", (Ref(first), Ref(c))) for c in sorted(members) if c != first)

    def touched(self, part: Expression) -> frozenset[int]:
        return frozenset(self.owners[c] for c in columns_read(part))

    def base(self) -> Relation:
        """The kept inputs, joined, with the conditions on them alone."""
        own = [part for part in self.parts if self.touched(part) <= self.kept]
        return rebuilt(
            Block(
                [r for i, r in enumerate(self.block.inputs) if i in self.kept],
                [],
                [renumber(part, self.place.__getitem__) for part in own],
            )
        )

    def over_kept(self, outputs: list[Expression]) -> tuple[Expression, ...]:
        return tuple(renumber(e, lambda c: self.place[self.near(c)]) for e in outputs)

    def assumed_for_unique(self, outputs: list[Expression]) -> frozenset[Assumption] | None:
        columns = [e.index for e in self.over_kept(outputs) if isinstance(e, Ref)]
        return assumed_for_unique(self.base(), columns, self.context)

    def relation(self) -> Relation:
        questions = [self.exists(group) for group in self.groups()]
        return filtered(self.base(), ordered(questions))

    def groups(self) -> list[list[int]]:
        """The positions of the other inputs, grouped: conditions join the inputs of one group."""
        groups = [{i} for i in range(len(self.block.inputs)) if i not in self.kept]
        for part in self.parts:
            touched = self.touched(part) - self.kept
            near = [group for group in groups if group & touched]
            if len(near) > 1:
                groups = [group for group in groups if not group & touched]
                groups.append(set().union(*near))
        return [sorted(group) for group in groups]

    def exists(self, group: list[int]) -> Expression:
        """The EXISTS of rows of these inputs that satisfy all conditions on them."""
        columns = (c for i in group for c in range(self.offsets[i], self.offsets[i + 1]))
        inside = {c: new for new, c in enumerate(columns)}

        def seen(level: int, index: int) -> Expression:
            if level > 0:
                return Outer(level + 1, index)
            return Ref(inside[index]) if index in inside else Outer(1, self.place[index])

        parts = [p for p in self.parts if self.touched(p) & set(group)]
        inputs = [deepen_relation(self.block.inputs[i]) for i in group]
        rows = rebuilt(Block(inputs, [], [map_references(part, seen) for part in parts]))
        return Subquery(SubqueryKind.EXISTS, Project(rows, (ONE,)))


# ---------------------------------------------------------------- distinct input
# A join with DISTINCT rows is EXISTS if each of their columns equals a column of another input.


@rule(BLOCK, at={"several"})
def distinct_input(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``FROM a JOIN (SELECT DISTINCT x FROM b) AS c ON a.x = c.x`` → ``FROM a WHERE EXISTS
    (SELECT 1 FROM b WHERE a.x = b.x)``.

    Only if every column of c equals a column of another input.
    """
    block = found.block
    for position, relation in enumerate(block.inputs):
        if not isinstance(relation, Distinct) or has_volatile(relation):
            continue
        own = range(*block.offsets()[position : position + 2])
        outside = _outside(found, own, context)
        if len(outside) == len(own):
            _ask(found, position, relation.input, outside)
            return frozenset()
    return None


def _outside(found: Reading, own: range, context: Context) -> dict[int, int]:
    """For each column in ``own`` that has one, an equal column of another input."""
    return {
        column: min(others)
        for members in equal_columns(found.block, context)
        if (others := [c for c in members if c not in own])
        for column in members.intersection(own)
    }


def _ask(found: Reading, position: int, rows: Relation, outside: dict[int, int]) -> None:
    """Replaces the input by an EXISTS condition, in place."""
    block = found.block
    places = sorted(outside)
    equal = [Call("=", (Ref(i), Outer(1, outside[c]))) for i, c in enumerate(places)]
    inside = deepen_relation(rows)
    asked = Project(Filter(inside, conjunction(equal)), (ONE,))
    found.substitute([Ref(outside.get(c, c)) for c in range(block.offsets()[-1])])
    block.conjuncts = [part for part in block.conjuncts if not is_trivial(part)]
    block.conjuncts.append(Subquery(SubqueryKind.EXISTS, asked))
    found.leave_out(position)


# ---------------------------------------------------------------- distinct rows
# DISTINCT of unique rows does nothing; groups without aggregates are DISTINCT keys.


@rule(RELATION, at={"Aggregate", "Distinct"}, assumes={Assumption.PRIMARY_KEY})
def distinct_rows(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT DISTINCT id`` → ``SELECT id`` where no id occurs twice; ``GROUP BY x`` without
    aggregates → ``SELECT DISTINCT x``.

    Assumes primary key where uniqueness comes from a declared key.
    """
    match relation:
        case Aggregate(calls=()) if relation.keys:
            return Rewritten(Distinct(Project(relation.input, relation.keys, relation.names)))
        case Distinct(input=Project() as below) if (fewer := _each_once(below)) is not None:
            return Rewritten(fewer)
        case Distinct():
            assumed = assumed_for_unique(relation.input, range(width(relation.input)), context)
            return None if assumed is None else Rewritten(relation.input, assumed)
        case _:
            return None


def _each_once(below: Project) -> Relation | None:
    """DISTINCT over fewer columns: not constants and repetitions, which a projection adds above.

    None if there are no such columns.
    """
    values = below.expressions
    if any_volatile(values):
        return None
    once = dict.fromkeys(values)
    # If all columns are constant the result still has one row or none, so one column remains.
    needed = tuple(e for e in once if not isinstance(e, Literal)) or values[:1]
    if len(needed) == len(values):
        return None
    outputs = tuple(Ref(needed.index(e)) if e in needed else e for e in values)
    return Project(Distinct(Project(below.input, needed)), outputs, below.names)


# ---------------------------------------------------------------- filter below distinct
# A condition can filter the rows before DISTINCT.


@rule(RELATION, at={"Filter"})
def filter_below_distinct(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT … FROM (SELECT DISTINCT …) WHERE c`` → ``SELECT DISTINCT … WHERE c``."""
    match relation:
        case Filter(input=Distinct(input=below), condition=condition):
            row = fields(below, context)
            # The condition must not tell equal rows apart: 1 and 1.0 are equal, not the same.
            exact = all(same_values(row[c], row[c], context) for c in columns_read(condition))
            if exact and not is_volatile(condition):
                return Rewritten(Distinct(Filter(below, condition)))
    return None
