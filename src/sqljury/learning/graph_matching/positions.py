"""Positions of nodes: how likely a random walk is back where it began, after 1 … K steps.

On the merged graph of a pair, joined where the queries match, nodes that lie alike get like
positions, and a walk that can leave to the other query comes back less often. Joined are the tops
of what matches: which nodes are below them, and so the same on both sides, a walk hardly says. That
is told by one number more.

Source: Dwivedi et al. 2021 (random-walk positional encoding); Zhan et al. 2024, section 4.2. The
last number is ours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sqljury.learning.graph_matching.graphs import TREE, Encoded, Integers
from sqljury.learning.graph_matching.options import Positions

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
