"""The network's promises: equal queries score 1, order and company do not count."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graphs_by_chance import (
    OPERATORS,
    TYPES,
    Graph,
    Pair,
    chance_graph,
    chance_pair,
    chances,
    renamed,
    shuffled,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from needs import needs
from sqljury.errors import InputError
from sqljury.learning.graph_matching.graphs import RELATIONS, Vocabulary
from sqljury.learning.graph_matching.matcher import Matcher, encode, load_matcher, new_network
from sqljury.learning.graph_matching.options import NetworkOptions
from sqljury.learning.model_file import write_model

pytestmark = needs("torch")

VOCABULARY = Vocabulary(OPERATORS, TYPES[1:])
SMALL: dict[str, Any] = {"hidden": 16, "steps": 2, "channels": 8, "blocks": 1}


def matcher(relations: bool = True) -> Matcher:
    import torch

    torch.manual_seed(0)
    options = NetworkOptions(relations=relations, **SMALL)
    return Matcher(new_network(options, VOCABULARY), VOCABULARY)


BARE = NetworkOptions(types=False, attention=False, relations=False, **SMALL)
known_matcher = cache(matcher)
any_matcher = pytest.mark.parametrize("relations", [False, True])


@given(chance=chances)
@settings(max_examples=20)
def test_a_query_and_itself(chance: random.Random) -> None:
    graph = chance_graph(chance, chance.randint(1, 15))
    pair = Pair(graph, graph, tuple((i, i) for i in range(len(graph.labels))))
    assert known_matcher().scores([pair, pair]) == [1, 1]


@any_matcher
@given(chance=chances)
@settings(max_examples=20)
def test_symmetric(relations: bool, chance: random.Random) -> None:
    pair = chance_pair(chance)
    turned = Pair(pair.right, pair.left, tuple((b, a) for a, b in pair.joins))
    one, other = known_matcher(relations).scores([pair, turned])
    assert one == pytest.approx(other, abs=1e-5)


@any_matcher
@given(chance=chances)
@settings(max_examples=20)
def test_the_order_of_nodes_does_not_count(relations: bool, chance: random.Random) -> None:
    pair = chance_pair(chance)
    left, to_left = shuffled(pair.left, chance)
    right, to_right = shuffled(pair.right, chance)
    other = Pair(left, right, tuple((to_left[a], to_right[b]) for a, b in pair.joins))
    found = known_matcher(relations).scores([pair, other])
    assert found[0] == pytest.approx(found[1], abs=1e-5)


@any_matcher
@given(chance=chances, count=st.integers(2, 8))
@settings(max_examples=10)
def test_company_does_not_count(relations: bool, chance: random.Random, count: int) -> None:
    """Neither other pairs of a batch nor the padding that they bring."""
    pairs = [chance_pair(chance, chance.choice((3, 30))) for _ in range(count)]
    alone = [known_matcher(relations).scores([pair])[0] for pair in pairs]
    assert known_matcher(relations).scores(pairs) == pytest.approx(alone, abs=1e-5)


def test_what_differs_is_seen() -> None:
    """A label, a type, an edge's kind and direction, a join (where positions are merged)."""
    chance = random.Random(1)
    graph = chance_graph(chance, 10)
    content = graph.computing.index(False)
    a, b, _ = graph.edges[4]
    others = [
        renamed(graph, content, "pets.ages"),
        renamed(graph, 0, "project"),
        renamed(graph, 0, "an operator that nobody knows"),
        Graph(graph.labels, graph.computing, ("",) * 10, graph.edges),
        Graph(graph.labels, graph.computing, graph.types, (*graph.edges, (a, b, 1))),
        Graph(graph.labels, graph.computing, graph.types, (*graph.edges, (b, a, 1))),
    ]
    found = known_matcher().scores([Pair(graph, other) for other in others])
    assert len({round(score, 6) for score in found}) == len(found)
    joined = Pair(graph, others[0], ((0, 0), (3, 4)))
    (far,) = known_matcher().scores([joined])
    assert far != pytest.approx(found[0], abs=1e-6)
    (near,) = known_matcher(False).scores([joined])
    assert [near] == pytest.approx(known_matcher(False).scores([Pair(graph, others[0])]))


