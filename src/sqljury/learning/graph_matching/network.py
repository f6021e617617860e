"""The network in torch: computes distances of pairs from batches of graphs and texts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sqljury.learning.graph_matching.graphs import EDGE_KINDS, MASKED, EncodedPair, Integers
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
_AT_ONCE = 256
_BYTES = 257
"""Number of input symbols: every byte, and 0 for padding."""


def characters(texts: Sequence[str]) -> Tensor:
    """The texts' bytes, each plus one, padded with zeros; shape u × length for u texts."""
    rows = []
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass") or b"\0"
        if len(raw) > LONGEST:
            raw = raw[: LONGEST // 2] + raw[-LONGEST // 2 :]
        rows.append(np.frombuffer(raw, dtype=np.uint8))
    found = np.zeros((len(rows), max(map(len, rows), default=1)), dtype=np.int64)
    for place, row in enumerate(rows):
        found[place, : len(row)] = row.astype(np.int64) + 1
    return torch.from_numpy(found)


def codes(texts: Sequence[str]) -> Tensor:
    """A hash code per text: u × CODE numbers, each 1 or -1.

    Texts with nearly the same characters get nearly the same encoding, but their codes differ as
    much as those of any two texts.
    """
    raw = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=CODE // 8).digest()
        for text in texts
    )
    bits = np.unpackbits(np.frombuffer(raw, dtype=np.uint8)).reshape(len(texts), CODE)
    return torch.from_numpy(bits.astype(np.float32) * 2 - 1)


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
    the text's hash code is added; that is sqljury's addition.
    """

    def __init__(self, hidden: int, blocks: int, *, coded: bool) -> None:
        super().__init__()
        self.bytes = nn.Embedding(_BYTES, hidden, padding_idx=0)
        self.enter = nn.Conv1d(hidden, hidden, 3, padding=1)
        self.blocks = nn.ModuleList(_ResidualBlock(hidden) for _ in range(blocks))
        self.leave = nn.Linear(2 * hidden, hidden)
        self.code = nn.Linear(CODE, hidden, bias=False) if coded else None

    def forward(self, texts: Tensor, signs: Tensor) -> Tensor:
        """Returns u × hidden from :func:`characters` (u × length) and :func:`codes` (u × CODE)."""
        real = (texts > 0).unsqueeze(1).to(self.bytes.weight.dtype)
        x = functional.relu(self.enter(self.bytes(texts).transpose(1, 2))) * real
        x = functional.max_pool1d(x, 2, ceil_mode=True)
        real = functional.max_pool1d(real, 2, ceil_mode=True)
        for block in self.blocks:
            x = block(x, real)
        mean = x.sum(dim=2) / real.sum(dim=2)
        # All values are at least zero, so padding never exceeds the maximum.
        found: Tensor = self.leave(torch.cat((mean, x.amax(dim=2)), dim=1))
        return found if self.code is None else found + self.code(signs.to(found.dtype))


def read_all(encoder: TextEncoder, texts: Sequence[str]) -> Tensor:
    """The vectors of many texts (u × hidden), computed in batches of similar length."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    weight = encoder.leave.weight
    found = weight.new_zeros(len(texts), encoder.leave.out_features)
    for start in range(0, len(order), _AT_ONCE):
        places = order[start : start + _AT_ONCE]
        chosen = [texts[place] for place in places]
        read = characters(chosen).to(weight.device), codes(chosen).to(weight.device)
        found[places] = encoder(*read)
    return found


# ---------------------------------------------------------------- batch
#
# A batch of pairs of graphs: the nodes of all graphs in one array.


_NODES = 4096
"""Most nodes in a batch when scoring, padding included."""


