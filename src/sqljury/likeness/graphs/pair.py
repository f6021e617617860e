"""A query as a graph, and two queries as one: what a graph network looks at. Plain values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from sqljury.likeness.matching.trees import Node, Numbering


class EdgeKind(IntEnum):
    """What an edge says."""

    TREE = 0
    """From what is computed to its parts: a query's operators, an operator's expressions."""
    LOGIC = 1
    """From what comes first to what comes next: an operator to the one that reads its rows, an
    operand to the next one where their order counts."""
    DATA = 2
    """From where a column's values come from to where they are read."""


Edge = tuple[int, int, int]
"""From a node, to a node, and the :class:`EdgeKind`."""


@dataclass(frozen=True, slots=True)
class QueryGraph:
    """The graph of one query; nodes are known by their number, from 0.

    Args:
        labels: what each node says: the name of an operator or a function, or a content's text.
        computing: whether a node computes (its labels are few), or is content: a table, a column,
            a constant.
        types: of a column or a constant ``integer``, ``real``, ``text``, ``date`` or ``boolean``,
            empty where it is none of them or not known.
        edges: of all kinds.
        roots: the nodes that stand for whole queries; the first for the query itself, the others
            for those inside its expressions.
        ordered: whether the order of a node's parts counts.
    """

    labels: tuple[str, ...]
    computing: tuple[bool, ...]
    types: tuple[str, ...]
    edges: tuple[Edge, ...]
    roots: tuple[int, ...]
    ordered: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class PairGraph:
    """Two graphs, and the pairs of nodes (left, right) at which they are put together."""

    left: QueryGraph
    right: QueryGraph
    joins: tuple[tuple[int, int], ...]
    """The roots, then the tops of the largest parts that both queries have."""


def pair_graph(left: QueryGraph, right: QueryGraph) -> PairGraph:
    """Both graphs, joined at the roots and at seeds.

    Seeds are the tops of parts that are equal, the largest first, each node in one of them at
    most: of an operator that both queries have, its node alone; of one that differs, what its
    expressions have in common. Equal are trees of which partial matching finds all in each other
    (RelPM is 1), where a computed column counts as what computes it. Exchanging the sides
    exchanges the sides of the joins, and a graph is joined to itself node by node.

    Source: Zhan et al. 2024 (FuncEvalGMN), section 4.2 and figure 4.
    """
    number = Numbering()
    one, other = _Parts(left, number), _Parts(right, number)
    joins = [(left.roots[0], right.roots[0])]
    kinds, other_kinds = one.by_kind(), other.by_kind()
    # Parts of one size are never inside each other: only the order of sizes matters.
    for kind in sorted(kinds.keys() & other_kinds.keys(), reverse=True):
        free = (one.free(kinds[kind]), other.free(other_kinds[kind]))
        for a, b in zip(*free, strict=False):
            joins.append((a, b))
            one.take(a)
            other.take(b)
    return PairGraph(left, right, tuple(joins))


def shared_nodes(pair: PairGraph) -> tuple[frozenset[int], frozenset[int]]:
    """The nodes of either side that are in a part that both have."""
    left, right = zip(*pair.joins, strict=True)
    return _within(pair.left, left[1:]), _within(pair.right, right[1:])


def only_in(pair: PairGraph) -> tuple[list[str], list[str]]:
    """The labels of what only the left one has, and of what only the right one has."""
    left, right = shared_nodes(pair)
    return _others(pair.left, left), _others(pair.right, right)


def _others(graph: QueryGraph, shared: frozenset[int]) -> list[str]:
    found = (n for n in range(len(graph.labels)) if n not in shared and n != graph.roots[0])
    return [graph.labels[node] for node in found]


def _within(graph: QueryGraph, tops: Iterable[int]) -> frozenset[int]:
    found = set(tops)
    # Parts have higher numbers than what they are parts of.
    for start, end, kind in sorted(graph.edges):
        if kind == EdgeKind.TREE and start in found:
            found.add(end)
    return frozenset(found)


class _Parts:
    """The trees below the nodes of one graph, by numbers that equal trees share."""

    def __init__(self, graph: QueryGraph, number: Numbering) -> None:
        self.children: list[list[int]] = [[] for _ in graph.labels]
        self._sources: dict[int, int] = {}
        for start, end, kind in graph.edges:
            if kind == EdgeKind.TREE:
                self.children[start].append(end)
            elif kind == EdgeKind.DATA and end not in graph.roots:
                self._sources.setdefault(end, start)
        self._graph = graph
        self._trees: dict[int, Node] = {}
        self.numbers = [number(self._tree(node)) for node in range(len(graph.labels))]
        self.taken = [False] * len(graph.labels)
        self.taken[graph.roots[0]] = True

    def _tree(self, node: int) -> Node:
        """What a node computes; where a column is read, what computes the column."""
        source = self._sources.get(node)
        if source is not None:
            return self._tree(source)
        if node not in self._trees:
            label, type_ = self._graph.labels[node], self._graph.types[node]
            value = label if self._graph.computing[node] else f"{type_} {label!r}"
            below = tuple(self._tree(child) for child in self.children[node])
            self._trees[node] = Node(value, below, self._graph.ordered[node])
        return self._trees[node]

    def by_kind(self) -> dict[tuple[int, int], list[int]]:
        """All nodes by how many are below them, and by their number."""
        sizes = [1] * len(self.children)
        for node in self._children_first():
            sizes[node] += sum(sizes[child] for child in self.children[node])
        found = defaultdict(list)
        for node, kind in enumerate(zip(sizes, self.numbers, strict=True)):
            found[kind].append(node)
        return found

    def free(self, nodes: list[int]) -> list[int]:
        """Those that are in no seed yet."""
        return [node for node in nodes if not self.taken[node]]

    def _children_first(self) -> list[int]:
        order = [self._graph.roots[0]]
        for node in order:
            order.extend(self.children[node])
        return order[::-1]

    def take(self, node: int) -> None:
        """The node and all below it are in a seed."""
        waiting = [node]
        for one in waiting:
            self.taken[one] = True
            waiting.extend(self.children[one])
