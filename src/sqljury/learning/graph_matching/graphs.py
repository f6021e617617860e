"""Graphs as a network sees them: numbers for operators, types and edges, and texts to be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int32]

EDGE_KINDS = 3
"""Operator tree, logic flow, data flow."""
TREE = 0
"""The number of the first."""
CONTENT = 0
"""The operator number of a content node."""
MASKED = 1
"""The operator number of a node whose label is hidden."""


class QueryGraphLike(Protocol):
    """The graph of one query, as ``queries.graphs`` makes it."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The text of each node."""

    @property
    def computing(self) -> tuple[bool, ...]:
        """Whether a node is an operator; others are columns, literals and tables."""

    @property
    def types(self) -> tuple[str, ...]:
        """The type of a column's or a literal's values, empty for other nodes."""

    @property
    def edges(self) -> tuple[tuple[int, int, int], ...]:
        """From, to, and the kind: 0 operator tree, 1 logic flow, 2 data flow."""

    @property
    def roots(self) -> tuple[int, ...]:
        """The root relations."""


class PairGraphLike(Protocol):
    """Two graphs, and which nodes of theirs match."""

    @property
    def left(self) -> QueryGraphLike:
        """One query."""

    @property
    def right(self) -> QueryGraphLike:
        """The other."""

    @property
    def joins(self) -> Sequence[tuple[int, int]]:
        """Root relations, and roots of subtrees that match in full: a node of each side."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Operators and types by number; :data:`CONTENT` and :data:`MASKED` come before operators."""

    operators: tuple[str, ...]
    types: tuple[str, ...]
    _operators: dict[str, int] = field(init=False, repr=False, compare=False)
    _types: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make the ways back."""
        numbered = {name: i + MASKED + 1 for i, name in enumerate(self.operators)}
        object.__setattr__(self, "_operators", numbered)
        object.__setattr__(self, "_types", {name: i + 1 for i, name in enumerate(self.types)})

    @classmethod
    def of(cls, graphs: Iterable[QueryGraphLike]) -> Vocabulary:
        """What occurs in the graphs."""
        operators: set[str] = set()
        types: set[str] = set()
        for graph in graphs:
            operators |= {
                label for label, own in zip(graph.labels, graph.computing, strict=True) if own
            }
            types |= set(graph.types)
        return cls(tuple(sorted(operators)), tuple(sorted(types - {""})))

    def operator(self, label: str) -> int | None:
        """The number of an operator; None where training met none of the name."""
        return self._operators.get(label)

    def type(self, name: str) -> int:
        """The number of a type; 0 where there is none, or none that is known."""
        return self._types.get(name, 0)


@dataclass(frozen=True, slots=True)
class Encoded:
    """One graph in numbers: n nodes, e edges."""

    operators: Integers
    """n: operator numbers, :data:`CONTENT` for nodes that are read by their characters."""
    texts: Integers
    """n: which text such a node has, -1 for others."""
    types: Integers
    """n."""
    edges: Integers
    """e × 3: from, to, kind."""
    roots: Integers

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.operators)


@dataclass(slots=True)
class GraphEncoder:
    """Turns graphs into numbers; equal texts share a number.

    An operator that training did not meet is read by its characters, as content is: two such
    operators stay apart.
    """

    vocabulary: Vocabulary
    texts: dict[str, int] = field(default_factory=dict)

    def __call__(self, graph: QueryGraphLike) -> Encoded:
        """The graph in numbers."""
        operators = np.full(len(graph.labels), CONTENT, dtype=np.int32)
        texts = np.full(len(graph.labels), -1, dtype=np.int32)
        for place, (label, own) in enumerate(zip(graph.labels, graph.computing, strict=True)):
            number = self.vocabulary.operator(label) if own else None
            if number is None:
                texts[place] = self.texts.setdefault(label, len(self.texts))
            else:
                operators[place] = number
        types = np.array([self.vocabulary.type(name) for name in graph.types], dtype=np.int32)
        edges = np.array(graph.edges, dtype=np.int32).reshape(-1, 3)
        return Encoded(operators, texts, types, edges, np.array(graph.roots, dtype=np.int32))


@dataclass(frozen=True, slots=True)
class EncodedPair:
    """Two graphs in numbers; ``positions`` are those of the left nodes, then of the right."""

    left: Encoded
    right: Encoded
    joins: Integers
    """j × 2: a left node, a right node."""
    positions: NDArray[np.float32]
    """(n left + n right) × numbers of a position; none where the network uses none."""

    @property
    def larger(self) -> int:
        """Nodes of the larger graph."""
        return max(self.left.size, self.right.size)
