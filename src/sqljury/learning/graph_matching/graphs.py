"""Encodes pairs of query graphs for the network: operators, types, edges, texts, and for each node
how it relates to the other graph."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int32]
Floats = NDArray[np.float32]

EDGE_KINDS = 3
"""Number of edge kinds: operator tree, logic flow, data flow."""
TREE, DATA = 0, 2
"""The edge kinds of the operator tree and of data flow."""
CONTENT = 0
"""The operator number of a content node."""


class QueryGraphLike(Protocol):
    """The graph of one query, as ``queries.graphs`` makes it."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The text of each node."""

    @property
    def computing(self) -> tuple[bool, ...]:
        """For each node, whether it is an operator; others are columns, literals and tables."""

    @property
    def types(self) -> tuple[str, ...]:
        """For each node, the type of a column or literal; empty for other nodes."""

    @property
    def edges(self) -> tuple[tuple[int, int, int], ...]:
        """The edges as (from, to, kind); kinds: 0 operator tree, 1 logic flow, 2 data flow."""

    @property
    def roots(self) -> tuple[int, ...]:
        """The nodes of the root relations."""


class PairGraphLike(Protocol):
    """The graphs of two queries, and which of their nodes match."""

    @property
    def left(self) -> QueryGraphLike:
        """The graph of the first query."""

    @property
    def right(self) -> QueryGraphLike:
        """The graph of the second query."""

    @property
    def joins(self) -> Sequence[tuple[int, int]]:
        """Pairs of matching nodes (left, right): the root relations, and the roots of subtrees that
        match completely."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The numbers of operators and types; :data:`CONTENT` precedes operators."""

    operators: tuple[str, ...]
    types: tuple[str, ...]
    _operators: dict[str, int] = field(init=False, repr=False, compare=False)
    _types: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Builds the lookups from name to number."""
        numbered = {name: i + 1 for i, name in enumerate(self.operators)}
        object.__setattr__(self, "_operators", numbered)
        object.__setattr__(self, "_types", {name: i + 1 for i, name in enumerate(self.types)})

    @classmethod
    def of(cls, graphs: Iterable[QueryGraphLike]) -> Vocabulary:
        """The vocabulary of all operators and types in the graphs."""
        operators: set[str] = set()
        types: set[str] = set()
        for graph in graphs:
            operators |= {
                label for label, own in zip(graph.labels, graph.computing, strict=True) if own
            }
            types |= set(graph.types)
        return cls(tuple(sorted(operators)), tuple(sorted(types - {""})))

    def operator(self, label: str) -> int | None:
        """The number of an operator; None if it is not in the vocabulary."""
        return self._operators.get(label)

    def type(self, name: str) -> int:
        """The number of a type; 0 if it is empty or unknown."""
        return self._types.get(name, 0)


@dataclass(frozen=True, slots=True)
class Encoded:
    """One graph as arrays of numbers, for n nodes and e edges."""

    operators: Integers
    """Shape n: operator numbers; :data:`CONTENT` for nodes that are encoded by their characters."""
    texts: Integers
    """Shape n: the text number of such a node, -1 for others."""
    types: Integers
    """Shape n: type numbers."""
    edges: Integers
    """Shape e × 3: from, to, kind."""
    colours: tuple[tuple[int, ...], ...]
    """For 0, 1, … rounds: a number per node, equal for nodes whose surroundings within so many
    edges are equal."""
    literals: tuple[tuple[int, str], ...]
    """The nodes of constants, with their texts."""

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.operators)


_ROUNDS = 3


@dataclass(slots=True)
class GraphEncoder:
    """Encodes graphs as numbers; equal texts share a number.

    An operator that is not in the vocabulary is encoded by its characters, like content, so that
    two such operators remain different.
    """

    vocabulary: Vocabulary
    texts: dict[str, int] = field(default_factory=dict)

    def __call__(self, graph: QueryGraphLike) -> Encoded:
        """The encoded graph; new texts are added to ``texts``."""
        operators, texts = [], []
        for label, own in zip(graph.labels, graph.computing, strict=True):
            number = self.vocabulary.operator(label) if own else None
            operators.append(CONTENT if number is None else number)
            is_text = number is None
            texts.append(self.texts.setdefault(label, len(self.texts)) if is_text else -1)
        types = [self.vocabulary.type(name) for name in graph.types]
        first = tuple(hash(node) for node in zip(operators, texts, types, strict=True))
        return Encoded(
            np.array(operators, dtype=np.int32),
            np.array(texts, dtype=np.int32),
            np.array(types, dtype=np.int32),
            np.array(graph.edges, dtype=np.int32).reshape(-1, 3),
            _colours(first, graph.edges),
            _literals(graph),
        )


def _colours(
    first: tuple[int, ...], edges: Sequence[tuple[int, int, int]]
) -> tuple[tuple[int, ...], ...]:
    """Refines the nodes' numbers by those of their neighbours, round by round.

    Source: Weisfeiler & Leman 1968.
    """
    found = [first]
    for _ in range(_ROUNDS):
        last = found[-1]
        near: list[list[int]] = [[] for _ in last]
        for start, end, kind in edges:
            near[start].append(hash((kind, last[end])))
            near[end].append(hash((kind, ~last[start])))
        found.append(
            tuple(hash((own, *sorted(others))) for own, others in zip(last, near, strict=True))
        )
    return tuple(found)


def _literals(graph: QueryGraphLike) -> tuple[tuple[int, str], ...]:
    """The constants: content that is neither below a scan or function nor has data edges."""
    others = {end for start, end, kind in graph.edges if kind == DATA}
    others |= {start for start, end, kind in graph.edges if kind == DATA}
    for start, end, kind in graph.edges:
        if kind == TREE and graph.labels[start] in _SOURCES:
            others.add(end)
    return tuple(
        (node, label)
        for node, (label, own) in enumerate(zip(graph.labels, graph.computing, strict=True))
        if not own and node not in others
    )


_SOURCES = ("scan", "function")


@dataclass(frozen=True, slots=True)
class EncodedPair:
    """Two encoded graphs, and how each node relates to the other graph."""

    left: Encoded
    right: Encoded
    relations: Floats
    """Shape n × :data:`RELATIONS`: a row per left node, then per right node."""

    @property
    def larger(self) -> int:
        """The number of nodes of the larger graph."""
        return max(self.left.size, self.right.size)


# ---------------------------------------------------------------- relations
#
# What a node's row says: whether the node is in a subtree that both queries have; how many more
# such nodes its graph has; whether the other graph has a node with the same surroundings, within 0
# to 3 edges. And of a constant, compared with the nearest constant that only the other graph has:
# whether there is one, which number is larger and by how much, how alike the texts are.

RELATIONS = 3 + _ROUNDS + 6
"""How many numbers describe a node's relation to the other graph."""