def test_what_is_left_out_does_not_count() -> None:
    """Without types and relations, types change no score; without attention its weights do not."""
    import torch

    pair = chance_pair(random.Random(5))
    bare = Pair(replace(pair.left, types=("",) * len(pair.left.types)), pair.right, pair.joins)
    for options, same in ((NetworkOptions(**SMALL), False), (BARE, True)):
        torch.manual_seed(0)
        network = new_network(options, VOCABULARY)
        found = Matcher(network, VOCABULARY).scores([pair, bare])
        with torch.no_grad():
            for layer in network.layers:
                layer.mix.weight.zero_()
        found += Matcher(network, VOCABULARY).scores([pair])
        assert [found[0] == pytest.approx(other, abs=1e-6) for other in found[1:]] == [same] * 2


@given(chance=chances)
@settings(max_examples=10)
def test_attention_adds_up_to_one(chance: random.Random) -> None:
    pair = chance_pair(chance)
    steps = known_matcher().attention(pair)
    assert len(steps) == SMALL["steps"]
    for left, right in steps:
        assert left.shape == (len(pair.left.labels), len(pair.right.labels)) == right.shape[::-1]
        assert np.allclose(left.sum(axis=1), 1, atol=1e-5)
        assert np.allclose(right.sum(axis=1), 1, atol=1e-5)


@given(chance=chances)
@settings(max_examples=10)
def test_gradients_are_finite(chance: random.Random) -> None:
    import torch

    from sqljury.learning.graph_matching.network import packed

    torch.manual_seed(3)
    network = new_network(NetworkOptions(**SMALL), VOCABULARY).train()
    graph = chance_graph(chance, 6)
    pairs = [chance_pair(chance), Pair(graph, graph)]
    data = packed(*encode(pairs, VOCABULARY))
    torch.autograd.backward(network.of_pairs(data, torch.tensor([0, 1])).sum())
    gradients = [p.grad for p in network.parameters() if p.grad is not None]
    assert gradients
    assert all(bool(torch.isfinite(gradient).all()) for gradient in gradients)


@given(chance=chances)
@settings(max_examples=10)
def test_training_and_scoring_compute_the_same(chance: random.Random) -> None:
    import torch

    from sqljury.learning.graph_matching.matcher import log_odds_of
    from sqljury.learning.graph_matching.network import packed

    data = packed(*encode([chance_pair(chance) for _ in range(5)], VOCABULARY))
    network = known_matcher().network
    with torch.inference_mode():
        found = network.of_pairs(data, torch.arange(5)).numpy()
    assert found == pytest.approx(log_odds_of(network, data), abs=1e-5)


# ---------------------------------------------------------------- relations


LABELS = ("query", "filter", ">", "pets.age", "3", "project")
EDGES = ((0, 1, 0), (1, 2, 0), (2, 3, 0), (2, 4, 0), (0, 5, 0), (1, 5, 1), (5, 3, 2))


def relations(left: Graph, right: Graph, *joins: tuple[int, int]) -> np.ndarray:
    (found,) = encode([Pair(left, right, ((0, 0), *joins))], VOCABULARY)[0]
    assert found.relations.shape == (12, RELATIONS)
    return found.relations


