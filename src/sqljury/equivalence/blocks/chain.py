"""What reads a block: a projection or an aggregate, with sorts, limits and windows between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sqljury.equivalence.blocks.block import Block, flatten, is_whole_row, rebuilt
from sqljury.equivalence.blocks.labelling import Tag, Use
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Filter,
    Join,
    Limit,
    Outer,
    Project,
    Relation,
    Sort,
    SortKey,
    Window,
    WindowCall,
    ref,
)
from sqljury.trees.walk import (
    columns_read,
    expressions,
    map_expressions,
    map_references,
    renumber,
    width,
    with_inputs,
)

WINDOWS = 10**9
"""The first number of the columns that window functions add, as uses see them."""


@dataclass(slots=True)
class Reading:
    """A block and its readers, the outermost first; ``uses`` are their expressions, in order."""

    readers: list[Relation]
    block: Block
    uses: list[Use]

    def substitute(self, values: Sequence[Expression]) -> None:
        """``values[i]`` in place of column *i* of the block, in conditions and uses."""

        def value(level: int, index: int) -> Expression:
            if level > 0:
                return Outer(level, index)
            return values[index] if index < len(values) else ref(index)

        def new(expression: Expression) -> Expression:
            return map_references(expression, value)

        block = self.block
        block.conjuncts = [new(c) for c in block.conjuncts]
        block.outer_joined = [(r, new(c)) for r, c in block.outer_joined]
        self.uses = [Use(use.tag, tuple(map(new, use.expressions))) for use in self.uses]

    def rebuilt(self) -> Relation:
        """The tree again."""
        found = rebuilt(self.block)
        by = width(found) - WINDOWS

        def place(column: int) -> int:
            return column + by if column >= WINDOWS else column

        uses = iter(self.uses)
        parts = [
            (reader, [e for use in islice(uses, _count(reader)) for e in use.expressions])
            for reader in self.readers
        ]
        windows = _has_windows(self.readers)
        for reader, new in reversed(parts):
            values = iter([renumber(e, place) for e in new] if windows else new)
            found = with_inputs(_with_expressions(reader, values), (found,))
        return found

    def arrange(self, inputs: Sequence[int], outer_joined: Sequence[int]) -> list[int]:
        """Keep these relations of the block in this order; the new place of each column.

        Columns of what is left out must not be read any more; their place is -1.
        """
        block = self.block
        relations, offsets = block.relations, block.offsets()
        conditions = dict(enumerate((c for _, c in block.outer_joined), start=len(block.inputs)))
        place = [-1] * offsets[-1]
        free = 0
        for i in (*inputs, *outer_joined):
            for column in range(offsets[i], offsets[i + 1]):
                place[column] = free
                free += 1
        block.inputs = [relations[i] for i in inputs]
        block.outer_joined = [(relations[i], conditions[i]) for i in outer_joined]
        if place != list(range(free)):
            self.substitute([ref(p) for p in place])
        return place

    def is_set(self) -> bool:
        """Whether it does not count how often each row of the block occurs."""
        first, *others = self.readers
        if isinstance(first, Aggregate):
            return all(map(_blind, first.calls)) and all(isinstance(r, Sort) for r in others)
        return isinstance(first, Distinct) and all(isinstance(r, Project | Sort) for r in others)

    def read(self) -> frozenset[int]:
        """The columns that readers read."""
        parts = [columns_read(e) for use in self.uses for e in use.expressions]
        return frozenset().union(*parts)


_BLIND = frozenset(("MIN", "MAX"))


def _blind(call: AggregateCall) -> bool:
    return (call.distinct or call.name in _BLIND) and not call.order


def _with_expressions(reader: Relation, values: Iterator[Expression]) -> Relation:
    return map_expressions(reader, lambda _: next(values))


def reading(relation: Relation) -> Reading | None:
    """A projection or an aggregate and what it reads, if that is made of joins and filters.

    Above the projection may be a DISTINCT.
    """
    readers: list[Relation] = [relation]
    if isinstance(relation, Distinct) and isinstance(relation.input, Project):
        relation = relation.input
        readers.append(relation)
    if not isinstance(relation, Project | Aggregate):
        return None
    below = relation.input
    while isinstance(below, Sort | Limit | Window | Filter):
        readers.append(below)
        below = below.input
    while isinstance(readers[-1], Filter):
        below = readers.pop()
    if not isinstance(below, Join | Filter | Project):
        return None
    flat = flatten(below)
    wide = width(below)

    uses = [use for reader in readers for use in _uses(reader)]
    if is_whole_row(flat.outputs) and not _has_windows(readers):
        return Reading(readers, flat.block, uses)

    def over_block(level: int, index: int) -> Expression:
        if level > 0:
            return Outer(level, index)
        return flat.outputs[index] if index < wide else ref(WINDOWS + index - wide)

    moved = [
        Use(u.tag, tuple([map_references(e, over_block) for e in u.expressions])) for u in uses
    ]
    return Reading(readers, flat.block, moved)


def _has_windows(readers: list[Relation]) -> bool:
    return any(isinstance(reader, Window) for reader in readers)


def _count(reader: Relation) -> int:
    match reader:
        case Aggregate():
            return len(reader.keys) + len(reader.calls)
        case Window():
            return len(reader.calls)
        case _:
            return sum(1 for _ in expressions(reader))


def _uses(reader: Relation) -> Iterator[Use]:
    """The expressions of a reader, in their order."""
    match reader:
        case Project():
            for i, expression in enumerate(reader.expressions):
                yield Use(("out", i), (expression,))
        case Aggregate():
            yield from (Use(("key",), (key,)) for key in reader.keys)
            yield from map(_of_call, reader.calls)
        case Sort():
            for i, key in enumerate(reader.keys):
                yield Use(("sort", i, *_direction(key)), (key.expression,))
        case Window():
            for i, call in enumerate(reader.calls):
                yield _of_window(i, call)
        case _:
            for i, expression in enumerate(expressions(reader)):
                yield Use((type(reader).__name__, i), (expression,))


def _of_call(call: AggregateCall) -> Use:
    order = [part for key in call.order for part in _direction(key)]
    counts = (len(call.operands), call.filter is not None, *order)
    return Use(("call", call.name, call.distinct, *counts), tuple(expressions(call)))


def _of_window(position: int, call: WindowCall) -> Use:
    order: Tag = tuple(part for key in call.order for part in _direction(key))
    counts = (len(call.operands), len(call.partition), call.filter is not None, *order)
    tag = ("window", position, call.name, call.frame, call.distinct, *counts)
    return Use(tag, tuple(expressions(call)))


def _direction(key: SortKey) -> tuple[bool, bool]:
    return key.descending, key.nulls_last
