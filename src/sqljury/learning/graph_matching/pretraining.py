"""Training step by step: losses, gradients, checkpoints; contrastive pre-training."""

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
# Training step by step: losses, clipped gradients, and what is kept after each epoch.


FARTHEST = 3.0
"""The distance from which a score is 0 (appendix L)."""
MIDDLE = FARTHEST / 2
"""The distance that gives a score of a half; training parts the labels here."""


def margin_loss(distances: Tensor, labels: Tensor, margin: float) -> Tensor:
    """How far distances are from lying ``margin`` on their side of :data:`MIDDLE`.

    Args:
        distances: b.
        labels: b, 1 for equivalent pairs and 0 for others.
        margin: γ.

    Source: Li et al. 2019, equation 11, with appendix L's scale of distances.
    """
    side = 2 * labels - 1
    return functional.relu(margin - side * (MIDDLE - distances)).mean()


def contrastive_loss(
    left: Tensor, right: Tensor, temperature: float, kind: Contrast = "infonce"
) -> Tensor:
    """Each view's nearest, by cosine, shall be the other view of its graph.

    Args:
        left: b × d, one view of each graph.
        right: b × d, the other.
        temperature: below 1 sharpens.
        kind: ``infonce``: the own other view is one of those below the line, and the loss is at
            least 0; ``graphcl``: only those of other graphs are.

    Source: infonce: van den Oord et al. 2018, equation 4; graphcl: You et al. 2020 (GraphCL),
    equation 3. Here both views are told from those of the other side, and the mean is taken.
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
"""The share of all steps in which the rate rises."""


class Stepper:
    """Changes a network's weights by losses; the rate rises to its highest, then falls to zero."""

    def __init__(self, network: nn.Module, steps: int, rate: float, decay: float = 0.0) -> None:
        self._network, self._steps, self._rate = network, steps, rate
        self._optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=decay)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda step: _share(step, steps)
        )

    def step(self, loss: Tensor) -> float:
        """Follow the loss downwards; gives its value."""
        self._optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self._network.parameters(), _LARGEST_GRADIENT)
        self._optimizer.step()
        self._schedule.step()
        return float(loss.detach())

    def arrays(self) -> Arrays:
        """What a checkpoint keeps: how many steps were made, and the moments of the weights."""
        found: Arrays = {"steps": np.array(self._schedule.last_epoch)}
        for number, state in self._optimizer.state_dict()["state"].items():
            for name, value in state.items():
                found[f"{number}.{name}"] = value.cpu().numpy().copy()
        return found

    def load_arrays(self, arrays: Arrays) -> None:
        """Go on from a checkpoint."""
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
    """How far training is."""

    done: int = 0
    """Epochs, those of pre-training included."""
    curve: list[dict[str, Any]] = field(default_factory=list)
    weights: Arrays = field(default_factory=dict)
    stepper: Arrays = field(default_factory=dict)
    best: Arrays = field(default_factory=dict)
    """The weights of the best epoch so far; empty before the first."""

    def save(self, path: Path, fingerprint: str) -> None:
        """Replace the file as a whole.

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
    """Where training of this fingerprint stopped; its beginning where there is no such file."""
    if not path.is_file():
        return Checkpoint()
    try:
        facts, arrays = read_model(path)
    except InputError:
        return Checkpoint()  # cut off while it was written by something else than us
    if facts.get("fingerprint") != fingerprint:
        return Checkpoint()
    found = Checkpoint(facts["done"], facts["curve"])
    for name, array in arrays.items():
        part, _, own = name.partition(_SEPARATOR)
        getattr(found, part)[own] = array
    return found


# ---------------------------------------------------------------- pretraining
#
# Contrastive pre-training: the network sees two changed views of each graph as a pair.
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
