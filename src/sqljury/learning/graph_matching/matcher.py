"""A trained network: computes scores and attention of pairs; reads its model file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sqljury.errors import InputError, MissingExtraError
from sqljury.learning.graph_matching.graphs import (
    Encoded,
    EncodedPair,
    GraphEncoder,
    PairGraphLike,
    QueryGraphLike,
    Vocabulary,
    relations_of,
)
from sqljury.learning.graph_matching.options import NetworkOptions
from sqljury.learning.model_file import PathLike, read_model, whole_model, write_model

if TYPE_CHECKING:
    from sqljury.learning.graph_matching.network import GraphMatchingNetwork, PackedPairs

VERSION = 2


@dataclass(frozen=True, slots=True)
class Matcher:
    """A trained network with its vocabulary and threshold.

    ``notes`` are facts about its training: the form of the graphs, the data, the options.
    """

    network: GraphMatchingNetwork
    vocabulary: Vocabulary
    threshold: float = 0.5
    """A pair counts as equivalent from this score on; chosen on validation pairs."""
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def views(self) -> tuple[str, ...]:
        """The forms of graphs in which a pair is scored; its score is their mean."""
        return tuple(self.notes.get("views", (self.notes["form"],)))

    @property
    def flows(self) -> bool:
        """True if graphs have edges of logic flow and data flow."""
        return bool(self.notes["flows"])

    def scores(self, pairs: Sequence[PairGraphLike]) -> list[float]:
        """For each pair the probability of equivalence in [0, 1]; 1 for equal graphs."""
        found = np.ones(len(pairs))
        # The same two graphs can occur in several views of a pair.
        wanted: dict[tuple[QueryGraphLike, QueryGraphLike], list[int]] = {}
        for place, pair in enumerate(pairs):
            if pair.left != pair.right:
                wanted.setdefault((pair.left, pair.right), []).append(place)
        if not wanted:
            return found.tolist()
        encoded, texts = encode([pairs[same[0]] for same in wanted.values()], self.vocabulary)
        log_odds = log_odds_of(self.network, _packed(encoded, texts))
        for same, value in zip(wanted.values(), log_odds, strict=True):
            found[same] = 1 / (1 + math.exp(-value))
        return found.tolist()

    def mean_scores(self, pairs: Sequence[Sequence[PairGraphLike]]) -> list[float]:
        """For each pair, given in each of :attr:`views`, the mean of the views' scores."""
        if not pairs:
            return []
        scores = self.scores([view for views in pairs for view in views])
        return [float(mean) for mean in np.reshape(scores, (len(pairs), -1)).mean(axis=1)]

    def in_double_precision(self) -> Matcher:
        """A copy in double precision.

        Results depend on the other pairs of a batch only from the tenth digit on; in single
        precision, from the sixth.
        """
        return replace(self, network=deepcopy(self.network).double())

    def attention(self, pair: PairGraphLike) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """For each step, the attention weights of left nodes on right nodes, and the reverse.

        Two matrices, left × right and right × left; each row sums to 1.
        """
        import torch

        from sqljury.learning.graph_matching.network import Attention, batch_of, read_all

        encoded, texts = encode([pair], self.vocabulary)
        data = _packed(encoded, texts)
        watched: list[Attention] = []
        with torch.inference_mode():
            read = read_all(self.network.encoder.texts, data)
            self.network(batch_of(data, torch.tensor([0])), read, watched)
        n, m = encoded[0].left.size, encoded[0].right.size
        return [
            (step.weights[0, :n, :m].numpy().copy(), step.weights[1, :m, :n].numpy().copy())
            for step in watched
        ]

    def save(self, path: PathLike) -> None:
        """Write a model file.

        Raises:
            InputError: SJ020: it cannot be written.
        """
        facts = {
            "version": VERSION,
            "kind": "graph matching",
            "options": self.network.options.to_json(),
            "operators": self.vocabulary.operators,
            "types": self.vocabulary.types,
            "threshold": self.threshold,
            "notes": dict(self.notes),
        }
        # Half precision halves the file and changes scores by less than a thousandth.
        arrays = {name: w.half().numpy() for name, w in self.network.state_dict().items()}
        write_model(path, facts, arrays)


def shipped_model() -> Path:
    """The model file of the network that comes with sqljury."""
    return Path(__file__).with_name("weights.npz")


