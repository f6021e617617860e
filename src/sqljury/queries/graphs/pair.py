"""Two queries as one graph: joined at their roots and at what both of them have."""

from __future__ import annotations

from collections import defaultdict

from sqljury.queries.graphs.nodes import EdgeKind, PairGraph, QueryGraph
from sqljury.queries.matching.labelled import Node, Numbering


def pair_graph(left: QueryGraph, right: QueryGraph) -> PairGraph:
    """Both graphs, joined at the roots and at seeds.

    Seeds are the tops of parts that are equal, the largest first, each node in one of them at
    most: of an operator that both queries have, its node alone; of one that differs, what its
    expressions have in common. Equal are trees of which partial matching finds all in each other
    (RelPM is 1), where a computed column counts as what computes it.

    Source: Zhan et al. 2024 (FuncEvalGMN), section 4.2 and figure 4.
    """
    number = Numbering()
    one, other = _Parts(left, number), _Parts(right, number)
    joins = [(left.roots[0], right.roots[0])]
    free = defaultdict(list)
    for node in reversed(other.largest_first()):
        free[other.numbers[node]].append(node)
    for node in one.largest_first():
        if one.taken[node]:
            continue
        candidates = free[one.numbers[node]]
        while candidates and other.taken[candidates[-1]]:
            candidates.pop()
        if candidates:
            match = candidates.pop()
            joins.append((node, match))
            one.take(node)
            other.take(match)
    return PairGraph(left, right, tuple(joins))


class _Parts:
    """The trees below the nodes of one graph, by numbers that equal trees share."""

    def __init__(self, graph: QueryGraph, number: Numbering) -> None:
        self.children: list[list[int]] = [[] for _ in graph.labels]
        self._sources: dict[int, int] = {}
        for start, end, kind in graph.edges:
            if kind == EdgeKind.TREE:
                self.children[start].append(end)
            elif kind == EdgeKind.DATA:
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

    def largest_first(self) -> list[int]:
        """All nodes by the size of what is below them, in the graph's own tree."""
        sizes = [0] * len(self.children)
        for node in self._children_first():
            sizes[node] = 1 + sum(sizes[child] for child in self.children[node])
        return sorted(range(len(sizes)), key=lambda node: (-sizes[node], node))

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
