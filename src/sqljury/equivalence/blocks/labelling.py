"""The order of a block's inputs that does not depend on how the query was written.

Inputs are told apart by what they are and by how conditions and outputs use them, refined until
nothing new is learnt; what is still alike (both sides of a symmetric self-join) is tried in every
order, within a bound, and the least result is taken.

Source: McKay and Piperno, "Practical graph isomorphism, II", 2014, section 2 (refinement and
individualisation).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sqljury.equivalence.blocks.block import Block
from sqljury.trees.nodes import Call, Expression
from sqljury.trees.order import Key, sort_key
from sqljury.trees.walk import columns_read, renumber, transform

Tag = tuple[str | int | bool, ...]
_MOST_WORK = 6_000
"""Uses looked at while alike inputs are tried in every order."""
_CLASS = 1_000_000
_COLUMNS = 4_096
_COMMUTING = frozenset(("AND", "OR", "=", "<>", "+", "*", "IS"))
_TURNED = {">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Use:
    """Expressions over a block's columns that belong together, and how they are used.

    Uses with equal tags may stand in any order.
    """

    tag: Tag
    expressions: tuple[Expression, ...]


def best_order(
    block: Block, uses: Sequence[Use], classes: Sequence[frozenset[int]]
) -> tuple[list[int], list[int]]:
    """Positions of the inputs, and of the outer-joined relations, in canonical order.

    ``classes`` are sets of columns that hold equal values: it does not count which one is named.
    """
    if len(block.relations) < 2:
        return list(range(len(block.inputs))), list(range(len(block.outer_joined)))
    graph = _Graph(block, uses, classes)
    order = graph.order()
    return _connected(graph, order), _outer_joined(graph, order)


class _Graph:
    """The relations of a block as nodes, what uses them as edges."""

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
        # Beyond the block are the columns of window functions.
        return frozenset(self.owners[c] for c in columns if c < len(self.owners))

    def order(self) -> list[int]:
        """All nodes, the first first."""
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
        """All ways to tell apart what is alike."""
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
        """How a node is used, as seen from it."""
        place = self.places(lambda i: 2 * colours[i] + (i == node))
        found = [self.shape(use, place) for use, touched in self.edges if node in touched]
        around = [self.class_shape(members, place) for members in self.of_node(node)]
        return sorted(found) + sorted(around)

    def of_node(self, node: int) -> list[frozenset[int]]:
        return [m for m in self.classes if any(self.owners[c] == node for c in m)]

    def places(self, code: Callable[[int], int]) -> Callable[[int], int]:
        """For a column the number by which it is known, whatever the order of the inputs."""

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
        """The whole block where the order is known."""
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
    """For each key how many different ones are less."""
    ordered: list[object] = []
    for key in sorted(keys):  # type: ignore[type-var]
        if not ordered or ordered[-1] != key:
            ordered.append(key)
    return [ordered.index(key) for key in keys]


def _connected(graph: _Graph, order: list[int]) -> list[int]:
    """Inputs in order, but what is joined to those before comes before what is not."""
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
    """Outer-joined relations in order, but none before what its condition reads."""
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
