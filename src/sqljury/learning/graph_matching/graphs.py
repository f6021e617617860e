"""Graphs as a network sees them: numbers for operators, types and edges, and texts to be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sqljury.learning.graph_matching.options import Augmentation, Positions

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


# ---------------------------------------------------------------- positions
#
# How likely a random walk is back where it began, after 1 … K steps. On the merged graph of a
# pair, joined where the queries match, nodes that lie alike get like positions, and a walk that can
# leave to the other query comes back less often. Joined are the tops of what matches: a walk hardly
# says which nodes are below them. One number more says that.
#
# Source: Dwivedi et al. 2021 (random-walk positional encoding); Zhan et al. 2024, section 4.2. The
# last number is ours.


Floats = NDArray[np.float32]


def walk_positions(adjacencies: Floats, longest: int) -> Floats:
    """The diagonals of T, T², …, T^K for T = A D⁻¹.

    Args:
        adjacencies: b × n × n, symmetric; a node without edges never moves on, nor comes back.
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
    # The diagonal of a product needs no product: half of the powers are enough.
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
    """For each pair the positions of the left nodes, then of the right ones.

    Args:
        kind: of the walks.
        longest: K.
        matched: with one number more: whether a node is in a part that both have.
    """
    walked = _walked(pairs, kind, longest)
    if not matched:
        return walked
    return [
        np.concatenate([places, _matched(*pair)[:, None]], axis=1)
        for pair, places in zip(pairs, walked, strict=True)
    ]


def _matched(left: Encoded, right: Encoded, joins: Integers) -> Floats:
    """1 for the nodes of either side that are in a part which both have, 0 for others.

    The first join is that of the roots, which are joined whatever is below them.
    """
    sides = zip((left, right), joins[1:].T, strict=True)
    return np.concatenate([_below(graph, tops) for graph, tops in sides]).astype(np.float32)


def _below(graph: Encoded, tops: Integers) -> NDArray[np.bool_]:
    """Whether a node is one of these, or below one in the operator tree."""
    parents, children, _ = graph.edges[graph.edges[:, 2] == TREE].T
    found = np.zeros(graph.size, dtype=bool)
    found[tops] = True
    while (reached := children[found[parents] & ~found[children]]).size:
        found[reached] = True
    return found


def _walked(
    pairs: Sequence[tuple[Encoded, Encoded, Integers]], kind: Positions, longest: int
) -> list[Floats]:
    """The walks of each pair."""
    if kind == "none":
        return [np.zeros((a.size + b.size, 0), dtype=np.float32) for a, b, _ in pairs]
    # One by one: what a matrix product rounds depends on how large it is, and so, if pairs were
    # filled up to one size, on which of them are judged together.
    return [_walk(*pair, longest, merged=kind == "merged") for pair in pairs]


def _walk(left: Encoded, right: Encoded, joins: Integers, longest: int, *, merged: bool) -> Floats:
    size = left.size + right.size
    adjacencies = np.zeros((1, size, size), dtype=np.float32)
    _connect(adjacencies[0], left, right, joins, merged)
    walked: Floats = walk_positions(adjacencies, longest)[0]
    return walked


def _connect(cells: Floats, left: Encoded, right: Encoded, joins: Integers, merged: bool) -> None:
    """Write the edges of a pair, of all kinds and both directions, into an adjacency matrix."""
    shift = left.size
    links = [left.edges[:, :2], right.edges[:, :2] + shift]
    if merged and len(joins):
        links.append(joins + np.array([0, shift], dtype=np.int32))
    ends = np.concatenate(links)
    cells[ends[:, 0], ends[:, 1]] = 1
    cells[ends[:, 1], ends[:, 0]] = 1


# ---------------------------------------------------------------- changed views
#
# For contrastive pre-training. Root relations are never taken out, so that two views can be joined
# there.
#
# Source: You et al. 2020 (GraphCL), table 1; Zhan et al. 2024, appendix C.4.


def augmented(
    graph: Encoded, kinds: Sequence[Augmentation], ratio: float, generator: np.random.Generator
) -> Encoded:
    """A view of the graph, changed in each of these ways in turn."""
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
    """Some nodes lose their label and type."""
    hidden = generator.random(graph.size) < ratio
    return replace(
        graph,
        operators=np.where(hidden, MASKED, graph.operators).astype(np.int32),
        texts=np.where(hidden, -1, graph.texts).astype(np.int32),
        types=np.where(hidden, 0, graph.types).astype(np.int32),
    )


def _kept(graph: Encoded, kept: NDArray[np.bool_]) -> Encoded:
    """Only some nodes, with the edges between them."""
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
    """Some edges go, and as many new ones come between any nodes, of the kinds that went."""
    gone = generator.random(len(graph.edges)) < ratio
    new = graph.edges[gone].copy()
    new[:, :2] = generator.integers(graph.size, size=(len(new), 2))
    return replace(graph, edges=np.concatenate([graph.edges[~gone], new]))


def _reached(graph: Encoded, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Nodes that a random walk from a root meets until it has that share of all."""
    near: list[list[int]] = [[] for _ in range(graph.size)]
    for a, b, _ in graph.edges.tolist():
        near[a].append(b)
        near[b].append(a)
    met = np.zeros(graph.size, dtype=bool)
    here = int(graph.roots[0]) if len(graph.roots) else 0
    met[here] = True
    for _ in range(20 * graph.size):  # a part that hangs by one edge may never be met
        if met.sum() >= share * graph.size or not near[here]:
            break
        here = near[here][int(generator.integers(len(near[here])))]
        met[here] = True
    return met
