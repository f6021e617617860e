"""Changed views of a graph, for contrastive pre-training.

Root relations are never taken out, so that two views can be joined there.

Source: You et al. 2020 (GraphCL), table 1; Zhan et al. 2024, appendix C.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sqljury.learning.graph_matching.graphs import MASKED, Encoded
from sqljury.learning.graph_matching.options import Augmentation


def augmented(
    graph: Encoded, kinds: Sequence[Augmentation], ratio: float, generator: np.random.Generator
) -> Encoded:
    """A view of the graph, changed in each of these ways in turn."""
    for kind in kinds:
        match kind:
            case "mask":
                graph = _masked(graph, ratio, generator)
            case "drop":
                graph = _kept(graph, generator.random(graph.size) >= ratio)
            case "perturb":
                graph = _perturbed(graph, ratio, generator)
            case "subgraph":
                graph = _kept(graph, _walked(graph, 1 - ratio, generator))
    return graph


def _masked(graph: Encoded, ratio: float, generator: np.random.Generator) -> Encoded:
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


def _walked(graph: Encoded, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
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
