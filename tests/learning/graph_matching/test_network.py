"""The network's promises: equal queries are at distance 0, order and company do not count."""

from __future__ import annotations

import random
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
from sqljury.learning.graph_matching.graphs import Vocabulary, walk_positions
from sqljury.learning.graph_matching.matcher import Matcher, encode, load_matcher, new_network
from sqljury.learning.graph_matching.options import NetworkOptions
from sqljury.learning.model_file import write_model

pytestmark = needs("torch")

VOCABULARY = Vocabulary(OPERATORS, TYPES[1:])
SMALL: dict[str, Any] = {"hidden": 16, "steps": 2, "blocks": 1, "walk": 6}


def matcher(kind: str = "merged") -> Matcher:
    """One by its positions, or ``matched``: merged ones that also say what both sides have."""
    import torch

    torch.manual_seed(0)
    matched = kind == "matched"
    options = NetworkOptions(positions="merged" if matched else kind, matched=matched, **SMALL)
    return Matcher(new_network(options, VOCABULARY), VOCABULARY)


known_matcher = cache(matcher)
any_matcher = pytest.mark.parametrize("kind", ["none", "separate", "merged", "matched"])


@any_matcher
@given(chance=chances)
@settings(max_examples=20)
def test_a_query_and_itself(kind: str, chance: random.Random) -> None:
    graph = chance_graph(chance, chance.randint(1, 15))
    pair = Pair(graph, graph, tuple((i, i) for i in range(len(graph.labels))))
    assert known_matcher(kind).distances([pair]) == [pytest.approx(0, abs=1e-5)]
    assert known_matcher(kind).scores([pair]) == [pytest.approx(1, abs=1e-5)]


@any_matcher
@given(chance=chances)
@settings(max_examples=20)
def test_symmetric(kind: str, chance: random.Random) -> None:
    pair = chance_pair(chance)
    turned = Pair(pair.right, pair.left, tuple((b, a) for a, b in pair.joins))
    one, other = known_matcher(kind).distances([pair, turned])
    assert one == pytest.approx(other, abs=1e-5)


@any_matcher
@given(chance=chances)
@settings(max_examples=20)
def test_the_order_of_nodes_does_not_count(kind: str, chance: random.Random) -> None:
    pair = chance_pair(chance)
    left, to_left = shuffled(pair.left, chance)
    right, to_right = shuffled(pair.right, chance)
    other = Pair(left, right, tuple((to_left[a], to_right[b]) for a, b in pair.joins))
    found = known_matcher(kind).distances([pair, other])
    assert found[0] == pytest.approx(found[1], abs=1e-5)


@any_matcher
@given(chance=chances, count=st.integers(2, 8))
@settings(max_examples=10)
def test_company_does_not_count(kind: str, chance: random.Random, count: int) -> None:
    """Neither other pairs of a batch nor the padding that they bring."""
    pairs = [chance_pair(chance, chance.choice((3, 30))) for _ in range(count)]
    alone = [known_matcher(kind).distances([pair])[0] for pair in pairs]
    assert known_matcher(kind).distances(pairs) == pytest.approx(alone, abs=1e-5)


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
    found = known_matcher("merged").distances([Pair(graph, other) for other in others])
    assert min(found) > 1e-4
    assert len({round(distance, 6) for distance in found}) == len(found)
    joined = Pair(graph, others[0], ((0, 0), (3, 4)))
    (far,) = known_matcher("merged").distances([joined])
    assert far != pytest.approx(found[0], abs=1e-6)
    assert known_matcher("separate").distances([joined]) == pytest.approx(
        known_matcher("separate").distances([Pair(graph, others[0])])
    )


@given(chance=chances)
@settings(max_examples=10)
def test_attention_adds_up_to_one(chance: random.Random) -> None:
    pair = chance_pair(chance)
    steps = known_matcher("merged").attention(pair)
    assert len(steps) == SMALL["steps"]
    for left, right in steps:
        assert left.shape == (len(pair.left.labels), len(pair.right.labels)) == right.shape[::-1]
        assert np.allclose(left.sum(axis=1), 1, atol=1e-5)
        assert np.allclose(right.sum(axis=1), 1, atol=1e-5)


@given(chance=chances)
@settings(max_examples=10)
def test_gradients_are_finite(chance: random.Random) -> None:
    """Also where the distance is 0, at which a root has no slope."""
    import torch

    from sqljury.learning.graph_matching.network import distances, make_batch
    from sqljury.learning.graph_matching.pretraining import margin_loss

    torch.manual_seed(3)
    options = NetworkOptions(**SMALL)
    network = new_network(options, VOCABULARY).train()
    graph = chance_graph(chance, 6)
    pairs = [chance_pair(chance), Pair(graph, graph)]
    encoded, texts = encode(pairs, VOCABULARY, options)
    found = distances(network(make_batch(encoded, texts)))
    margin_loss(found, torch.tensor([0.0, 1.0]), 1.0).backward()
    gradients = [p.grad for p in network.parameters() if p.grad is not None]
    assert gradients
    assert all(bool(torch.isfinite(gradient).all()) for gradient in gradients)


# ---------------------------------------------------------------- losses


