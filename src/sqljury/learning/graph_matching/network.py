"""The network in torch: computes how likely the two graphs of a pair are equivalent queries."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sqljury.learning.graph_matching.graphs import (
    EDGE_KINDS,
    RELATIONS,
    Encoded,
    EncodedPair,
    number_of,
)
from sqljury.learning.graph_matching.options import NetworkOptions

# ---------------------------------------------------------------- content
#
# Content nodes: names and literals are encoded by their characters.
#
# Texts with a similar meaning but another spelling (``kid``, ``child``) must remain different, so
# word vectors are not used.
#
# Source: Zhan et al. 2024, section 4.1 and appendix B; Kim 2014; He et al. 2016.


LONGEST = 64
"""Most bytes of a text that are read; of a longer text, the first 32 and the last 32."""
CODE = 64
"""Length of the code of a text."""
FACTS = 2 * CODE + 8
"""How many numbers describe a text beside its characters."""
_AT_ONCE = 256
_BYTES = 257
"""Number of input symbols: every byte, and 0 for padding."""


def characters(texts: Sequence[str]) -> NDArray[np.uint8]:
    """The texts' bytes, each plus one, padded with zeros; shape u × LONGEST for u texts.

    Byte 255, which is in no UTF-8 text, is not told from 254.
    """
    found = np.zeros((len(texts), LONGEST), dtype=np.uint8)
    for place, text in enumerate(texts):
        raw = text.encode("utf-8", "surrogatepass") or b"\0"
        if len(raw) > LONGEST:
            raw = raw[: LONGEST // 2] + raw[-LONGEST // 2 :]
        found[place, : len(raw)] = np.minimum(np.frombuffer(raw, dtype=np.uint8), 254) + 1
    return found


_TOKEN = re.compile(r"[a-z]+|[0-9]+|[^\W_]+")


def facts_of(texts: Sequence[str]) -> NDArray[np.float16]:
    """Per text, FACTS numbers: its code, the mean code of its words, its value as a number.

    A code is 64 signs, a hash. Texts with nearly the same characters get nearly the same encoding
    by these, but their codes differ as much as those of any two texts.
    """
    found = np.zeros((len(texts), FACTS), dtype=np.float16)
    words: dict[str, NDArray[np.float32]] = {}
    for row, text in zip(found, texts, strict=True):
        row[:CODE] = _code(text)
        tokens = _TOKEN.findall(text.casefold())[:8]
        for token in tokens:
            if token not in words:
                words[token] = _code(token)
            row[CODE : 2 * CODE] += words[token] / len(tokens)
        number = number_of(text)
        if number is not None:
            row[2 * CODE :] = _as_facts(number)
    return found


def _code(text: str) -> NDArray[np.float32]:
    raw = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=CODE // 8).digest()
    return np.unpackbits(np.frombuffer(raw, dtype=np.uint8)).astype(np.float32) * 2 - 1


def _as_facts(number: float) -> tuple[float, ...]:
    """That it is a number, sign, magnitude, whether whole, and where it is on four scales."""
    size = math.log1p(abs(number))
    return (
        1.0,
        float(np.sign(number)),
        size / 5,
        float(number == int(number)),
        math.sin(size),
        math.cos(size),
        math.sin(4 * size),
        math.cos(4 * size),
    )


class _ResidualBlock(nn.Module):
    """Two convolutions whose output is added to their input."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv1d(channels, channels, 3, padding=1)
        self.second = nn.Conv1d(channels, channels, 3, padding=1)
        # A block begins as the identity, because deep stacks train badly otherwise.
        with torch.no_grad():
            for parameter in self.second.parameters():
                parameter.zero_()

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """Returns u × channels × length; ``real`` (u × 1 × length) is 1 where there is text."""
        # Padding stays zero, so that it does not affect the result.
        inside = functional.relu(self.first(x)) * real
        return functional.relu(x + self.second(inside)) * real


