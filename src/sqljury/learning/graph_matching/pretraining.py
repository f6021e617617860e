"""Contrastive pre-training: the network sees two changed views of each graph as a pair.

Source: Zhan et al. 2024, section 4.4 and appendix C.4; You et al. 2020 (GraphCL).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sqljury.learning.graph_matching.augment import augmented
from sqljury.learning.graph_matching.batch import make_batch
from sqljury.learning.graph_matching.graphs import Encoded, Integers
from sqljury.learning.graph_matching.matcher import with_positions
from sqljury.learning.graph_matching.network import GraphMatchingNetwork
from sqljury.learning.graph_matching.options import PretrainingOptions
from sqljury.learning.graph_matching.steps import Stepper, contrastive_loss


def contrast(
    network: GraphMatchingNetwork,
    graphs: Sequence[Encoded],
    texts: Sequence[str],
    options: PretrainingOptions,
    stepper: Stepper,
    seed: tuple[int, ...],
) -> float:
    """One epoch: change the network's weights; gives the mean loss."""
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(graphs))
    losses = []
    for number in range(batches_of(graphs, options)):
        chosen = order[number * options.batch : (number + 1) * options.batch]
        views = [_views(graphs[i], options, generator) for i in chosen]
        batch = make_batch(with_positions(views, network.options), texts)
        vectors = network(batch)
        loss = contrastive_loss(vectors[0::2], vectors[1::2], options.temperature, options.loss)
        losses.append(stepper.step(loss))
    return float(np.mean(losses))


def batches_of(graphs: Sequence[Encoded], options: PretrainingOptions) -> int:
    """Batches of an epoch: full ones only, in which each graph has as many to be told from."""
    return max(1, len(graphs) // options.batch)


def _views(
    graph: Encoded, options: PretrainingOptions, generator: np.random.Generator
) -> tuple[Encoded, Encoded, Integers]:
    """Two views, joined at the root relations."""
    left, right = (
        augmented(graph, options.augmentations, options.ratio, generator) for _ in range(2)
    )
    return left, right, np.stack([left.roots, right.roots], axis=1)
