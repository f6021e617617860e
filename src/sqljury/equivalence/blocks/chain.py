"""A block with the operators above it, and an order of its inputs independent of the SQL text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sqljury.equivalence.blocks.block import Block, flatten, is_whole_row, rebuilt
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
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
from sqljury.trees.order import Key, sort_key
from sqljury.trees.walk import (
    columns_read,
    expressions,
    map_expressions,
    map_references,
    renumber,
    transform,
    width,
    with_inputs,
)

# ---------------------------------------------------------------- labelling
# A canonical order of a block's inputs: it does not depend on how the query was written.
#
# Inputs get colours by their own trees, then by how conditions and outputs use them, until the
# colours are stable. Inputs that still have one colour (both sides of a symmetric self-join) are
# tried in every order, within a bound, and the order with the least sort key is taken.
#
# Source: McKay and Piperno, "Practical graph isomorphism, II", 2014, section 2 (refinement and
# individualisation).


Tag = tuple[str | int | bool, ...]
_MOST_WORK = 6_000
"""Bound on the work of trying inputs of one colour in every order, in uses that are compared."""
_CLASS = 1_000_000
_COLUMNS = 4_096
_COMMUTING = frozenset(("AND", "OR", "=", "<>", "+", "*", "IS"))
_TURNED = {">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Use:
    """Expressions over a block's columns that one operator uses together; ``tag`` says how.

    Uses with equal tags may be swapped: the order of GROUP BY keys does not matter.
    """

    tag: Tag
    expressions: tuple[Expression, ...]


def best_order(
    block: Block, uses: Sequence[Use], classes: Sequence[frozenset[int]]
) -> tuple[list[int], list[int]]:
    """Positions of the inputs, and of the outer-joined relations, in canonical order.

    ``classes`` are sets of columns with equal values: which of them is named does not matter.
    """
    if len(block.relations) < 2:
        return list(range(len(block.inputs))), list(range(len(block.outer_joined)))
    graph = _Graph(block, uses, classes)
    order = graph.order()
    return _connected(graph, order), _outer_joined(graph, order)


class _Graph:
    """A hypergraph: the relations of a block are its nodes, the expressions that use them edges."""

    def __init__(
        self, block: Block, uses: Sequence[Use], classes: Sequence[frozenset[int]]
    ) -> None:
        self.block = block
        self.owners = block.owners()
        self.offsets = block.offsets()
        self.classes = classes
        self.class_of = {column: k for k, members in enumerate(classes) for column in members}
        self.inner = len(block.inputs)
        on = (
            Use(("on", self.inner + i), (condition,))
            for i, (_, condition) in enumerate(block.outer_joined)
        )
        where = (Use(("where",), (condition,)) for condition in block.conjuncts)
        self.edges = [(use, self.touched(use.expressions)) for use in (*uses, *where, *on)]

    def touched(self, expressions: Sequence[Expression]) -> frozenset[int]:
        columns = set().union(*map(columns_read, expressions)) if expressions else set()
        for column in tuple(columns):
            if column in self.class_of:
                columns |= self.classes[self.class_of[column]]
        # Columns numbered after those of the block are of window functions.
        return frozenset(self.owners[c] for c in columns if c < len(self.owners))

    def order(self) -> list[int]:
        """All nodes in canonical order."""
        colours = _ranks(
            [
                (i >= self.inner, sort_key(relation))
                for i, relation in enumerate(self.block.relations)
            ]
        )
        if len(set(colours)) < len(colours):
            work = (len(colours) + 1) ** 2 * (len(self.edges) + 1)
            leaves = islice(self.leaves(colours), max(1, _MOST_WORK // work))
            colours = min(leaves, key=self.written)
        return sorted(range(len(colours)), key=colours.__getitem__)

    def leaves(self, colours: list[int]) -> Iterator[list[int]]:
        """All colourings in which every node has its own colour, by individualisation."""
        colours = self.refined(colours)
        alike = next(
            (c for c in sorted(set(colours)) if colours.count(c) > 1),
            None,
        )
        if alike is None:
            yield colours
            return
        for node, colour in enumerate(colours):
            if colour == alike:
                chosen = [2 * c + (c >= alike) for c in colours]
                chosen[node] = 2 * alike
                yield from self.leaves(chosen)

    def refined(self, colours: list[int]) -> list[int]:
        """The colours, split until nodes of one colour are used in the same way."""
        colours = _ranks(colours)
        while True:
            alike = {colour for colour, count in Counter(colours).items() if count > 1}
            signatures = [
                (colour, self.signature(node, colours) if colour in alike else [])
                for node, colour in enumerate(colours)
            ]
            new = _ranks(signatures)
            if len(set(new)) == len(set(colours)):
                return new
            colours = new

    def signature(self, node: int, colours: list[int]) -> list[Key]:
        """Sort keys of all uses of a node, the node itself marked in them."""
        place = self.places(lambda i: 2 * colours[i] + (i == node))
        found = [self.shape(use, place) for use, touched in self.edges if node in touched]
        around = [self.class_shape(members, place) for members in self.of_node(node)]
        return sorted(found) + sorted(around)

    def of_node(self, node: int) -> list[frozenset[int]]:
        return [m for m in self.classes if any(self.owners[c] == node for c in m)]

    def places(self, code: Callable[[int], int]) -> Callable[[int], int]:
        """A function that numbers columns independently of the order of the inputs.

        ``code`` gives the number of a node. Columns of one class get one number.
        """

        def plain(column: int) -> int:
            return self.plain(column, code)

        names = self.names(plain)
        ranks = {name: rank for rank, name in enumerate(sorted(set(names)))}

        def place(column: int) -> int:
            k = self.class_of.get(column)
            return plain(column) if k is None else _CLASS * (1 + ranks[names[k]])

        return place

    def plain(self, column: int, code: Callable[[int], int]) -> int:
        if column >= len(self.owners):
            return column
        node = self.owners[column]
        return code(node) * _COLUMNS + column - self.offsets[node]

    def names(self, plain: Callable[[int], int]) -> list[tuple[int, ...]]:
        return [tuple(sorted(map(plain, members))) for members in self.classes]

    def shape(self, use: Use, place: Callable[[int], int]) -> Key:
        tag = use.tag
        if tag[0] == "on":
            tag = ("on", place(self.offsets[int(tag[1])]))
        return (0, *tag, *(_shape(e, place) for e in use.expressions))

    def class_shape(self, members: frozenset[int], place: Callable[[int], int]) -> Key:
        return (1, place(next(iter(members))))

    def written(self, colours: list[int]) -> list[Key]:
        """Sort key of the whole block under a colouring in which all nodes differ."""
        code = colours.__getitem__
        place = self.places(code)
        names = sorted(self.names(lambda column: self.plain(column, code)))
        return [*sorted(self.shape(use, place) for use, _ in self.edges), *names]


def _shape(expression: Expression, place: Callable[[int], int]) -> Key:
    return sort_key(transform(renumber(expression, place), _commuted))


def _commuted(part: Expression) -> Expression:
    if not isinstance(part, Call):
        return part
    if part.name in _COMMUTING:
        return Call(part.name, tuple(sorted(part.operands, key=sort_key)))
    if part.name in _TURNED:
        return Call(_TURNED[part.name], part.operands[::-1])
    return part


def _ranks(keys: Sequence[object]) -> list[int]:
    """For each key the number of different smaller keys."""
    ordered: list[object] = []
    for key in sorted(keys):  # type: ignore[type-var]
        if not ordered or ordered[-1] != key:
            ordered.append(key)
    return [ordered.index(key) for key in keys]


def _connected(graph: _Graph, order: list[int]) -> list[int]:
    """The inputs in order, except that inputs joined to earlier ones come before the others."""
    waiting = [node for node in order if node < graph.inner]
    joined = [touched for use, touched in graph.edges if use.tag == ("where",)]
    joined += [
        frozenset(graph.owners[c] for c in members if graph.owners[c] < graph.inner)
        for members in graph.classes
    ]
    found: list[int] = []
    while waiting:
        reached = set().union(*(t for t in joined if not t.isdisjoint(found)))
        node = next((n for n in waiting if n in reached), waiting[0])
        waiting.remove(node)
        found.append(node)
    return found


def _outer_joined(graph: _Graph, order: list[int]) -> list[int]:
    """The outer-joined relations in order, except that each follows those its condition reads."""
    waiting = [node for node in order if node >= graph.inner]
    needs = {
        int(use.tag[1]): touched - {int(use.tag[1])}
        for use, touched in graph.edges
        if use.tag[0] == "on"
    }
    found: list[int] = []
    while waiting:
        node = next(n for n in waiting if not needs[n].intersection(waiting))
        waiting.remove(node)
        found.append(node)
    return [node - graph.inner for node in found]


# ---------------------------------------------------------------- chain
# The operators above a block: a projection or an aggregate, then sorts, limits and windows.


WINDOWS = 10**9
"""Number that the first column of window functions has in uses; block columns have less."""


@dataclass(slots=True)
class Reading:
    """A block and the operators above it.

    ``readers`` are those operators from the top down. ``uses`` holds the expressions of the first
    reader, then those of the next; a reader may have several uses.
    """

    readers: list[Relation]
    block: Block
    uses: list[Use]

    def substitute(self, values: Sequence[Expression]) -> None:
        """Puts ``values[i]`` in place of column *i* of the block in all conditions and uses."""

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
        """The relation tree of the block and its readers."""
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
        """Keeps only these relations of the block, in this order; returns each column's new place.

        The columns of a removed relation have the place -1 and must not be read any more.
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

    def leave_out(self, position: int) -> None:
        """Removes one relation of the block; nothing may read its columns any more."""
        inner, whole = len(self.block.inputs), len(self.block.relations)
        self.arrange(
            [i for i in range(inner) if i != position],
            [i for i in range(inner, whole) if i != position],
        )

    def is_set(self) -> bool:
        """True if the result does not depend on how often each row of the block occurs."""
        first, *others = self.readers
        if isinstance(first, Aggregate):
            return all(map(_blind, first.calls)) and all(isinstance(r, Sort) for r in others)
        return isinstance(first, Distinct) and all(isinstance(r, Project | Sort) for r in others)

    def read(self) -> frozenset[int]:
        """The columns of the block that its readers use."""
        parts = [columns_read(e) for use in self.uses for e in use.expressions]
        return frozenset().union(*parts)


_BLIND = frozenset(("MIN", "MAX"))


def _blind(call: AggregateCall) -> bool:
    return (call.distinct or call.name in _BLIND) and not call.order


def _with_expressions(reader: Relation, values: Iterator[Expression]) -> Relation:
    return map_expressions(reader, lambda _: next(values))


def reading(relation: Relation) -> Reading | None:
    """A projection or aggregate with the block below it; None if no joins or filters are below.

    A DISTINCT may be above the projection; sorts, limits, windows and HAVING may be between.
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
    """The expressions of an operator, in order, each tagged with its role."""
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