class TextEncoder(nn.Module):
    """Encodes texts: bytes → convolution → max-pooling → residual blocks → mean and maximum.

    The paper has eight blocks on four lengths. Blocks on one length, half of the text's, are as
    good for the short names and literals of queries, and several times as fast. The encoding of
    :func:`facts_of` is added; that is sqljury's addition.
    """

    def __init__(self, hidden: int, channels: int, blocks: int, *, coded: bool) -> None:
        super().__init__()
        self.bytes = nn.Embedding(_BYTES, channels, padding_idx=0)
        self.enter = nn.Conv1d(channels, channels, 3, padding=1)
        self.blocks = nn.ModuleList(_ResidualBlock(channels) for _ in range(blocks))
        self.leave = nn.Linear(2 * channels, hidden)
        self.facts = nn.Linear(FACTS, hidden, bias=False) if coded else None

    def forward(self, texts: Tensor, facts: Tensor) -> Tensor:
        """Returns u × hidden from :func:`characters` and :func:`facts_of`."""
        texts = texts.long()
        real = (texts > 0).unsqueeze(1).to(self.bytes.weight.dtype)
        x = functional.relu(self.enter(self.bytes(texts).transpose(1, 2))) * real
        x = functional.max_pool1d(x, 2, ceil_mode=True)
        real = functional.max_pool1d(real, 2, ceil_mode=True)
        for block in self.blocks:
            x = block(x, real)
        mean = x.sum(dim=2) / real.sum(dim=2)
        # All values are at least zero, so padding never exceeds the maximum.
        found: Tensor = self.leave(torch.cat((mean, x.amax(dim=2)), dim=1))
        return found if self.facts is None else found + self.facts(facts.to(found.dtype))


def read_all(encoder: TextEncoder, data: PackedPairs) -> Tensor:
    """The vectors of all texts (u × hidden), computed in batches of similar length."""
    lengths = (data.characters > 0).sum(dim=1)
    order = lengths.argsort(stable=True)
    weight = encoder.leave.weight
    found = weight.new_zeros(len(order), encoder.leave.out_features)
    for start in range(0, len(order), _AT_ONCE):
        places = order[start : start + _AT_ONCE]
        length = int(lengths[places[-1]])
        found[places] = encoder(data.characters[places, :length], data.facts[places])
    return found


# ---------------------------------------------------------------- batch
#
# Pairs of graphs packed into a few arrays, from which batches are cut on any device: the nodes of
# all graphs one after the other, with the place where each graph begins.


_WAYS = 2 * EDGE_KINDS
"""Number of ways of a message: one per kind of edge and direction."""
_NODES = 1024
"""Most nodes in a batch when scoring, padding included."""


@dataclass(frozen=True, slots=True)
class PackedPairs:
    """Pairs of graphs in arrays: G graphs with N nodes and E edges, P pairs, u texts."""

    operators: Tensor
    """N: operator numbers."""
    texts: Tensor
    """N: text numbers from 0; -1 for operators."""
    types: Tensor
    """N: type numbers."""
    nodes: Tensor
    """G + 1: where the nodes of each graph begin."""
    ends: Tensor
    """E × 2: the nodes of each edge, counted within its graph."""
    kinds: Tensor
    """E: kinds of edges."""
    edges: Tensor
    """G + 1: where the edges of each graph begin."""
    sides: Tensor
    """P × 2: the graphs of each pair."""
    relations: Tensor
    """Per pair a row for each left node, then for each right node."""
    rows: Tensor
    """P + 1: where the rows of each pair begin."""
    characters: Tensor
    """u × LONGEST: :func:`characters`."""
    facts: Tensor
    """u × FACTS: :func:`facts_of`."""

    def to(self, device: torch.device) -> PackedPairs:
        """A copy whose tensors are on a device."""
        named = {one.name: getattr(self, one.name).to(device) for one in fields(self)}
        return replace(self, **named)

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self.sides)

    def sizes(self) -> NDArray[np.int64]:
        """The number of nodes of the larger graph of each pair."""
        of_graph = self.nodes.diff()
        found: NDArray[np.int64] = of_graph[self.sides.long()].amax(dim=1).cpu().numpy()
        return found


