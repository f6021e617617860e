"""Encodes query graphs for the network: numbers for operators, types and edges, and texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sqljury.learning.graph_matching.options import Augmentation, Positions

Integers = NDArray[np.int32]

EDGE_KINDS = 3
"""Number of edge kinds: operator tree, logic flow, data flow."""
TREE = 0
"""The edge kind of the operator tree."""
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
    """The numbers of operators and types; :data:`CONTENT` and :data:`MASKED` precede operators."""

    operators: tuple[str, ...]
    types: tuple[str, ...]
    _operators: dict[str, int] = field(init=False, repr=False, compare=False)
    _types: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Builds the lookups from name to number."""
        numbered = {name: i + MASKED + 1 for i, name in enumerate(self.operators)}
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
    roots: Integers
    """The nodes of the root relations."""

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.operators)


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
    """Two encoded graphs with their matching nodes and the positional encodings."""

    left: Encoded
    right: Encoded
    joins: Integers
    """Shape j × 2: a left node and the matching right node."""
    positions: NDArray[np.float32]
    """One row per left node, then per right node; no columns if the network uses no positions."""

    @property
    def larger(self) -> int:
        """The number of nodes of the larger graph."""
        return max(self.left.size, self.right.size)


# ---------------------------------------------------------------- positions
#
# Positional encodings: the probability that a random walk is back at its start after 1 … K steps.
# On the merged graph of a pair, whose matching nodes are connected, nodes with similar surroundings
# get similar positions, and a walk that can cross to the other query returns less often. Only the
# roots of matching subtrees are connected, so a walk hardly shows which nodes are below them: one
# more number says that.
#
# Source: Dwivedi et al. 2021 (random-walk positional encoding); Zhan et al. 2024, section 4.2. The
# last number is sqljury's addition.


Floats = NDArray[np.float32]


def walk_positions(adjacencies: Floats, longest: int) -> Floats:
    """The diagonals of T, T², …, T^K for T = A D⁻¹.

    Args:
        adjacencies: b × n × n, symmetric; a walk from a node without edges never returns.
        longest: K.

    Returns:
        b × n × K.
    """
    count, size, _ = adjacencies.shape
    degrees = adjacencies.sum(axis=1, keepdims=True)
    step = np.divide(adjacencies, degrees, out=np.zeros_like(adjacencies), where=degrees > 0)
    found = np.zeros((count, size, longest), dtype=np.float32)
    half = (longest + 1) // 2
    powers = [step]
    while len(powers) < half:
        powers.append(powers[-1] @ step)
    for number, power in enumerate(powers):
        found[:, :, number] = np.einsum("bii->bi", power)
    # The diagonal of a product needs no full product, so half of the powers suffice.
    turned = np.ascontiguousarray(powers[-1].transpose(0, 2, 1))
    for number in range(half, longest):
        other = powers[number - half]
        found[:, :, number] = (other * turned).sum(axis=2)
    return found


def pair_positions(
    pairs: Sequence[tuple[Encoded, Encoded, Integers]],
    kind: Positions,
    longest: int,
    *,
    matched: bool,
) -> list[Floats]:
    """For each pair, the positions of the left nodes, then of the right ones.

    Args:
        kind: on which graph the walks go.
        longest: K, the longest walk.
        matched: add a number: 1 if a node is in a subtree that both queries have, else 0.
    """
    walked = _walked(pairs, kind, longest)
    if not matched:
        return walked
    return [
        np.concatenate([places, _matched(*pair)[:, None]], axis=1)
        for pair, places in zip(pairs, walked, strict=True)
    ]


def _matched(left: Encoded, right: Encoded, joins: Integers) -> Floats:
    """1 for each node that is in a subtree which both queries have, else 0.

    The first join is ignored: it connects the roots, whether or not they match.
    """
    sides = zip((left, right), joins[1:].T, strict=True)
    return np.concatenate([_below(graph, tops) for graph, tops in sides]).astype(np.float32)


def _below(graph: Encoded, tops: Integers) -> NDArray[np.bool_]:
    """For each node, whether it is one of ``tops`` or below one in the operator tree."""
    parents, children, _ = graph.edges[graph.edges[:, 2] == TREE].T
    found = np.zeros(graph.size, dtype=bool)
    found[tops] = True
    while (reached := children[found[parents] & ~found[children]]).size:
        found[reached] = True
    return found


