"""Training on labelled pairs; validation pairs of other databases decide the epoch and threshold.

The same data, options and seed give the same network on the same machine with one thread; several
threads, or a GPU, add numbers in a varying order. After each epoch a checkpoint is written.

Source: Zhan et al. 2024, section 5; Li et al. 2019.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sqljury.errors import InputError
from sqljury.learning.calibration import area_under_curve
from sqljury.learning.graph_matching.graphs import Vocabulary
from sqljury.learning.graph_matching.matcher import (
    Matcher,
    best_threshold,
    log_odds_of,
    new_network,
)
from sqljury.learning.graph_matching.network import (
    GraphMatchingNetwork,
    PackedPairs,
    shuffled_batches,
)
from sqljury.learning.graph_matching.options import NetworkOptions, TrainingOptions
from sqljury.learning.model_file import read_model, write_model

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Examples:
    """Labelled pairs in one or several views. A view of two equal graphs is no example."""

    places: Places
    """Shape p × v: for each pair and view the place of its graphs in the data, -1 if the graphs are
    equal."""
    labels: NDArray[np.bool_]
    """Shape p: True for equivalent queries."""

    def learnt(self) -> tuple[Places, NDArray[np.float32]]:
        """All places, with their labels."""
        pairs, _ = found = (self.places >= 0).nonzero()
        return self.places[found], self.labels[pairs].astype(np.float32)

    def scores(self, log_odds: Numbers) -> Numbers:
        """Per pair the mean score of its views; 1 for equal graphs.

        Args:
            log_odds: by place in the data.
        """
        known = np.append(1 / (1 + np.exp(-log_odds)), 1.0)
        found: Numbers = known[self.places].mean(axis=1)
        return found


@dataclass(frozen=True, slots=True)
class Epoch:
    """The results of one epoch."""

    number: int
    """Its number, from 1."""
    loss: float
    auc: float
    """Area under the ROC curve on the validation pairs."""
    accuracy: float
    """Accuracy on the validation pairs at their best threshold."""


@dataclass(slots=True)
class Trainer:
    """One training; :meth:`run` continues from a checkpoint if there is one.

    Args:
        data: the graphs of all pairs.
        training: pairs to learn from.
        validation: pairs of other databases.
        vocabulary: the vocabulary that the graphs were encoded with.
        network_options: the shape of the network.
        options: the settings of the training.
        fingerprint: identifies the data; a checkpoint of other data or options is ignored.
        checkpoint: the checkpoint's file; None writes none.
        report: called with each epoch, also with those of a checkpoint.
    """

    data: PackedPairs
    training: Examples
    validation: Examples
    vocabulary: Vocabulary
    network_options: NetworkOptions
    options: TrainingOptions
    fingerprint: str = ""
    checkpoint: Path | None = None
    report: Callable[[Epoch], None] | None = None
    _network: GraphMatchingNetwork = field(init=False, repr=False)
    _mean: GraphMatchingNetwork = field(init=False, repr=False)
    _state: Checkpoint = field(init=False, repr=False)

    def run(self, notes: Mapping[str, Any]) -> tuple[Matcher, list[Epoch]]:
        """The network of the best epoch with its threshold, and all epochs.

        Raises:
            InputError: SJ021: a part of the data lacks a label; SJ034: no such device here.
        """
        for name, part in (("training", self.training), ("validation", self.validation)):
            if len(set(part.labels.tolist())) < 2:
                raise InputError("SJ021", f"the {name} pairs do not have both labels.")
        with _threads(self.options.threads), torch.random.fork_rng():
            device = _device(self.options.device)
            self._begin(device)
            for epoch in self._state.curve:
                self._tell(Epoch(**epoch))
            self._train()
            _set_weights(self._mean, self._state.best)
            matcher = self._matcher(notes)
            matcher.network.to("cpu")
            return matcher, [Epoch(**epoch) for epoch in self._state.curve]

    def _begin(self, device: torch.device) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.options.seed)
            self._network = new_network(self.network_options, self.vocabulary)
        self._mean = new_network(self.network_options, self.vocabulary)
        _set_weights(self._mean, _weights(self._network))
        self._state = Checkpoint()
        if self.checkpoint is not None:
            self._state = load_checkpoint(self.checkpoint, self._key())
        if self._state.weights:
            _set_weights(self._network, self._state.weights)
            _set_weights(self._mean, self._state.mean)
        self._network.to(device)
        self._mean.to(device)
        self.data = self.data.to(device)

    def _key(self) -> str:
        """A hash of data and options; a checkpoint with another one is ignored."""
        said = [
            self.fingerprint,
            self.network_options.to_json(),
            self.options.to_json(),
            [self.vocabulary.operators, self.vocabulary.types],
            [part.labels.astype(int).tolist() for part in (self.training, self.validation)],
        ]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def _train(self) -> None:
        places, labels = self.training.learnt()
        sizes = self.data.sizes()[places]
        device = self.data.nodes.device
        wanted = torch.from_numpy(labels).to(device)
        where = torch.from_numpy(places).to(device)
        steps = -(-len(places) // self.options.batch) * self.options.epochs
        stepper = Stepper(self._network, steps, self.options.rate, self.options.decay)
        if self._state.stepper:
            stepper.load_arrays(self._state.stepper)
        for number in range(self._state.done, self.options.epochs):
            loss = self._epoch(number, stepper, sizes, where, wanted)
            scores = self.validation.scores(self._log_odds())
            _, accuracy = best_threshold(scores, self.validation.labels)
            found = area_under_curve(scores, self.validation.labels)
            if found > max((e["auc"] for e in self._state.curve), default=-1):
                self._state.best = _weights(self._mean)
            self._keep(Epoch(number + 1, loss, found, accuracy), stepper)

    def _epoch(
        self, number: int, stepper: Stepper, sizes: Places, where: Tensor, wanted: Tensor
    ) -> float:
        """Trains on all pairs once; returns the mean loss."""
        self._network.train()
        torch.manual_seed(1000 * self.options.seed + number)
        generator = np.random.default_rng((self.options.seed, number))
        smoothing = self.options.smoothing
        total = where.new_zeros((), dtype=torch.float32)
        batches = shuffled_batches(sizes, self.options.batch, generator)
        for chosen in batches:
            rows = torch.from_numpy(chosen).to(where.device)
            found = self._network.of_pairs(self.data, where[rows])
            target = wanted[rows] * (1 - 2 * smoothing) + smoothing
            loss = functional.binary_cross_entropy_with_logits(found, target)
            stepper.step(loss)
            _average(self._mean, self._network, stepper.done)
            total += loss.detach()
        return float(total) / len(batches)

    def _log_odds(self) -> Numbers:
        """The validation pairs' log-odds by their place in the data; 0 at other places."""
        self._mean.eval()
        found = np.zeros(len(self.data))
        places = np.unique(self.validation.places[self.validation.places >= 0])
        found[places] = log_odds_of(self._mean, self.data, places)
        return found

    def _matcher(self, notes: Mapping[str, Any]) -> Matcher:
        """The network with its threshold, calibrated, with its measures on the validation pairs."""
        labels = self.validation.labels
        found = self._log_odds()
        places, wanted = self.validation.learnt()
        slope = _slope(found[places], wanted)
        with torch.no_grad():
            for parameter in self._mean.readout.answer[-1].parameters():
                parameter.mul_(slope)
        scores = self.validation.scores(found * slope)
        threshold, accuracy = best_threshold(scores, labels)
        validated = {
            "auc": area_under_curve(scores, labels),
            "accuracy": accuracy,
            "pairs": len(labels),
            "brier": float(np.square(scores - labels).mean()),
        }
        said = {**notes, "validated": validated}
        return Matcher(self._mean, self.vocabulary, threshold, said)

    def _tell(self, epoch: Epoch) -> None:
        if self.report is not None:
            self.report(epoch)

    def _keep(self, epoch: Epoch, stepper: Stepper) -> None:
        self._state.done += 1
        self._state.curve.append(asdict(epoch))
        self._tell(epoch)
        if self.checkpoint is not None:
            self._state.weights = _weights(self._network)
            self._state.mean = _weights(self._mean)
            self._state.stepper = stepper.arrays()
            self._state.save(self.checkpoint, self._key())


