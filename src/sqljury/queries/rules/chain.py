"""What reads a block: a projection or an aggregate, with sorts, limits and windows between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sqljury.queries.rules.block import Block, flatten, rebuilt
from sqljury.queries.rules.labelling import Use
from sqljury.queries.trees.nodes import (
    Aggregate,
    AggregateCall,
    Expression,
    Filter,
    Join,
    Limit,
    Outer,
    Project,
    Ref,
    Relation,
    Sort,
    SortKey,
    Values,
    Window,
    WindowCall,
)
from sqljury.queries.trees.walk import (
    expressions,
    map_expressions,
    map_references,
    renumber,
    width,
    with_inputs,
)

WINDOWS = 100_000
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
            return values[index] if index < len(values) else Ref(index)

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
        for reader, new in reversed(parts):
            values = iter([renumber(e, place) for e in new])
            found = with_inputs(_with_expressions(reader, values), (found,))
        return found


def _with_expressions(reader: Relation, values: Iterator[Expression]) -> Relation:
    return map_expressions(reader, lambda _: next(values))


def reading(relation: Relation) -> Reading | None:
    """A projection or an aggregate and what it reads, if that is made of joins and filters."""
    if not isinstance(relation, Project | Aggregate):
        return None
    readers: list[Relation] = [relation]
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

    def over_block(level: int, index: int) -> Expression:
        if level > 0:
            return Outer(level, index)
        return flat.outputs[index] if index < wide else Ref(WINDOWS + index - wide)

    uses = [
        Use(use.tag, tuple(map_references(e, over_block) for e in use.expressions))
        for reader in readers
        for use in _uses(reader)
    ]
    return Reading(readers, flat.block, uses)


def _count(reader: Relation) -> int:
    return sum(1 for _ in _uses(reader))


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
    only = Aggregate(Values(()), (), (call,))
    return Use(("call", call.name, call.distinct, *counts), tuple(expressions(only)))


def _of_window(position: int, call: WindowCall) -> Use:
    order = [part for key in call.order for part in _direction(key)]
    counts = (len(call.operands), len(call.partition), call.filter is not None, *order)
    tag = ("window", position, call.name, call.frame, call.distinct, *counts)
    return Use(tag, tuple(expressions(Window(Values(()), (call,)))))


def _direction(key: SortKey) -> tuple[bool, bool]:
    return key.descending, key.nulls_last