def packed(pairs: Sequence[EncodedPair], texts: Sequence[str]) -> PackedPairs:
    """The pairs in arrays; each graph once."""
    graphs: dict[int, Encoded] = {}
    for pair in pairs:
        graphs.setdefault(id(pair.left), pair.left)
        graphs.setdefault(id(pair.right), pair.right)
    places = {key: place for place, key in enumerate(graphs)}
    every = list(graphs.values())
    edges = np.concatenate([np.zeros((0, 3), np.int32), *(graph.edges for graph in every)])
    sides = [(places[id(pair.left)], places[id(pair.right)]) for pair in pairs]
    empty = np.zeros((0, RELATIONS), np.float32)
    arrays = {
        "operators": _joined(graph.operators for graph in every).astype(np.int16),
        "texts": _joined(graph.texts for graph in every),
        "types": _joined(graph.types for graph in every).astype(np.int8),
        "nodes": _starts(graph.size for graph in every),
        "ends": edges[:, :2].astype(np.int16),
        "kinds": edges[:, 2].astype(np.int8),
        "edges": _starts(len(graph.edges) for graph in every),
        "sides": np.array(sides, np.int32).reshape(-1, 2),
        "relations": np.concatenate([empty, *(p.relations for p in pairs)]).astype(np.float16),
        "rows": _starts(len(pair.relations) for pair in pairs),
        "characters": characters(texts),
        "facts": facts_of(texts),
    }
    return PackedPairs(**{name: torch.from_numpy(array) for name, array in arrays.items()})


def _joined(parts: Iterable[NDArray[np.int32]]) -> NDArray[np.int32]:
    return np.concatenate([np.zeros(0, np.int32), *parts])