_LARGEST_GRADIENT = 1.0
_RISE = 0.05
"""The share of all steps in which the learning rate rises."""
_SLOWEST = 0.998
"""The share of the moving average that a step keeps, in the end."""


class Stepper:
    """The optimizer: updates the weights; the learning rate rises to its highest, then falls to
    zero."""

    def __init__(self, network: nn.Module, steps: int, rate: float, decay: float) -> None:
        self._network, self._steps, self._rate = network, steps, rate
        self._optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=decay)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda step: _share(step, steps)
        )

    @property
    def done(self) -> int:
        """The number of steps so far."""
        return self._schedule.last_epoch

    def step(self, loss: Tensor) -> None:
        """Updates the weights by the gradient of the loss."""
        self._optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self._network.parameters(), _LARGEST_GRADIENT)
        self._optimizer.step()
        self._schedule.step()

    def arrays(self) -> Arrays:
        """The state for a checkpoint: the number of steps, and the optimizer's moments."""
        found: Arrays = {"steps": np.array(self.done)}
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


@torch.no_grad()
def _average(mean: nn.Module, network: nn.Module, step: int) -> None:
    """Moves the mean weights towards the network's."""
    kept = min(_SLOWEST, (1 + step) / (10 + step))
    torch._foreach_lerp_(list(mean.parameters()), list(network.parameters()), 1 - kept)


def _slope(log_odds: Numbers, labels: NDArray[np.float32]) -> float:
    """The factor of the log-odds with the lowest cross entropy: temperature scaling.

    Source: Guo et al. 2017.
    """
    tried = np.geomspace(0.2, 2.0, 60)
    side = np.where(labels > 0.5, 1, -1) * log_odds
    losses = [np.logaddexp(0, -slope * side).mean() for slope in tried]
    return float(tried[int(np.argmin(losses))])


_SEPARATOR = "/"


@dataclass(slots=True)
class Checkpoint:
    """The state of a training after an epoch."""

    done: int = 0
    """Finished epochs."""
    curve: list[dict[str, Any]] = field(default_factory=list)
    weights: Arrays = field(default_factory=dict)
    mean: Arrays = field(default_factory=dict)
    """The moving average of the weights."""
    stepper: Arrays = field(default_factory=dict)
    best: Arrays = field(default_factory=dict)
    """The mean weights of the best epoch so far; empty before the first."""

    def save(self, path: Path, fingerprint: str) -> None:
        """Writes the checkpoint's file, replacing the old one.

        Raises:
            InputError: SJ020: it cannot be written.
        """
        parts = {
            "weights": self.weights,
            "mean": self.mean,
            "stepper": self.stepper,
            "best": self.best,
        }
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


@contextmanager
def _threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _device(name: str) -> torch.device:
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:
        said = str(error).partition("\n")[0]
        raise InputError("SJ034", f"there is no device {name!r} here: {said}.") from None


def _weights(network: GraphMatchingNetwork) -> Arrays:
    return {name: weight.cpu().numpy().copy() for name, weight in network.state_dict().items()}


def _set_weights(network: GraphMatchingNetwork, weights: Arrays) -> None:
    network.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})
