"""The network: nodes are described, tell their neighbours and the other graph, and are summed up.

Source: Zhan et al. 2024, section 4 and appendix C; Li et al. 2019; Dwivedi et al. 2021 for
positions that are learnt along.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from sqljury.learning.graph_matching.batch import GraphBatch
from sqljury.learning.graph_matching.content import TextEncoder
from sqljury.learning.graph_matching.graphs import EDGE_KINDS, MASKED
from sqljury.learning.graph_matching.options import NetworkOptions

_WAYS = 2 * EDGE_KINDS
"""Each kind of edge, along it and against it, has a message of its own."""
_POSITION = 16
"""Numbers that describe a position."""


class Attention(NamedTuple):
    """Who looks at whom in one step."""

    weights: Tensor
    """2b × width × width: of a node (row) on the nodes of the other graph."""


class NodeEncoder(nn.Module):
    """Nodes by what they are: operators by number, content by its characters, both by type."""

    def __init__(self, options: NetworkOptions, operators: int, types: int) -> None:
        super().__init__()
        self.operators = nn.Embedding(operators + MASKED + 1, options.hidden)
        self.types = nn.Embedding(types + 1, options.hidden, padding_idx=0)
        self.texts = TextEncoder(options.hidden, options.blocks, coded=options.coded)

    def forward(self, batch: GraphBatch) -> Tensor:
        """n × hidden. A text is read once, however many nodes have it."""
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
        """n × hidden."""
        # What a node says is computed once for each kind, then picked for each of its edges.
        said = self.source(h).view(-1, self.hidden)[batch.sources * _WAYS + batch.kinds]
        heard = functional.relu(said + self.target(h)[batch.targets])
        summed = torch.zeros_like(h).index_add_(0, batch.targets, heard)
        found: Tensor = self.out(summed)
        return found


class Positions(nn.Module):
    """Positions that change with those of the neighbours."""

    def __init__(self) -> None:
        super().__init__()
        self.own = nn.Linear(_POSITION, _POSITION)
        self.near = nn.Linear(_POSITION, _POSITION, bias=False)

    def forward(self, p: Tensor, batch: GraphBatch, degrees: Tensor) -> Tensor:
        """n × positions."""
        near = torch.zeros_like(p).index_add_(0, batch.targets, p[batch.sources]) / degrees
        return p + torch.tanh(self.own(p) + self.near(near))


class CrossAttention(nn.Module):
    """Between graphs: what a node has that the nodes it looks at have not (μ)."""

    def __init__(self, hidden: int, positions: int) -> None:
        super().__init__()
        self.mix = nn.Sequential(
            nn.Linear(hidden + positions, hidden), nn.ReLU(), nn.Linear(hidden, hidden)
        )
        self.scale = hidden**-0.5

    def forward(self, h: Tensor, p: Tensor | None, batch: GraphBatch) -> tuple[Tensor, Attention]:
        """n × hidden, and the weights."""
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
        """2b × hidden."""
        said = torch.sigmoid(self.gate(h)) * self.value(h)
        summed = said.new_zeros(batch.count, said.shape[1]).index_add_(0, batch.graphs, said)
        found: Tensor = self.out(summed)
        return found


class GraphMatchingNetwork(nn.Module):
    """Graphs of pairs to vectors whose distance says how different the queries are.

    Both sides of a pair go through the same weights, so that the distance is symmetric, and 0
    for a query and itself.
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
        """2b × hidden, the vectors of the graphs; ``watched`` is given each step's attention."""
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
    # The root has no slope at 0, where equal graphs lie.
    apart = squares > 0
    return torch.where(apart, torch.where(apart, squares, 1.0).sqrt(), 0.0)