def _walked(
    pairs: Sequence[tuple[Encoded, Encoded, Integers]], kind: Positions, longest: int
) -> list[Floats]:
    """The positions of each pair by random walks; without columns if ``kind`` is ``none``."""
    if kind == "none":
        return [np.zeros((a.size + b.size, 0), dtype=np.float32) for a, b, _ in pairs]
    # One pair at a time: the rounding of a matrix product depends on its size. If pairs were padded
    # to one size, results would depend on which pairs are scored together.
    return [_walk(*pair, longest, merged=kind == "merged") for pair in pairs]


def _walk(left: Encoded, right: Encoded, joins: Integers, longest: int, *, merged: bool) -> Floats:
    size = left.size + right.size
    adjacencies = np.zeros((1, size, size), dtype=np.float32)
    _connect(adjacencies[0], left, right, joins, merged)
    walked: Floats = walk_positions(adjacencies, longest)[0]
    return walked


def _connect(cells: Floats, left: Encoded, right: Encoded, joins: Integers, merged: bool) -> None:
    """Writes the edges of a pair, of all kinds in both directions, into an adjacency matrix."""
    shift = left.size
    links = [left.edges[:, :2], right.edges[:, :2] + shift]
    if merged and len(joins):
        links.append(joins + np.array([0, shift], dtype=np.int32))
    ends = np.concatenate(links)
    cells[ends[:, 0], ends[:, 1]] = 1
    cells[ends[:, 1], ends[:, 0]] = 1


# ---------------------------------------------------------------- augmented views
#
# For contrastive pre-training. Root relations are never removed, so that two views can be joined
# there.
#
# Source: You et al. 2020 (GraphCL), table 1; Zhan et al. 2024, appendix C.4.


def augmented(
    graph: Encoded, kinds: Sequence[Augmentation], ratio: float, generator: np.random.Generator
) -> Encoded:
    """A copy of the graph with each of these random changes applied in turn."""
    for kind in kinds:
        match kind:
            case "mask":
                graph = _with_masks(graph, ratio, generator)
            case "drop":
                graph = _kept(graph, generator.random(graph.size) >= ratio)
            case "perturb":
                graph = _perturbed(graph, ratio, generator)
            case "subgraph":
                graph = _kept(graph, _reached(graph, 1 - ratio, generator))
    return graph


def _with_masks(graph: Encoded, ratio: float, generator: np.random.Generator) -> Encoded:
    """Hides the label and type of some nodes."""
    hidden = generator.random(graph.size) < ratio
    return replace(
        graph,
        operators=np.where(hidden, MASKED, graph.operators).astype(np.int32),
        texts=np.where(hidden, -1, graph.texts).astype(np.int32),
        types=np.where(hidden, 0, graph.types).astype(np.int32),
    )


def _kept(graph: Encoded, kept: NDArray[np.bool_]) -> Encoded:
    """The subgraph of some nodes, and always of the roots, with the edges between them."""
    kept = kept.copy()
    kept[graph.roots] = True
    renumbered = (np.cumsum(kept) - 1).astype(np.int32)
    edges = graph.edges[kept[graph.edges[:, 0]] & kept[graph.edges[:, 1]]].copy()
    edges[:, :2] = renumbered[edges[:, :2]]
    return Encoded(
        graph.operators[kept],
        graph.texts[kept],
        graph.types[kept],
        edges,
        renumbered[graph.roots],
    )


def _perturbed(graph: Encoded, ratio: float, generator: np.random.Generator) -> Encoded:
    """Replaces some edges by as many between random nodes, of the same kinds."""
    gone = generator.random(len(graph.edges)) < ratio
    new = graph.edges[gone].copy()
    new[:, :2] = generator.integers(graph.size, size=(len(new), 2))
    return replace(graph, edges=np.concatenate([graph.edges[~gone], new]))


def _reached(graph: Encoded, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """The nodes that a random walk from a root visits until it has that share of all nodes."""
    near: list[list[int]] = [[] for _ in range(graph.size)]
    for a, b, _ in graph.edges.tolist():
        near[a].append(b)
        near[b].append(a)
    met = np.zeros(graph.size, dtype=bool)
    here = int(graph.roots[0]) if len(graph.roots) else 0
    met[here] = True
    for _ in range(20 * graph.size):  # limited, because some nodes are very hard to reach
        if met.sum() >= share * graph.size or not near[here]:
            break
        here = near[here][int(generator.integers(len(near[here])))]
        met[here] = True
    return met