def _starts(sizes: Iterable[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *sizes], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class GraphBatch:
    """b pairs of graphs with n nodes and e directed edges in all.

    Graphs 2i and 2i+1 are pair i.
    """

    operators: Tensor
    """Shape n: operator numbers."""
    texts: Tensor
    """Shape n: text numbers from 0; -1 for operators."""
    types: Tensor
    """Shape n: type numbers."""
    relations: Tensor
    """Shape n × RELATIONS."""
    sources: Tensor
    """Shape e: the node that a message comes from; each edge occurs in both directions."""
    targets: Tensor
    """Shape e: the node that a message goes to."""
    ways: Tensor
    """Shape e × 6: 1 at the edge's kind (0, 1, 2) or, against its direction, kind (3, 4, 5)."""
    graphs: Tensor
    """Shape n: the number of the node's graph."""
    slots: Tensor
    """Shape n: the node's index if every graph is padded to the same number of nodes."""
    real: Tensor
    """Shape 2b × width: True where the padded graph has a node."""


def batch_of(data: PackedPairs, places: Tensor) -> GraphBatch:
    """The batch of some pairs, on the device of the data."""
    graphs = data.sides[places].long().flatten()
    begins, sizes = data.nodes[graphs], data.nodes[graphs + 1] - data.nodes[graphs]
    nodes, of_node, place = _ranges(begins, sizes)
    firsts = sizes.cumsum(0) - sizes
    counts = data.edges[graphs + 1] - data.edges[graphs]
    edges, of_edge, _ = _ranges(data.edges[graphs], counts)
    ends = data.ends[edges].long() + firsts[of_edge][:, None]
    kinds = data.kinds[edges].long()
    rows, _, _ = _ranges(data.rows[places], data.rows[places + 1] - data.rows[places])
    width = int(sizes.max())
    return GraphBatch(
        operators=data.operators[nodes].long(),
        texts=data.texts[nodes].long(),
        types=data.types[nodes].long(),
        relations=data.relations[rows],
        sources=torch.cat((ends[:, 0], ends[:, 1])),
        targets=torch.cat((ends[:, 1], ends[:, 0])),
        ways=functional.one_hot(torch.cat((kinds, kinds + EDGE_KINDS)), _WAYS),
        graphs=of_node,
        slots=of_node * width + place,
        real=torch.arange(width, device=sizes.device)[None, :] < sizes[:, None],
    )


def _ranges(begins: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """All numbers of several ranges, the range that each is of, and its place there."""
    which = torch.arange(len(sizes), device=sizes.device).repeat_interleave(sizes)
    place = torch.arange(len(which), device=sizes.device) - (sizes.cumsum(0) - sizes)[which]
    return begins[which] + place, which, place


def batches_by_size(sizes: NDArray[np.int64]) -> Iterator[list[int]]:
    """Indexes of pairs in batches of similar size, each as large as :data:`_NODES` allows."""
    chosen: list[int] = []
    for place in np.argsort(sizes, kind="stable").tolist():
        if chosen and 2 * (len(chosen) + 1) * sizes[place] > _NODES:
            yield chosen
            chosen = []
        chosen.append(place)
    if chosen:
        yield chosen


def shuffled_batches(
    sizes: NDArray[np.int64], size: int, generator: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Indexes of all pairs in random batches of pairs of similar size, which saves padding.

    Pairs are shuffled, sorted by size within each 16 batches, and the batches are shuffled.
    """
    order = generator.permutation(len(sizes))
    found = []
    for start in range(0, len(order), 16 * size):
        near = order[start : start + 16 * size]
        near = near[np.argsort(sizes[near], kind="stable")]
        found += [near[i : i + size] for i in range(0, len(near), size)]
    return [found[i] for i in generator.permutation(len(found))]


# ---------------------------------------------------------------- network
#
# The network: encodes nodes, passes messages within graphs, attends to the other graph, sums the
# nodes of each graph, and compares the sums.
#
# Source: Li et al. 2019; Zhan et al. 2024, section 4 and appendix C.


_HEADS = 4


class Attention(NamedTuple):
    """The attention weights of one step."""

    weights: Tensor
    """Shape 2b × width × width: of a node (row) on the nodes of the other graph (columns); the mean
    of all heads."""


class NodeEncoder(nn.Module):
    """The initial vectors of nodes: from the operator's number or the text, the type, and how the
    node relates to the other graph."""

    def __init__(self, options: NetworkOptions, operators: int, types: int) -> None:
        super().__init__()
        hidden = options.hidden
        self.operators = nn.Embedding(operators + 1, hidden)
        self.types = nn.Embedding(types + 1, hidden, padding_idx=0) if options.types else None
        self.texts = TextEncoder(hidden, options.channels, options.blocks, coded=options.coded)
        self.relations = (
            nn.Sequential(nn.Linear(RELATIONS, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
            if options.relations
            else None
        )

    def forward(self, batch: GraphBatch, read: Tensor) -> Tensor:
        """Returns n × hidden; ``read`` has the vectors of all texts."""
        found: Tensor = self.operators(batch.operators)
        if self.types is not None:
            found = found + self.types(batch.types)
        (content,) = (batch.texts >= 0).nonzero(as_tuple=True)
        texts = read.index_select(0, batch.texts.index_select(0, content))
        found = found.index_add(0, content, texts)
        if self.relations is not None:
            found = found + self.relations(batch.relations.to(found.dtype))
        return found


class Layer(nn.Module):
    """One round: messages of neighbours, attention to the other graph, and a new state.

    Messages: Σ relu(g_w ∘ A h_u + B h_v + c_w) over the neighbours u, with g and c for each way w.
    Attention: a node's vector minus the attention-weighted mean of the other graph (μ).
    """

    def __init__(self, hidden: int, dropout: float, *, attends: bool) -> None:
        super().__init__()
        self.attends = attends
        self.before = nn.LayerNorm(hidden)
        self.source = nn.Linear(hidden, hidden)
        self.target = nn.Linear(hidden, hidden, bias=False)
        self.gates = nn.Parameter(1 + 0.5 * torch.randn(_WAYS, hidden))
        self.offsets = nn.Parameter(0.5 * torch.randn(_WAYS, hidden))
        self.mix = nn.Linear(hidden, hidden)
        self.heard = nn.LayerNorm(hidden)
        self.first = nn.Linear(3 * hidden, 2 * hidden)
        self.second = nn.Linear(2 * hidden, hidden)
        self.dropout = nn.Dropout(dropout)

    def forward(self, h: Tensor, batch: GraphBatch) -> tuple[Tensor, Tensor]:
        """Returns n × hidden, and the attention weights per head."""
        x = self.before(h)
        # Products with the ways' signs, as gradients of few rows that many nodes share are slow.
        said = self.source(x).index_select(0, batch.sources) * (batch.ways @ self.gates)
        said = said + batch.ways @ self.offsets
        sent = functional.relu(said + self.target(x).index_select(0, batch.targets))
        heard = self.heard(torch.zeros_like(x).index_add_(0, batch.targets, sent))
        r = self.mix(x)
        seen, weights = self._attended(r, batch)
        apart = r - seen if self.attends else torch.zeros_like(r)
        both = torch.cat((x, heard, apart), dim=1)
        inside = self.dropout(functional.relu(self.first(both)))
        return h + self.second(inside), weights

    @staticmethod
    def _attended(r: Tensor, batch: GraphBatch) -> tuple[Tensor, Tensor]:
        count, width = batch.real.shape
        hidden = r.shape[1]
        room = r.new_zeros(count * width, hidden).index_copy(0, batch.slots, r)
        rows = room.view(count, width, _HEADS, hidden // _HEADS).transpose(1, 2)
        other = rows.view(-1, 2, *rows.shape[1:]).flip(1).reshape_as(rows)
        there = batch.real.view(-1, 2, width).flip(1).reshape(count, 1, 1, width)
        alike = rows @ other.transpose(2, 3) * (hidden // _HEADS) ** -0.5
        weights = alike.masked_fill(~there, -torch.inf).softmax(dim=3)
        seen = (weights @ other).transpose(1, 2).reshape(-1, hidden).index_select(0, batch.slots)
        return seen, weights


class Readout(nn.Module):
    """A graph as the gated sum of its nodes (Li et al. 2015); the answer from both sums."""

    def __init__(self, hidden: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(hidden)
        self.gate = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)
        self.answer = nn.Sequential(
            nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, 1)
        )

    def forward(self, h: Tensor, batch: GraphBatch) -> Tensor:
        """Returns b log-odds."""
        h = self.norm(h)
        said = torch.sigmoid(self.gate(h)) * self.value(h)
        summed = said.new_zeros(len(batch.real), said.shape[1])
        summed = summed.index_add_(0, batch.graphs, said)
        left, right = summed[0::2], summed[1::2]
        found: Tensor = self.answer(torch.cat((left + right, (left - right).abs()), dim=1))
        return found.squeeze(1)


class GraphMatchingNetwork(nn.Module):
    """Computes the log-odds that the queries of a pair are equivalent.

    Both sides of a pair use the same weights and are compared symmetrically, so the order of the
    queries does not count.
    """

    def __init__(self, options: NetworkOptions, operators: int, types: int) -> None:
        super().__init__()
        self.options = options
        self.encoder = NodeEncoder(options, operators, types)
        self.layers = nn.ModuleList(
            Layer(options.hidden, options.dropout, attends=options.attention)
            for _ in range(options.steps)
        )
        self.readout = Readout(options.hidden, options.dropout)

    def forward(
        self, batch: GraphBatch, read: Tensor, watched: list[Attention] | None = None
    ) -> Tensor:
        """Returns b log-odds; appends each step's attention to ``watched``."""
        h = self.encoder(batch, read)
        batch = replace(batch, ways=batch.ways.to(h.dtype))
        for layer in self.layers:
            h, weights = layer(h, batch)
            if watched is not None:
                watched.append(Attention(weights.mean(dim=1)))
        found: Tensor = self.readout(h, batch)
        return found

    def of_pairs(self, data: PackedPairs, places: Tensor) -> Tensor:
        """The log-odds of some pairs, with the texts that these have read anew; for training."""
        batch = batch_of(data, places)
        content = batch.texts >= 0
        used, which = torch.unique(batch.texts[content], return_inverse=True)
        read = self.encoder.texts(data.characters[used], data.facts[used])
        batch = replace(batch, texts=batch.texts.masked_scatter(content, which))
        found: Tensor = self(batch, read)
        return found
