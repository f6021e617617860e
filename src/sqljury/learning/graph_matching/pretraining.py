"""Losses, optimizer steps and checkpoints of the training, and contrastive pre-training."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sqljury.errors import InputError
from sqljury.learning.graph_matching.graphs import Encoded, Integers, augmented
from sqljury.learning.graph_matching.matcher import with_positions
from sqljury.learning.graph_matching.network import GraphMatchingNetwork, make_batch
from sqljury.learning.graph_matching.options import Contrast, PretrainingOptions
from sqljury.learning.model_file import read_model, write_model

# ---------------------------------------------------------------- steps
#
# Losses, optimizer steps with clipped gradients, and the checkpoint after each epoch.


FARTHEST = 3.0
"""The score is 0 from this distance on (appendix L)."""
MIDDLE = FARTHEST / 2
"""The distance with a score of a half; training separates the labels here."""


def margin_loss(distances: Tensor, labels: Tensor, margin: float) -> Tensor:
    """The mean amount by which distances fall short of ``margin`` beyond :data:`MIDDLE`.

    Equivalent pairs should be below it, others above.

    Args:
        distances: of b pairs.
        labels: of b pairs, 1 for equivalent ones and 0 for others.
        margin: γ.

    Source: Li et al. 2019, equation 11, with appendix L's scale of distances.
    """
    side = 2 * labels - 1
    return functional.relu(margin - side * (MIDDLE - distances)).mean()


def contrastive_loss(
    left: Tensor, right: Tensor, temperature: float, kind: Contrast = "infonce"
) -> Tensor:
    """The loss is low if each view is nearest, by cosine, to the other view of its own graph.

    Args:
        left: b × d, the vector of one view of each graph.
        right: b × d, the vector of its other view.
        temperature: a value below 1 sharpens.
        kind: ``infonce``: the denominator includes the graph's own other view, so the loss is at
            least 0; ``graphcl``: it has only views of other graphs.

    Source: infonce: van den Oord et al. 2018, equation 4; graphcl: You et al. 2020 (GraphCL),
    equation 3. Here the mean of both directions is taken: left against right, right against left.
    """
    left, right = functional.normalize(left, dim=1), functional.normalize(right, dim=1)
    alike = left @ right.T / temperature
    own = alike.diagonal()
    if kind == "graphcl":
        alike = alike.masked_fill(torch.eye(len(alike), device=alike.device).bool(), -torch.inf)
    below = (alike.logsumexp(dim=1) + alike.logsumexp(dim=0)) / 2
    return (below - own).mean()


_LARGEST_GRADIENT = 5.0
_RISE = 0.1
"""The share of all steps in which the learning rate rises."""


class Stepper:
    """The optimizer: updates the weights; the learning rate rises to its highest, then falls to
    zero."""

    def __init__(self, network: nn.Module, steps: int, rate: float, decay: float = 0.0) -> None:
        self._network, self._steps, self._rate = network, steps, rate
        self._optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=decay)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda step: _share(step, steps)
        )

    def step(self, loss: Tensor) -> float:
        """Updates the weights by the gradient of the loss; returns the loss."""
        self._optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self._network.parameters(), _LARGEST_GRADIENT)
        self._optimizer.step()
        self._schedule.step()
        return float(loss.detach())

    def arrays(self) -> Arrays:
        """The state for a checkpoint: the number of steps, and the optimizer's moments."""
        found: Arrays = {"steps": np.array(self._schedule.last_epoch)}
        for number, state in self._optimizer.state_dict()["state"].items():
            for name, value in state.items():
                found[f"{number}.{name}"] = value.cpu().numpy().copy()
        return found

    def load_arrays(self, arrays: Arrays) -> None:
        """Restores the state of a checkpoint."""
        state = self._optimizer.state_dict()
        moments: dict[int, dict[str, Tensor]] = {}
        for key, array in arrays.items():
            number, _, name = key.partition(".")
            if name:
                moments.setdefault(int(number), {})[name] = torch.from_numpy(array.copy())
        self._optimizer.load_state_dict({**state, "state": moments})
        self._schedule.last_epoch = int(arrays["steps"])
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate * _share(self._schedule.last_epoch, self._steps)


def _share(step: int, steps: int) -> float:
    rise = max(1, round(_RISE * steps))
    if step < rise:
        return (step + 1) / rise
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - rise) / max(1, steps - rise))))


Arrays = dict[str, NDArray[Any]]

_SEPARATOR = "/"


@dataclass(slots=True)
class Checkpoint:
    """The state of a training after an epoch."""

    done: int = 0
    """Finished epochs, those of pre-training included."""
    curve: list[dict[str, Any]] = field(default_factory=list)
    weights: Arrays = field(default_factory=dict)
    stepper: Arrays = field(default_factory=dict)
    best: Arrays = field(default_factory=dict)
    """The weights of the best epoch so far; empty before the first."""

    def save(self, path: Path, fingerprint: str) -> None:
        """Writes the checkpoint's file, replacing the old one.

        Raises:
            InputError: SJ020: it cannot be written.
        """
        parts = {"weights": self.weights, "stepper": self.stepper, "best": self.best}
        arrays = {
            f"{part}{_SEPARATOR}{name}": array
            for part, found in parts.items()
            for name, array in found.items()
        }
        facts = {"fingerprint": fingerprint, "done": self.done, "curve": self.curve}
        write_model(path, facts, arrays)


def load_checkpoint(path: Path, fingerprint: str) -> Checkpoint:
    """The checkpoint of the training with this fingerprint; an empty one if the file is missing,
    damaged, or of another training."""
    if not path.is_file():
        return Checkpoint()
    try:
        facts, arrays = read_model(path)
    except InputError:
        return Checkpoint()  # the file is damaged
    if facts.get("fingerprint") != fingerprint:
        return Checkpoint()
    found = Checkpoint(facts["done"], facts["curve"])
    for name, array in arrays.items():
        part, _, own = name.partition(_SEPARATOR)
        getattr(found, part)[own] = array
    return found


# ---------------------------------------------------------------- pretraining
#
# Contrastive pre-training: the network gets two changed views of each graph as a pair.
#
# Source: Zhan et al. 2024, section 4.4 and appendix C.4; You et al. 2020 (GraphCL).


def contrast(
    network: GraphMatchingNetwork,
    graphs: Sequence[Encoded],
    texts: Sequence[str],
    options: PretrainingOptions,
    stepper: Stepper,
    seed: tuple[int, ...],
) -> float:
    """Runs one epoch of contrastive pre-training; returns the mean loss."""
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
    """The number of batches per epoch; only full ones, so that each has as many other graphs."""
    return max(1, len(graphs) // options.batch)


def _views(
    graph: Encoded, options: PretrainingOptions, generator: np.random.Generator
) -> tuple[Encoded, Encoded, Integers]:
    """Two changed views of a graph, joined at the root relations."""
    left, right = (
        augmented(graph, options.augmentations, options.ratio, generator) for _ in range(2)
    )
    return left, right, np.stack([left.roots, right.roots], axis=1)
