"""Training: it separates, it goes on where it was stopped, and the seed decides everything else."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from graphs_by_chance import OPERATORS, TYPES, Pair, chance_graph, renamed, shuffled
from hypothesis import given
from hypothesis import strategies as st

from needs import needs
from sqljury.errors import InputError
from sqljury.learning.calibration import area_under_curve
from sqljury.learning.graph_matching.graphs import Vocabulary
from sqljury.learning.graph_matching.matcher import best_threshold, encode
from sqljury.learning.graph_matching.options import NetworkOptions, TrainingOptions

if TYPE_CHECKING:
    from sqljury.learning.graph_matching.training import Epoch, Trainer

pytestmark = needs("torch")

VOCABULARY = Vocabulary(OPERATORS, TYPES[1:])
NETWORK = NetworkOptions(hidden=16, steps=2, channels=8, blocks=1)
OPTIONS = TrainingOptions(epochs=3, batch=16, rate=5e-3)


def toy_pairs(seed: int, count: int) -> tuple[list[Pair], np.ndarray]:
    """A graph and itself in another order with one more edge of no meaning; or with a label
    changed. The network has to learn which difference counts."""
    chance = random.Random(seed)
    pairs, labels = [], []
    for number in range(count):
        graph = chance_graph(chance, chance.randint(4, 8))
        other, to = shuffled(graph, chance)
        yes = number % 2 == 0
        if yes:
            other = replace(other, edges=(*other.edges, (to[0], to[-1], 1)))
        else:
            place = to[graph.computing.index(False)] if False in graph.computing else 0
            other = renamed(other, place, "somewhere.else")
        pairs.append(Pair(graph, other, ((0, to[0]),)))
        labels.append(yes)
    return pairs, np.array(labels)


def trainer(seed: int = 0, checkpoint: Path | None = None, **options: object) -> Trainer:
    from sqljury.learning.graph_matching.network import packed
    from sqljury.learning.graph_matching.training import Examples, Trainer

    training, labels = toy_pairs(1, 160)
    validation, others = toy_pairs(2, 60)
    places = np.arange(220)[:, None]
    return Trainer(
        packed(*encode(training + validation, VOCABULARY)),
        Examples(places[:160], labels),
        Examples(places[160:], others),
        VOCABULARY,
        NETWORK,
        replace(OPTIONS, seed=seed, **options),  # type: ignore[arg-type]
        "toy",
        checkpoint,
    )


def test_a_tiny_training_separates() -> None:
    matcher, epochs = trainer(epochs=8).run({"form": "toy"})
    assert [epoch.number for epoch in epochs] == list(range(1, 9))
    assert max(epoch.auc for epoch in epochs) > 0.95
    pairs, labels = toy_pairs(3, 60)
    scores = np.array(matcher.scores(pairs))
    assert area_under_curve(scores, labels) > 0.9
    assert ((scores >= matcher.threshold) == labels).mean() > 0.85
    assert matcher.notes["form"] == "toy"
    assert matcher.notes["validated"]["pairs"] == 60


def test_the_threshold_is_for_the_mean_of_both_views() -> None:
    one = trainer(epochs=1)
    places = one.validation.places
    # In the other view the pairs are turned around, and the first has equal graphs.
    other = np.concatenate([[[-1]], places[:0:-1]])
    one.validation = replace(one.validation, places=np.concatenate([places, other], axis=1))
    pairs, labels = toy_pairs(2, 60)
    same = Pair(pairs[0].left, pairs[0].left)
    matcher, _ = one.run({"form": "a", "views": ["a", "b"]})
    means = matcher.mean_scores(list(zip(pairs, [same, *pairs[:0:-1]], strict=True)))
    scores = matcher.scores(pairs)
    wanted = zip(scores, [1.0, *scores[:0:-1]], strict=True)
    assert means == pytest.approx([(a + b) / 2 for a, b in wanted])
    threshold, accuracy = best_threshold(np.array(means), labels)
    assert matcher.threshold == pytest.approx(threshold, abs=1e-5)
    assert matcher.notes["validated"]["accuracy"] == accuracy


class _StoppedError(Exception):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 2])
def test_it_goes_on_where_it_was_stopped(tmp_path: Path, after: int) -> None:
    """With the same weights in the end."""
    whole, curve = trainer().run({})
    path = tmp_path / "checkpoint.npz"
    stopped = trainer(checkpoint=path)
    seen: list[Epoch] = []

    def stop(epoch: Epoch) -> None:
        seen.append(epoch)
        if len(seen) > after:
            raise _StoppedError

    stopped.report = stop
    with pytest.raises(_StoppedError):
        stopped.run({})
    matcher, again = trainer(checkpoint=path).run({})
    assert again == curve
    assert seen[:after] == curve[:after]
    for name, weight in whole.network.state_dict().items():
        assert np.array_equal(weight.numpy(), matcher.network.state_dict()[name].numpy()), name


@pytest.mark.slow
def test_a_checkpoint_of_another_training_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.npz"
    trainer(epochs=1, checkpoint=path).run({})
    _, curve = trainer(seed=1, epochs=1, checkpoint=path).run({})
    assert curve == trainer(seed=1, epochs=1).run({})[1]


def test_other_threads_change_no_more_than_rounding() -> None:
    """The tolerance that docs/graph-match-model.md states, for the network and its validation."""
    (one, alone), (two, together) = (trainer(epochs=2, threads=n).run({}) for n in (1, 2))
    assert [epoch.loss for epoch in together] == pytest.approx(
        [epoch.loss for epoch in alone], rel=1e-3
    )
    pairs, _ = toy_pairs(3, 30)
    assert two.scores(pairs) == pytest.approx(one.scores(pairs), rel=1e-2, abs=1e-2)


def test_the_network_and_its_loss_are_on_one_device() -> None:
    """Where numbers of two devices meet torch fails; `meta` is a device that every machine has."""
    import torch

    from sqljury.learning.graph_matching.matcher import new_network
    from sqljury.learning.graph_matching.network import batch_of

    own = trainer()
    network = new_network(NETWORK, VOCABULARY).to("meta").train()
    batch = batch_of(own.data, torch.arange(4))
    texts = own.data.to(torch.device("meta"))
    named = {name: getattr(batch, name).to("meta") for name in batch.__slots__}
    read = network.encoder.texts(texts.characters, texts.facts)
    h = read.new_zeros(len(batch.texts), NETWORK.hidden)
    for layer in network.layers:
        ways = replace(batch, **named).ways.to(h.dtype)
        h, _ = layer(h, replace(batch, **{**named, "ways": ways}))
    torch.autograd.backward(network.readout(h, replace(batch, **named)).sum())
    grads = [weight.grad for weight in network.layers.parameters()]
    assert {grad.device.type for grad in grads if grad is not None} == {"meta"}


def test_a_device_that_is_not_here() -> None:
    with pytest.raises(InputError, match="SJ034 there is no device 'cuda:97' here"):
        trainer(device="cuda:97").run({})


def test_a_broken_checkpoint_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.npz"
    path.write_bytes(b"half a file")
    assert trainer(epochs=1, checkpoint=path).run({})[1] == trainer(epochs=1).run({})[1]


def test_both_labels_are_needed() -> None:
    one = trainer()
    one.validation = replace(one.validation, labels=np.zeros(60, dtype=bool))
    with pytest.raises(InputError, match="SJ021 the validation pairs"):
        one.run({})


# ---------------------------------------------------------------- validation


scored = st.lists(
    st.tuples(st.integers(0, 6).map(lambda n: n / 6), st.booleans()), min_size=2, max_size=40
).filter(lambda pairs: len({label for _, label in pairs}) == 2)


@given(pairs=scored)
def test_auc_as_scikit_learn(pairs: list[tuple[float, bool]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    scores, labels = (np.array(column) for column in zip(*pairs, strict=True))
    assert area_under_curve(scores, labels) == pytest.approx(metrics.roc_auc_score(labels, scores))


@given(pairs=scored)
def test_no_threshold_is_better(pairs: list[tuple[float, bool]]) -> None:
    scores, labels = (np.array(column) for column in zip(*pairs, strict=True))
    threshold, accuracy = best_threshold(scores, labels)
    assert ((scores >= threshold) == labels).mean() == pytest.approx(accuracy)
    tried = [((scores >= line) == labels).mean() for line in np.linspace(-0.1, 1.1, 85)]
    assert accuracy >= max(tried) - 1e-9