@dataclass(frozen=True, slots=True)
class GraphBatch:
    """b pairs of graphs with n nodes, e directed edges and u different texts in all.

    Graphs 2i and 2i+1 are pair i.
    """

    operators: Tensor
    """Shape n: operator numbers."""
    texts: Tensor
    """Shape n: the number of the node's text, from 1; 0 for operators."""
    read: Tensor | None
    """Shape u × hidden: the vectors of the texts if they are already computed, else None."""
    characters: Tensor
    """Shape u × length: the bytes of the batch's texts if ``read`` is None."""
    codes: Tensor
    """Shape u × CODE: the hash codes of these texts."""
    types: Tensor
    """Shape n: type numbers."""
    positions: Tensor
    """Shape n × K: positional encodings."""
    sources: Tensor
    """Shape e: the node that a message comes from; each edge occurs in both directions."""
    targets: Tensor
    """Shape e: the node that a message goes to."""
    kinds: Tensor
    """Shape e: 0, 1, 2 for the kinds of edges, 3, 4, 5 for the same against their direction."""
    graphs: Tensor
    """Shape n: the number of the node's graph."""
    slots: Tensor
    """Shape n: the node's index if every graph is padded to ``width`` nodes."""
    real: Tensor
    """Shape 2b × width: True where the padded graph has a node."""

    @property
    def count(self) -> int:
        """The number of graphs in the batch, two per pair."""
        return int(self.real.shape[0])

    @property
    def width(self) -> int:
        """The number of nodes of the largest graph."""
        return int(self.real.shape[1])

    def to(self, device: torch.device) -> GraphBatch:
        """The batch with its tensors on a device."""
        named = {one.name: getattr(self, one.name) for one in fields(self)}
        return replace(self, **{n: t.to(device) for n, t in named.items() if t is not None})


def make_batch(
    pairs: Sequence[EncodedPair], texts: Sequence[str], read: Tensor | None = None
) -> GraphBatch:
    """The batch of some pairs.

    Args:
        texts: all texts by their number.
        read: the network's vectors of all texts, if they are already computed.
    """
    graphs = [graph for pair in pairs for graph in (pair.left, pair.right)]
    sizes = np.array([graph.size for graph in graphs])
    width = int(sizes.max())
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    of_node = np.repeat(np.arange(len(graphs)), sizes)
    place = np.arange(int(sizes.sum())) - np.repeat(starts, sizes)
    texts_at = np.concatenate([graph.texts for graph in graphs])
    used, which = _used(texts_at) if read is None else (np.zeros(0, np.int32), texts_at + 1)
    new = [texts[number] for number in used]
    edges = np.concatenate([graph.edges for graph in graphs])
    edges[:, :2] += np.repeat(starts, [len(graph.edges) for graph in graphs])[:, None]
    return GraphBatch(
        operators=_tensor(np.concatenate([graph.operators for graph in graphs])),
        texts=_tensor(which),
        read=read,
        characters=characters(new),
        codes=codes(new),
        types=_tensor(np.concatenate([graph.types for graph in graphs])),
        positions=torch.from_numpy(np.concatenate([pair.positions for pair in pairs])),
        sources=_tensor(np.concatenate([edges[:, 0], edges[:, 1]])),
        targets=_tensor(np.concatenate([edges[:, 1], edges[:, 0]])),
        kinds=_tensor(np.concatenate([edges[:, 2], edges[:, 2] + EDGE_KINDS])),
        graphs=_tensor(of_node),
        slots=_tensor(of_node * width + place),
        real=torch.from_numpy(np.arange(width)[None, :] < sizes[:, None]),
    )


def _used(texts: Integers) -> tuple[Integers, NDArray[np.integer]]:
    """The distinct text numbers of the nodes, and for each node the index of its text, from 1."""
    used, which = np.unique(texts, return_inverse=True)
    # -1, the text number of operators, is the smallest if there is an operator.
    return (used[1:], which) if len(used) and used[0] == -1 else (used, which + 1)


def _tensor(numbers: NDArray[np.integer]) -> Tensor:
    return torch.from_numpy(numbers.astype(np.int64))


