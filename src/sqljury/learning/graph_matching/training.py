"""Training on labelled pairs; validation pairs of other databases decide the epoch and threshold.

The same data, options and seed give the same network on the same machine with one thread; several
threads, or a GPU, add numbers in a varying order. After each epoch a checkpoint is written.

Source: Zhan et al. 2024, sections 4 and 5; Li et al. 2019.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sqljury.errors import InputError
from sqljury.learning.calibration import area_under_curve
from sqljury.learning.graph_matching.graphs import Encoded, EncodedPair, Vocabulary
from sqljury.learning.graph_matching.matcher import (
    Matcher,
    best_threshold,
    distances_of,
    new_network,
    score_of,
)
from sqljury.learning.graph_matching.network import (
    GraphMatchingNetwork,
    distances,
    make_batch,
    shuffled_batches,
)
from sqljury.learning.graph_matching.options import NetworkOptions, TrainingOptions
from sqljury.learning.graph_matching.pretraining import (
    Arrays,
    Checkpoint,
    Stepper,
    batches_of,
    contrast,
    load_checkpoint,
    margin_loss,
)


@dataclass(frozen=True, slots=True)
class Examples:
    """Labelled pairs. Pairs of equal graphs do not affect training: their distance is always 0."""

    pairs: Sequence[EncodedPair]
    labels: NDArray[np.bool_]
    """True for equivalent queries."""

    def graphs(self) -> list[Encoded]:
        """All graphs of the pairs, each once."""
        sides = (graph for pair in self.pairs for graph in (pair.left, pair.right))
        return list({id(graph): graph for graph in sides}.values())


@dataclass(frozen=True, slots=True)
class Epoch:
    """The results of one epoch."""

    phase: str
    """``pretraining`` or ``training``."""
    number: int
    """Its number in the phase, from 1."""
    loss: float
    auc: float | None = None
    """Area under the ROC curve on the validation pairs; None in pre-training."""
    accuracy: float | None = None
    """Accuracy on the validation pairs at their best threshold; None in pre-training."""


@dataclass(slots=True)
class Trainer:
    """One training; :meth:`run` continues from a checkpoint if there is one.

    Args:
        training: pairs to learn from.
        validation: pairs of other databases.
        texts: the texts of the content nodes, by number.
        vocabulary: the vocabulary that the graphs were encoded with.
        network_options: the shape of the network.
        options: the settings of the training.
        fingerprint: identifies the data; a checkpoint of other data or options is ignored.
        checkpoint: the checkpoint's file; None writes none.
        report: called with each epoch, also with those of a checkpoint.
        other_view: the validation pairs in another form; the threshold is then chosen for the mean
            of both scores.
    """

    training: Examples
    validation: Examples
    texts: Sequence[str]
    vocabulary: Vocabulary
    network_options: NetworkOptions
    options: TrainingOptions
    fingerprint: str = ""
    checkpoint: Path | None = None
    report: Callable[[Epoch], None] | None = None
    other_view: Sequence[EncodedPair] = ()
    _network: GraphMatchingNetwork = field(init=False, repr=False)
    _state: Checkpoint = field(init=False, repr=False)

    def run(self, notes: Mapping[str, Any]) -> tuple[Matcher, list[Epoch]]:
        """The network of the best epoch with its threshold, and all epochs.

        Raises:
            InputError: SJ021: a part of the data lacks a label; SJ034: no such device here.
        """
        for name, part in (("training", self.training), ("validation", self.validation)):
            if len(set(part.labels.tolist())) < 2:
                raise InputError("SJ021", f"the {name} pairs do not have both labels.")
        with _threads(self.options.threads):
            self._begin()
            for epoch in self._state.curve:
                self._tell(Epoch(**epoch))
            self._pretrain()
            self._train()
            _set_weights(self._network.to("cpu"), self._state.best)
            return self._matcher(notes), [Epoch(**epoch) for epoch in self._state.curve]

    def _matcher(self, notes: Mapping[str, Any]) -> Matcher:
        """The network with its threshold, and its measures on the validation pairs in the notes."""
        scores = score_of(-self._scores())
        if self.other_view:
            other = distances_of(self._network, self.other_view, self.texts)
            scores = (scores + score_of(other)) / 2
        labels = self.validation.labels
        threshold, accuracy = best_threshold(scores, labels)
        validated = {
            "auc": area_under_curve(scores, labels),
            "accuracy": accuracy,
            "pairs": len(labels),
        }
        said = {**notes, "validated": validated}
        return Matcher(self._network, self.vocabulary, threshold, said)

    def _begin(self) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.options.seed)
            self._network = new_network(self.network_options, self.vocabulary)
        self._state = Checkpoint()
        if self.checkpoint is not None:
            self._state = load_checkpoint(self.checkpoint, self._key())
        if self._state.weights:
            _set_weights(self._network, self._state.weights)
        self._network.to(_device(self.options.device))

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

    def _pretrain(self) -> None:
        options = self.options.pretraining
        if self._state.done >= options.epochs:
            return
        graphs = self.training.graphs()
        generator = np.random.default_rng((self.options.seed, 0))
        chosen = generator.permutation(len(graphs))[: options.graphs]
        graphs = [graphs[i] for i in sorted(chosen.tolist())]
        steps = batches_of(graphs, options) * options.epochs
        stepper = Stepper(self._network, steps, options.rate)
        self._go_on(stepper)
        for number in range(self._state.done, options.epochs):
            seed = (self.options.seed, 1, number)
            self._network.train()
            loss = contrast(self._network, graphs, self.texts, options, stepper, seed)
            self._keep(Epoch("pretraining", number + 1, loss), stepper)

    def _train(self) -> None:
        before = self.options.pretraining.epochs
        per_epoch = len(shuffled_batches(self.training.pairs, self.options.batch, _order(0, 0)))
        stepper = Stepper(
            self._network, per_epoch * self.options.epochs, self.options.rate, self.options.decay
        )
        if self._state.done > before:
            self._go_on(stepper)
        for number in range(self._state.done - before, self.options.epochs):
            loss = self._epoch(number, stepper)
            scores = self._scores()
            _, accuracy = best_threshold(scores, self.validation.labels)
            found = area_under_curve(scores, self.validation.labels)
            best = max((e["auc"] for e in self._state.curve if e["auc"] is not None), default=-1)
            if found > best:
                self._state.best = _weights(self._network)
            self._keep(Epoch("training", number + 1, loss, found, accuracy), stepper)

    def _epoch(self, number: int, stepper: Stepper) -> float:
        """Trains on all pairs once; returns the mean loss."""
        pairs, labels = self.training.pairs, self.training.labels
        self._network.train()
        losses = []
        generator = _order(self.options.seed, number)
        for places in shuffled_batches(pairs, self.options.batch, generator):
            batch = make_batch([pairs[place] for place in places], self.texts)
            found = distances(self._network(batch))
            wanted = torch.from_numpy(labels[places].astype(np.float32)).to(found.device)
            loss = margin_loss(found, wanted, self.options.margin)
            losses.append(stepper.step(loss))
        return float(np.mean(losses))

    def _scores(self) -> NDArray[np.float64]:
        """Minus the distances of the validation pairs; unlike scores they are not cut off at 0."""
        self._network.eval()
        return -distances_of(self._network, self.validation.pairs, self.texts)

    def _go_on(self, stepper: Stepper) -> None:
        if self._state.stepper:
            stepper.load_arrays(self._state.stepper)

    def _tell(self, epoch: Epoch) -> None:
        if self.report is not None:
            self.report(epoch)

    def _keep(self, epoch: Epoch, stepper: Stepper) -> None:
        self._state.done += 1
        self._state.curve.append(asdict(epoch))
        self._tell(epoch)
        if self.checkpoint is not None:
            self._state.weights = _weights(self._network)
            last = epoch.phase == "pretraining" and epoch.number == self.options.pretraining.epochs
            # Training begins with a new stepper.
            self._state.stepper = {} if last else stepper.arrays()
            self._state.save(self.checkpoint, self._key())


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


def _order(seed: int, epoch: int) -> np.random.Generator:
    return np.random.default_rng((seed, 2, epoch))


def _weights(network: GraphMatchingNetwork) -> Arrays:
    return {name: weight.cpu().numpy().copy() for name, weight in network.state_dict().items()}


def _set_weights(network: GraphMatchingNetwork, weights: Arrays) -> None:
    network.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})
