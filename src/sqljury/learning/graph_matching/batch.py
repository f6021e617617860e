"""Pairs of graphs side by side, as the network takes them: all nodes in one row of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sqljury.learning.graph_matching.content import characters, codes
from sqljury.learning.graph_matching.graphs import EDGE_KINDS, EncodedPair, Integers

_NODES = 4096
"""Of the graphs of one batch when scoring, padding included."""


@dataclass(frozen=True, slots=True)
class GraphBatch:
    """b pairs: graphs 2i and 2i+1 are pair i; n nodes and e edges in all, u different texts."""

    operators: Tensor
    """n: operator numbers."""
    texts: Tensor
    """n: which of the texts below, counted from 1; 0 for operators."""
    read: Tensor | None
    """u × hidden: texts that were read before; else …"""
    characters: Tensor
    """u × length: … the different texts of this batch, and …"""
    codes: Tensor
    """u × CODE: … their codes."""
    types: Tensor
    """n."""
    positions: Tensor
    """n × K."""
    sources: Tensor
    """e: the node that a message is from; each edge is there in both directions."""
    targets: Tensor
    """e."""
    kinds: Tensor
    """e: 0, 1, 2 along an edge of a kind and 3, 4, 5 against it."""
    graphs: Tensor
    """n: which graph a node is of."""
    slots: Tensor
    """n: where a node lies when every graph has room for ``width`` nodes."""
    real: Tensor
    """2b × width: whether there is a node."""

    @property
    def count(self) -> int:
        """Graphs in the batch, two a pair."""
        return int(self.real.shape[0])

    @property
    def width(self) -> int:
        """Nodes of the largest graph."""
        return int(self.real.shape[1])

    def to(self, device: torch.device) -> GraphBatch:
        """The same numbers on a device."""
        named = {one.name: getattr(self, one.name) for one in fields(self)}
        return replace(self, **{n: t.to(device) for n, t in named.items() if t is not None})


def make_batch(
    pairs: Sequence[EncodedPair], texts: Sequence[str], read: Tensor | None = None
) -> GraphBatch:
    """Put pairs side by side.

    Args:
        texts: all texts by their number.
        read: what the network makes of each of them, where it is known already.
    """
    graphs = [graph for pair in pairs for graph in (pair.left, pair.right)]
    sizes = np.array([graph.size for graph in graphs])
    width = int(sizes.max())
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    of_node = np.repeat(np.arange(len(graphs)), sizes)
    place = np.arange(int(sizes.sum())) - np.repeat(starts, sizes)
    texts_at = np.concatenate([graph.texts for graph in graphs])
    used, which = _used(texts_at) if read is None else (np.zeros(0, np.int32), texts_at + 1)
    new = [texts[number] for number in used]
    edges = np.concatenate([graph.edges for graph in graphs])
    edges[:, :2] += np.repeat(starts, [len(graph.edges) for graph in graphs])[:, None]
    return GraphBatch(
        operators=_tensor(np.concatenate([graph.operators for graph in graphs])),
        texts=_tensor(which),
        read=read,
        characters=characters(new),
        codes=codes(new),
        types=_tensor(np.concatenate([graph.types for graph in graphs])),
        positions=torch.from_numpy(np.concatenate([pair.positions for pair in pairs])),
        sources=_tensor(np.concatenate([edges[:, 0], edges[:, 1]])),
        targets=_tensor(np.concatenate([edges[:, 1], edges[:, 0]])),
        kinds=_tensor(np.concatenate([edges[:, 2], edges[:, 2] + EDGE_KINDS])),
        graphs=_tensor(of_node),
        slots=_tensor(of_node * width + place),
        real=torch.from_numpy(np.arange(width)[None, :] < sizes[:, None]),
    )


def _used(texts: Integers) -> tuple[Integers, NDArray[np.integer]]:
    """The different texts of nodes, and which of them, from 1, each node has."""
    used, which = np.unique(texts, return_inverse=True)
    # -1, the text of operators, comes first where there is an operator.
    return (used[1:], which) if len(used) and used[0] == -1 else (used, which + 1)


def _tensor(numbers: NDArray[np.integer]) -> Tensor:
    return torch.from_numpy(numbers.astype(np.int64))


def batches_by_size(pairs: Sequence[EncodedPair]) -> Iterator[list[int]]:
    """The places of pairs of like size together, as many as :data:`_NODES` allows."""
    chosen: list[int] = []
    for place in sorted(range(len(pairs)), key=lambda i: pairs[i].larger):
        if chosen and 2 * (len(chosen) + 1) * pairs[place].larger > _NODES:
            yield chosen
            chosen = []
        chosen.append(place)
    if chosen:
        yield chosen


def shuffled_batches(
    pairs: Sequence[EncodedPair], size: int, generator: np.random.Generator
) -> list[list[int]]:
    """All places in batches: at random, but pairs of a batch are of like size, to save padding.

    Pairs are shuffled, sorted within each 16 batches, and the batches shuffled.
    """
    order = generator.permutation(len(pairs))
    found = []
    for start in range(0, len(order), 16 * size):
        near = sorted(order[start : start + 16 * size].tolist(), key=lambda i: pairs[i].larger)
        found += [near[i : i + size] for i in range(0, len(near), size)]
    return [found[i] for i in generator.permutation(len(found))]