def test_margin_loss() -> None:
    """By hand: γ = 1 asks for 0.5 of equivalent pairs, and for 2.5 of others."""
    import torch

    from sqljury.learning.graph_matching.pretraining import margin_loss

    found = torch.tensor([0.2, 1.0, 3.0, 2.0])
    labels = torch.tensor([1.0, 1.0, 0.0, 0.0])
    assert margin_loss(found, labels, 1.0).item() == pytest.approx((0 + 0.5 + 0 + 0.5) / 4)


@pytest.mark.parametrize("kind", ["infonce", "graphcl"])
def test_contrastive_loss(kind: Any) -> None:
    """Against the formulas written out: GraphCL's leaves the positive out below the line."""
    import torch

    from sqljury.learning.graph_matching.pretraining import contrastive_loss

    generator = np.random.default_rng(0)
    left, right = generator.normal(size=(2, 5, 8))
    unit = [x / np.linalg.norm(x, axis=1, keepdims=True) for x in (left, right)]
    alike = np.exp(unit[0] @ unit[1].T / 0.5)
    below = alike if kind == "infonce" else alike * (1 - np.eye(5))
    wanted = [
        -np.log(alike[i, i] / below[i].sum()) - np.log(alike[i, i] / below[:, i].sum())
        for i in range(5)
    ]
    found = contrastive_loss(torch.from_numpy(left), torch.from_numpy(right), 0.5, kind)
    assert found.item() == pytest.approx(np.mean(wanted) / 2)


# ---------------------------------------------------------------- positions


@given(seed=st.integers(0, 99), size=st.integers(1, 9), longest=st.integers(1, 9))
@settings(max_examples=30)
def test_positions_are_diagonals_of_powers(seed: int, size: int, longest: int) -> None:
    generator = np.random.default_rng(seed)
    upper = np.triu(generator.random((size, size)) < 0.4, 1).astype(np.float32)
    adjacency = upper + upper.T
    degrees = adjacency.sum(axis=0)
    step = np.divide(adjacency, degrees, out=np.zeros_like(adjacency), where=degrees > 0)
    powers = [np.linalg.matrix_power(step, k + 1).diagonal() for k in range(longest)]
    found = walk_positions(adjacency[None], longest)[0]
    assert np.allclose(found, np.stack(powers, axis=1), atol=1e-5)


def test_merged_positions_tell_joined_nodes() -> None:
    """A walk that can leave to the other query comes back less often."""
    graph = Graph(("query", "scan"), (True, True), ("", ""), ((0, 1, 0),))
    pair = Pair(graph, graph, ((0, 0),))
    separate, merged = (
        encode([pair], VOCABULARY, NetworkOptions(positions=kind, walk=2, matched=False))[0][0]
        for kind in ("separate", "merged")
    )
    assert separate.positions.tolist() == [[0, 1]] * 4
    assert merged.positions.tolist() == [[0, 0.75], [0, 0.5]] * 2


def test_positions_say_what_is_in_a_part_that_both_have() -> None:
    labels = ("query", "filter", ">", "pets.age", "3", "project")
    edges = ((0, 1, 0), (1, 2, 0), (2, 3, 0), (2, 4, 0), (0, 5, 0), (1, 5, 1))
    left = Graph(labels, (True, True, True, False, False, True), ("",) * 6, edges)
    right = renamed(left, 1, "project")
    pair = Pair(left, right, ((0, 0), (2, 2)))
    options = NetworkOptions(positions="none", matched=True)
    (found,) = encode([pair], VOCABULARY, options)[0]
    assert found.positions.T.tolist() == [[0, 0, 1, 1, 1, 0] * 2]


def test_codes_of_nearly_the_same_texts_are_as_far_apart_as_any() -> None:
    import torch

    from sqljury.learning.graph_matching.network import CODE, codes

    found = codes(["Smith", "Smithx", "smith", "a", "东京", ""])
    assert set(found.unique().tolist()) == {-1.0, 1.0}
    same = (found @ found.T).fill_diagonal_(0)
    assert same.abs().max() < CODE / 2
    assert torch.equal(found[:1], codes(["Smith"]))


# ---------------------------------------------------------------- numbers and files


def test_batches_by_size_hold_every_pair_once() -> None:
    from sqljury.learning.graph_matching.network import batches_by_size

    chance = random.Random(5)
    pairs, _ = encode([chance_pair(chance, 40) for _ in range(300)], VOCABULARY, NetworkOptions())
    places = [place for batch in batches_by_size(pairs) for place in batch]
    assert sorted(places) == list(range(300))


def test_the_same_after_saving(tmp_path: Path) -> None:
    chance = random.Random(7)
    pairs = [chance_pair(chance) for _ in range(20)]
    path = tmp_path / "model.npz"
    before = Matcher(known_matcher("matched").network, VOCABULARY, 0.625, {"form": "canonical"})
    before.save(path)
    after = load_matcher(path)
    assert after.scores(pairs) == before.scores(pairs)
    assert (after.threshold, after.notes, after.vocabulary) == (
        0.625,
        {"form": "canonical"},
        VOCABULARY,
    )


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "not a graph network"),
        ({"kind": "graph matching", "version": 0}, "not a graph network"),
        ({"kind": "graph matching", "version": 1}, "not whole"),
        (
            {
                "kind": "graph matching",
                "version": 1,
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
    with pytest.raises(InputError, match=r"SJ031 .*no numbers"):
        load_matcher(tmp_path / "model.npz")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="SJ020"):
        load_matcher(tmp_path / "no.npz")