def relations_of(left: Encoded, right: Encoded, joins: Integers) -> Floats:
    """For each node, left ones first, how it relates to the other graph.

    Args:
        joins: pairs of matching nodes: the roots, then the tops of equal subtrees.
    """
    found = np.zeros((left.size + right.size, RELATIONS), dtype=np.float32)
    mine, theirs = found[: left.size], found[left.size :]
    for rows, graph, tops in ((mine, left, joins[1:, 0]), (theirs, right, joins[1:, 1])):
        rows[:, 0] = _below(graph, tops)
    for rows, graph, other in ((mine, left, right), (theirs, right, left)):
        own, others = Counter(graph.colours[0]), Counter(other.colours[0])
        rows[:, 1] = [
            max(-2, min(2, own[colour] - others[colour])) / 2 for colour in graph.colours[0]
        ]
        for number, (colours, known) in enumerate(zip(graph.colours, other.colours, strict=True)):
            there = set(known)
            rows[:, 2 + number] = [colour in there for colour in colours]
    _compare_literals(left, right, mine, theirs)
    return found


def _compare_literals(left: Encoded, right: Encoded, mine: Floats, theirs: Floats) -> None:
    texts, others = ({text for _, text in graph.literals} for graph in (left, right))
    only = [one for one in left.literals if one[1] not in others]
    only_there = [one for one in right.literals if one[1] not in texts]
    if not only or not only_there:
        return
    for rows, here, there in ((mine, only, only_there), (theirs, only_there, only)):
        for node, text in here:
            rows[node, 3 + _ROUNDS :] = max(_compared(text, other) for _, other in there)


def _compared(text: str, other: str) -> tuple[float, ...]:
    """1, likeness, and for numbers which is larger (1, 0, -1) and the logarithm of the distance.

    The likeness of numbers falls with their distance; that of texts is the share of their common
    beginning, and 1 if they differ in letter case only.
    """
    one, two = number_of(text), number_of(other)
    if one is not None and two is not None:
        apart = math.log1p(abs(one - two))
        return 1.0, 1 / (1 + apart), float(np.sign(one - two)), apart / 5, 0.0, 0.0
    lower, low = text.casefold(), other.casefold()
    same = (a == b for a, b in zip(lower, low, strict=False))
    shared = sum(takewhile(bool, same)) / max(len(lower), len(low), 1)
    inside = float(lower in low or low in lower)
    return 1.0, shared, 0.0, 0.0, float(lower == low), inside


def number_of(text: str) -> float | None:
    """The finite number that a text spells, else None."""
    if not text or text[0] not in "+-.0123456789":
        return None
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _below(graph: Encoded, tops: Integers) -> NDArray[np.bool_]:
    """For each node, whether it is one of ``tops`` or below one in the operator tree."""
    parents, children, _ = graph.edges[graph.edges[:, 2] == TREE].T
    found = np.zeros(graph.size, dtype=bool)
    found[tops] = True
    while (reached := children[found[parents] & ~found[children]]).size:
        found[reached] = True
    return found