def load_matcher(path: PathLike) -> Matcher:
    """Loads the network of a model file.

    Raises:
        InputError: SJ020: there is no such file; SJ030: it holds no graph network of this
            version; SJ031: it is damaged.
        MissingExtraError: torch is not installed.
    """
    facts, arrays = read_model(path)
    if facts.get("kind") != "graph matching" or facts.get("version") != VERSION:
        raise InputError(
            "SJ030",
            "not a graph network that this version can read: train it again.",
            where=str(path),
        )
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise InputError("SJ031", "some of its weights are NaN or infinite.", where=str(path))
    need_torch("Scoring with a graph network")
    import torch

    with whole_model(path):
        vocabulary = Vocabulary(tuple(facts["operators"]), tuple(facts["types"]))
        network = new_network(NetworkOptions(**facts["options"]), vocabulary)
        network.load_state_dict({name: torch.from_numpy(w).float() for name, w in arrays.items()})
        threshold, notes = float(facts["threshold"]), dict(facts["notes"])
    return Matcher(network, vocabulary, threshold, notes)


def need_torch(purpose: str) -> None:
    """Checks that torch is installed, before anything imports it.

    Raises:
        MissingExtraError: torch is not installed.
    """
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise MissingExtraError("torch", "torch", purpose)


def new_network(options: NetworkOptions, vocabulary: Vocabulary) -> GraphMatchingNetwork:
    """A new network for this vocabulary; torch's seed determines its random weights."""
    from sqljury.learning.graph_matching.network import GraphMatchingNetwork

    return GraphMatchingNetwork(options, len(vocabulary.operators), len(vocabulary.types)).eval()


def encode(
    pairs: Sequence[PairGraphLike], vocabulary: Vocabulary
) -> tuple[list[EncodedPair], list[str]]:
    """The encoded pairs, and all texts by number. Each graph is encoded once."""
    encoder = GraphEncoder(vocabulary)
    known: dict[int, Encoded] = {}

    def encoded(graph: QueryGraphLike) -> Encoded:
        if id(graph) not in known:
            known[id(graph)] = encoder(graph)
        return known[id(graph)]

    found = []
    for pair in pairs:
        left, right = encoded(pair.left), encoded(pair.right)
        joins = np.array(pair.joins, dtype=np.int32).reshape(-1, 2)
        found.append(EncodedPair(left, right, relations_of(left, right, joins)))
    return found, list(encoder.texts)


def _packed(pairs: Sequence[EncodedPair], texts: Sequence[str]) -> PackedPairs:
    from sqljury.learning.graph_matching.network import packed

    return packed(pairs, texts)


def log_odds_of(
    network: GraphMatchingNetwork, data: PackedPairs, places: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """The log-odds of pairs of the data (all by default), in batches of pairs of similar size."""
    import torch

    from sqljury.learning.graph_matching.network import batch_of, batches_by_size, read_all

    if places is None:
        places = np.arange(len(data))
    found = np.zeros(len(places))
    with torch.inference_mode():
        read = read_all(network.encoder.texts, data)
        for chosen in batches_by_size(data.sizes()[places]):
            rows = torch.from_numpy(places[chosen]).to(data.nodes.device)
            found[chosen] = network(batch_of(data, rows), read).cpu().numpy()
    return found


def best_threshold(scores: NDArray[np.float64], labels: NDArray[np.bool_]) -> tuple[float, float]:
    """The threshold with the highest accuracy, and that accuracy.

    Thresholds are midpoints between neighbouring scores; of equally good ones, the one nearest to a
    half is chosen.
    """
    order = np.argsort(-scores, kind="stable")
    ranked, right = scores[order], labels[order]
    # Right answers if the first k count as equivalent: true ones among them, false ones after them.
    gained = np.where(right, 1, -1)
    hits = (~right).sum() + np.concatenate([[0], np.cumsum(gained)])
    highest, lowest = ranked[0] + 1e-6, ranked[-1] - 1e-6
    lines = np.concatenate([[highest], (ranked[1:] + ranked[:-1]) / 2, [lowest]])
    # A threshold cannot separate equal scores.
    possible = np.concatenate([[True], ranked[1:] != ranked[:-1], [True]])
    best = hits[possible].max()
    chosen = lines[possible & (hits == best)]
    return float(chosen[np.abs(chosen - 0.5).argmin()]), float(best / len(labels))
