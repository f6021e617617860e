"""Small graphs for the tests of the network: by hypothesis, and from a generator."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from hypothesis import strategies as st

OPERATORS = ("query", "scan", "filter", "project", "=", ">", "COUNT", "join inner")
WORDS = ("pets", "pets.id", "pets.age", "owner.name", "3", "4", "Ångström 東京", "x" * 90)
TYPES = ("", "integer", "text")


@dataclass(frozen=True)
class Graph:
    """What the network asks of a query's graph."""

    labels: tuple[str, ...]
    computing: tuple[bool, ...]
    types: tuple[str, ...]
    edges: tuple[tuple[int, int, int], ...]
    roots: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Pair:
    """What the network asks of a pair."""

    left: Graph
    right: Graph
    joins: tuple[tuple[int, int], ...] = ((0, 0),)


def chance_graph(chance: random.Random, size: int) -> Graph:
    """A tree of so many nodes with a few edges of the other kinds."""
    computing = [True] + [chance.random() < 0.6 for _ in range(size - 1)]
    labels = [chance.choice(OPERATORS if own else WORDS) for own in computing]
    types = ["" if own else chance.choice(TYPES) for own in computing]
    edges = [(chance.randrange(node), node, 0) for node in range(1, size)]
    edges += [
        (chance.randrange(size), chance.randrange(size), chance.choice((1, 2)))
        for _ in range(size // 2)
    ]
    return Graph(tuple(labels), tuple(computing), tuple(types), tuple(edges))


def chance_pair(chance: random.Random, largest: int = 12) -> Pair:
    """Two graphs, joined at the roots and at another place."""
    left, right = (chance_graph(chance, chance.randint(1, largest)) for _ in range(2))
    join = (chance.randrange(len(left.labels)), chance.randrange(len(right.labels)))
    return Pair(left, right, ((0, 0), join))


def shuffled(graph: Graph, chance: random.Random) -> tuple[Graph, list[int]]:
    """The same graph with its nodes in another order, and where each node went."""
    order = list(range(len(graph.labels)))
    chance.shuffle(order)
    to = [order.index(node) for node in range(len(order))]
    edges = [(to[a], to[b], kind) for a, b, kind in graph.edges]
    chance.shuffle(edges)
    return Graph(
        tuple(graph.labels[node] for node in order),
        tuple(graph.computing[node] for node in order),
        tuple(graph.types[node] for node in order),
        tuple(edges),
        tuple(to[root] for root in graph.roots),
    ), to


def renamed(graph: Graph, place: int, label: str) -> Graph:
    """The graph with another label at a node."""
    labels = [label if i == place else own for i, own in enumerate(graph.labels)]
    return replace(graph, labels=tuple(labels))


chances = st.randoms(use_true_random=False)