def batches_by_size(pairs: Sequence[EncodedPair]) -> Iterator[list[int]]:
    """Indexes of pairs in batches of similar size, each as large as :data:`_NODES` allows."""
    chosen: list[int] = []
    for place in sorted(range(len(pairs)), key=lambda i: pairs[i].larger):
        if chosen and 2 * (len(chosen) + 1) * pairs[place].larger > _NODES:
            yield chosen
            chosen = []
        chosen.append(place)
    if chosen:
        yield chosen


def shuffled_batches(
    pairs: Sequence[EncodedPair], size: int, generator: np.random.Generator
) -> list[list[int]]:
    """Indexes of all pairs in random batches of pairs of similar size, which saves padding.

    Pairs are shuffled, sorted by size within each 16 batches, and the batches are shuffled.
    """
    order = generator.permutation(len(pairs))
    found = []
    for start in range(0, len(order), 16 * size):
        near = sorted(order[start : start + 16 * size].tolist(), key=lambda i: pairs[i].larger)
        found += [near[i : i + size] for i in range(0, len(near), size)]
    return [found[i] for i in generator.permutation(len(found))]


# ---------------------------------------------------------------- network
#
# The network: encodes nodes, passes messages within graphs, attends to the other graph, and sums
# the nodes of each graph.
#
# Source: Zhan et al. 2024, section 4 and appendix C; Li et al. 2019; Dwivedi et al. 2021 for
# positions that are updated in each step.


_WAYS = 2 * EDGE_KINDS
"""Number of message functions: one per kind of edge and direction."""
_POSITION = 16
"""Size of a node's position vector."""


class Attention(NamedTuple):
    """The attention weights of one step."""

    weights: Tensor
    """Shape 2b × width × width: of a node (row) on the nodes of the other graph (columns)."""


class NodeEncoder(nn.Module):
    """The initial vectors of nodes: from the operator's number or the text, plus the type."""

    def __init__(self, options: NetworkOptions, operators: int, types: int) -> None:
        super().__init__()
        self.operators = nn.Embedding(operators + MASKED + 1, options.hidden)
        self.types = nn.Embedding(types + 1, options.hidden, padding_idx=0)
        self.texts = TextEncoder(options.hidden, options.blocks, coded=options.coded)

    def forward(self, batch: GraphBatch) -> Tensor:
        """Returns n × hidden. A text is encoded once, however many nodes have it."""
        read = batch.read
        if read is None:
            read = self.texts(batch.characters, batch.codes)
        texts = torch.cat((read.new_zeros(1, read.shape[1]), read))
        known: Tensor = self.operators(batch.operators) + self.types(batch.types)
        return known + texts[batch.texts]


class Messages(nn.Module):
    """Within a graph: Σ f(h_v, h_u, e_uv) over the neighbours u, a function for each kind e."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.source = nn.Linear(hidden, _WAYS * hidden)
        self.target = nn.Linear(hidden, hidden, bias=False)
        self.out = nn.Linear(hidden, hidden)

    def forward(self, h: Tensor, batch: GraphBatch) -> Tensor:
        """Returns n × hidden."""
        # A node's message is computed once per kind of edge, then selected for each of its edges.
        said = self.source(h).view(-1, self.hidden)[batch.sources * _WAYS + batch.kinds]
        heard = functional.relu(said + self.target(h)[batch.targets])
        summed = torch.zeros_like(h).index_add_(0, batch.targets, heard)
        found: Tensor = self.out(summed)
        return found


class Positions(nn.Module):
    """Updates positions by those of the neighbours."""

    def __init__(self) -> None:
        super().__init__()
        self.own = nn.Linear(_POSITION, _POSITION)
        self.near = nn.Linear(_POSITION, _POSITION, bias=False)

    def forward(self, p: Tensor, batch: GraphBatch, degrees: Tensor) -> Tensor:
        """Returns n × the size of a position."""
        near = torch.zeros_like(p).index_add_(0, batch.targets, p[batch.sources]) / degrees
        return p + torch.tanh(self.own(p) + self.near(near))


class CrossAttention(nn.Module):
    """Between graphs: a node's vector minus the attention-weighted mean of the other graph (μ)."""

    def __init__(self, hidden: int, positions: int) -> None:
        super().__init__()
        self.mix = nn.Sequential(
            nn.Linear(hidden + positions, hidden), nn.ReLU(), nn.Linear(hidden, hidden)
        )
        self.scale = hidden**-0.5

    def forward(self, h: Tensor, p: Tensor | None, batch: GraphBatch) -> tuple[Tensor, Attention]:
        """Returns n × hidden, and the attention weights."""
        r = self.mix(h if p is None else torch.cat((h, p), dim=1))
        hidden = r.shape[1]
        room = r.new_zeros(batch.count * batch.width, hidden).index_copy(0, batch.slots, r)
        rows = room.view(batch.count, batch.width, hidden)
        other = rows.view(-1, 2, batch.width, hidden).flip(1).reshape_as(rows)
        there = batch.real.view(-1, 2, batch.width).flip(1).reshape(batch.count, 1, batch.width)
        alike = (rows @ other.transpose(1, 2) * self.scale).masked_fill(~there, -torch.inf)
        weights = alike.softmax(dim=2)
        seen = (weights @ other).view(-1, hidden)[batch.slots]
        return r - seen, Attention(weights)


