"""The graph of a query and of a pair of queries: plain values, the input of a graph network."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from sqljury.likeness.matching.trees import Node, Numbering


class EdgeKind(IntEnum):
    """The kinds of edges."""

    TREE = 0
    """From a node to its parts: a query to its operators, an operator to its expressions."""
    LOGIC = 1
    """From a node to the next in order: an operator to the one that reads its rows, an operand to
    the next one if their order matters."""
    DATA = 2
    """From the node that a column's values come from to a node that reads them."""


Edge = tuple[int, int, int]
"""The start node, the end node, and the :class:`EdgeKind`."""


@dataclass(frozen=True, slots=True)
class QueryGraph:
    """The graph of one query; nodes are numbered from 0.

    Args:
        labels: per node, the name of an operator or a function, or the text of a table, a column
            or a constant.
        computing: per node, True for operators and functions; False for content, that is tables,
            columns and constants.
        types: per node, for columns and constants ``integer``, ``real``, ``text``, ``date`` or
            ``boolean``; empty for other types and other nodes. A column whose values are unique has
            ``key`` after it, one that refers to another table has ``foreign``.
        edges: of all kinds.
        roots: the nodes of whole queries: first the query itself, then its subqueries.
        ordered: per node, True if the order of its parts matters.
    """

    labels: tuple[str, ...]
    computing: tuple[bool, ...]
    types: tuple[str, ...]
    edges: tuple[Edge, ...]
    roots: tuple[int, ...]
    ordered: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class PairGraph:
    """Two graphs, and the pairs of nodes (left, right) by which they are connected."""

    left: QueryGraph
    right: QueryGraph
    joins: tuple[tuple[int, int], ...]
    """The two roots, then the top nodes of equal parts, the largest parts first."""


def pair_graph(left: QueryGraph, right: QueryGraph) -> PairGraph:
    """Both graphs, connected at their roots and at the top nodes of equal parts.

    Equal parts are searched from the largest to the smallest, and each node is in at most one of
    them. So for an operator that both queries have, only its top node is connected; for operators
    that differ, their equal expressions are. Parts are equal if RelPM of their trees is 1, where a
    column that is computed elsewhere counts as its computation. Exchanging the two graphs
    exchanges the sides of the pairs.

    Source: Zhan et al. 2024 (FuncEvalGMN), section 4.2 and figure 4.
    """
    number = Numbering()
    one, other = _Parts(left, number), _Parts(right, number)
    joins = [(left.roots[0], right.roots[0])]
    kinds, other_kinds = one.by_kind(), other.by_kind()
    # Parts of the same size cannot contain each other, so only the order of sizes matters.
    for kind in sorted(kinds.keys() & other_kinds.keys(), reverse=True):
        free = (one.free(kinds[kind]), other.free(other_kinds[kind]))
        for a, b in zip(*free, strict=False):
            joins.append((a, b))
            one.take(a)
            other.take(b)
    return PairGraph(left, right, tuple(joins))


def shared_nodes(pair: PairGraph) -> tuple[frozenset[int], frozenset[int]]:
    """The nodes of the left and of the right graph that are in a part that both have."""
    left, right = zip(*pair.joins, strict=True)
    return _within(pair.left, left[1:]), _within(pair.right, right[1:])


def only_in(pair: PairGraph) -> tuple[list[str], list[str]]:
    """The labels of the nodes that only the left graph has, and only the right one."""
    left, right = shared_nodes(pair)
    return _others(pair.left, left), _others(pair.right, right)


def _others(graph: QueryGraph, shared: frozenset[int]) -> list[str]:
    found = (n for n in range(len(graph.labels)) if n not in shared and n != graph.roots[0])
    return [graph.labels[node] for node in found]


def _within(graph: QueryGraph, tops: Iterable[int]) -> frozenset[int]:
    found = set(tops)
    # A node has a lower number than its parts, so one pass over the sorted edges is enough.
    for start, end, kind in sorted(graph.edges):
        if kind == EdgeKind.TREE and start in found:
            found.add(end)
    return frozenset(found)


class _Parts:
    """The trees below the nodes of one graph, numbered so that equal trees have equal numbers."""

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
        """The tree of a node; a column that is computed elsewhere has that computation's tree."""
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
        """All nodes by the size of their tree and its number."""
        sizes = [1] * len(self.children)
        for node in self._children_first():
            sizes[node] += sum(sizes[child] for child in self.children[node])
        found = defaultdict(list)
        for node, kind in enumerate(zip(sizes, self.numbers, strict=True)):
            found[kind].append(node)
        return found

    def free(self, nodes: list[int]) -> list[int]:
        """The given nodes that are not in a connected part yet."""
        return [node for node in nodes if not self.taken[node]]

    def _children_first(self) -> list[int]:
        order = [self._graph.roots[0]]
        for node in order:
            order.extend(self.children[node])
        return order[::-1]

    def take(self, node: int) -> None:
        """Marks the node and all nodes below it as part of a connected part."""
        waiting = [node]
        for one in waiting:
            self.taken[one] = True
            waiting.extend(self.children[one])