def test_what_both_queries_have() -> None:
    left = Graph(LABELS, (True, True, True, False, False, True), ("",) * 6, EDGES)
    found = relations(left, renamed(left, 1, "project"), (2, 2))
    assert found[:, 0].tolist() == [0, 0, 1, 1, 1, 0] * 2
    # The filter occurs more often on the left, projections on the right.
    assert found[:, 1].tolist() == [0, 0.5, 0, 0, 0, -0.5, 0, 0.5, 0, 0, 0, 0.5]
    assert found[:6, 2].tolist() == [1, 0, 1, 1, 1, 1]
    # From the constant, the filter is two edges away.
    assert found[4, 2:6].tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("text", "other", "said"),
    [
        ("3", "5", (1, 1 / (1 + np.log(3)), -1, np.log(3) / 5, 0, 0)),
        ("3", "3.0", (1, 1, 0, 0, 0, 0)),
        ("Ann", "ann", (1, 1, 0, 0, 1, 1)),
        ("Anna", "Anton", (1, 0.4, 0, 0, 0, 0)),
        ("3", "3", (0, 0, 0, 0, 0, 0)),
    ],
)
def test_constants_are_compared(text: str, other: str, said: tuple[float, ...]) -> None:
    left = Graph(LABELS, (True, True, True, False, False, True), ("",) * 6, EDGES)
    found = relations(renamed(left, 4, text), renamed(left, 4, other))
    assert found[4, 6:] == pytest.approx(said)
    turned = [-number if place == 2 else number for place, number in enumerate(said)]
    assert found[10, 6:] == pytest.approx(turned)
    assert not found[[0, 1, 2, 3, 5], 6:].any()


def test_codes_of_nearly_the_same_texts_are_as_far_apart_as_any() -> None:
    from sqljury.learning.graph_matching.network import CODE, facts_of

    found = facts_of(["Smith", "Smithx", "smith", "a", "东京", ""])[:, :CODE].astype(float)
    assert set(np.unique(found)) == {-1.0, 1.0}
    same = found @ found.T
    np.fill_diagonal(same, 0)
    assert np.abs(same).max() < CODE / 2
    assert np.array_equal(found[:1], facts_of(["Smith"])[:, :CODE])


def test_facts_of_words_and_numbers() -> None:
    from sqljury.learning.graph_matching.network import CODE, facts_of

    one, two, number, text = facts_of(["pet.Name", "name_pet", "-1000", "x1"])
    assert np.array_equal(one[CODE:], two[CODE:])
    assert number[2 * CODE : 2 * CODE + 4] == pytest.approx([1, -1, np.log(1001) / 5, 1], abs=1e-3)
    assert not text[2 * CODE :].any()


# ---------------------------------------------------------------- numbers and files


def test_batches_by_size_hold_every_pair_once() -> None:
    from sqljury.learning.graph_matching.network import batches_by_size

    sizes = np.random.default_rng(5).integers(2, 40, 300)
    places = [place for batch in batches_by_size(sizes) for place in batch]
    assert sorted(places) == list(range(300))


def test_the_same_after_saving(tmp_path: Path) -> None:
    chance = random.Random(7)
    pairs = [chance_pair(chance) for _ in range(20)]
    path = tmp_path / "model.npz"
    before = Matcher(known_matcher().network, VOCABULARY, 0.625, {"form": "canonical"})
    before.save(path)
    after = load_matcher(path)
    # Weights are kept in half precision.
    assert after.scores(pairs) == pytest.approx(before.scores(pairs), abs=1e-2)
    after.save(path)
    assert load_matcher(path).scores(pairs) == after.scores(pairs)
    assert (after.threshold, after.notes, after.vocabulary) == (
        0.625,
        {"form": "canonical"},
        VOCABULARY,
    )


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "not a graph network"),
        ({"kind": "graph matching", "version": 1}, "not a graph network"),
        ({"kind": "graph matching", "version": 2}, "not whole"),
        (
            {
                "kind": "graph matching",
                "version": 2,
                "operators": [],
                "types": [],
                "options": {"hidden": 8},
                "threshold": 0.5,
                "notes": {},
            },
            "not whole",
        ),
    ],
)
def test_other_files_are_refused(tmp_path: Path, facts: dict[str, object], said: str) -> None:
    path = tmp_path / "model.npz"
    write_model(path, facts, {"a": np.zeros(3)})
    with pytest.raises(InputError, match=f"SJ03[01] .*{said}"):
        load_matcher(path)


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    import torch

    broken = matcher()
    with torch.no_grad():
        broken.network.readout.gate.bias[0] = float("nan")
    broken.save(tmp_path / "model.npz")
    with pytest.raises(InputError, match=r"SJ031 .*NaN"):
        load_matcher(tmp_path / "model.npz")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="SJ020"):
        load_matcher(tmp_path / "no.npz")