class Readout(nn.Module):
    """A graph as the gated sum of its nodes (Li et al. 2015)."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.gate = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)
        self.out = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))

    def forward(self, h: Tensor, batch: GraphBatch) -> Tensor:
        """Returns 2b × hidden."""
        said = torch.sigmoid(self.gate(h)) * self.value(h)
        summed = said.new_zeros(batch.count, said.shape[1]).index_add_(0, batch.graphs, said)
        found: Tensor = self.out(summed)
        return found


class GraphMatchingNetwork(nn.Module):
    """Computes vectors of the graphs of pairs; their distance is the difference of the queries.

    Both sides of a pair use the same weights, so the distance is symmetric, and 0 between a query
    and itself.
    """

    def __init__(self, options: NetworkOptions, operators: int, types: int) -> None:
        super().__init__()
        hidden = options.hidden
        self.options = options
        self.encoder = NodeEncoder(options, operators, types)
        self.messages = Messages(hidden)
        has_positions = options.place > 0
        self.place = nn.Linear(options.place, _POSITION) if has_positions else None
        self.move = Positions() if has_positions else None
        self.cross = CrossAttention(hidden, _POSITION if has_positions else 0)
        self.update = nn.GRUCell(2 * hidden, hidden)
        self.readout = Readout(hidden)

    def forward(self, batch: GraphBatch, watched: list[Attention] | None = None) -> Tensor:
        """Returns the vectors of the graphs, 2b × hidden; appends each step's attention to
        ``watched``."""
        batch = batch.to(self.encoder.types.weight.device)
        h = self.encoder(batch)
        p = None if self.place is None else self.place(batch.positions.to(h.dtype))
        degrees = h.new_zeros(len(h), 1).index_add_(
            0, batch.targets, h.new_ones(len(batch.targets), 1)
        )
        degrees = degrees.clamp(min=1)
        for _ in range(self.options.steps):
            heard = self.messages(h, batch)
            seen, attention = self.cross(h, p, batch)
            if watched is not None:
                watched.append(attention)
            h = self.update(torch.cat((heard, seen), dim=1), h)
            if p is not None and self.move is not None:
                p = self.move(p, batch, degrees)
        vectors: Tensor = self.readout(h, batch)
        return vectors


def distances(vectors: Tensor) -> Tensor:
    """The Euclidean distance of each pair: 2b × hidden to b."""
    squares = (vectors[0::2] - vectors[1::2]).square().sum(dim=1)
    # The square root has no gradient at 0, the distance of equal graphs.
    apart = squares > 0
    return torch.where(apart, torch.where(apart, squares, 1.0).sqrt(), 0.0)
