"""An SVG of two query graphs side by side with the attention between their nodes.

Source: Zhan et al. 2024 (FuncEvalGMN), appendix H and figure 17.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from sqljury.likeness.graphs import EdgeKind, PairGraph, QueryGraph, shared_nodes

Attention = NDArray[np.floating]
"""The attention of each left node (row) to each right node; rows sum to 1."""

_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_SIZE, _LETTER, _ROW = 12, 7.23, 24
"""Font size, width of a letter, and distance between nodes, in pixels."""
_STEP, _PAD, _MARGIN = 18, 7, 20
"""Indent per level of a tree, padding of a node, margin of the picture and between its parts."""
_ARCS, _BETWEEN = 70, 240
"""Width left of a graph for its flow arcs, and between the graphs for attention."""
_LONGEST = 32
"""The most letters shown of a label."""
_COMPUTING, _CONTENT = ("#eef2f7", "#5b6b7d"), ("#fff8e6", "#b7791f")
_SHARED = "#1f7a3d"
_FLOWS = {EdgeKind.LOGIC: "#d9730d", EdgeKind.DATA: "#2a7fb8"}
_ATTENTION = "#2f9e44"


@dataclass(frozen=True, slots=True)
class GraphPanel:
    """One step of the network: its title and the attention in it."""

    title: str
    attention: Attention


def graph_pair_svg(
    pair: PairGraph, texts: tuple[str, str], panels: Sequence[GraphPanel], summary: str
) -> str:
    """An SVG document that draws both graphs once per panel.

    A graph is an outline with a node per line. Orange arcs lead from operator to operator, blue
    ones from a column's source to where it is read. A green line leads from each left node to the
    right node to which it pays most attention; the more attention, the stronger the line. Nodes in
    parts that both queries share have a green frame.

    Args:
        texts: the queries.
        summary: the result in one line, as a heading.
    """
    shared = shared_nodes(pair)
    left, right = _GraphOutline(pair.left, shared[0]), _GraphOutline(pair.right, shared[1])
    width = 2 * _ARCS + left.width + _BETWEEN + right.width
    heads = [
        textwrap.wrap(
            " ".join(text.split()),
            max(20, int((side.width + _ARCS + _BETWEEN / 2 - _MARGIN) / _LETTER)),
        )
        for text, side in zip(texts, (left, right), strict=True)
    ]
    head = _ROW * 2 + max(map(len, heads)) * 16 + 8
    height = head + _ROW * max(left.rows, right.rows)
    whole = _MARGIN + len(panels) * (width + _MARGIN)
    parts = [_text(_MARGIN, _MARGIN + _SIZE, summary, "#222222", bold=True)]
    for number, panel in enumerate(panels):
        x, y = _MARGIN + number * (width + _MARGIN), _MARGIN + _ROW
        parts.append(_text(x, y + _SIZE, panel.title, "#222222"))
        tops = (x + _ARCS, x + width - _ARCS - right.width)
        for place, lines in zip((x, tops[1] - _BETWEEN / 2 + _MARGIN), heads, strict=True):
            parts += [
                _text(place, y + _ROW + _SIZE + 16 * i, line, "#555555")
                for i, line in enumerate(lines)
            ]
        parts += _looks(panel.attention, left.at(tops[0], y + head), right.at(tops[1], y + head))
        parts += left.drawn(tops[0], y + head, outwards=-1)
        parts += right.drawn(tops[1], y + head, outwards=1)
    return "\n".join([*_frame(whole, height + 3 * _MARGIN + _ROW), *parts, "</svg>", ""])


def _frame(width: float, height: float) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="{_FONT}" font-size="{_SIZE}">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        _text(_MARGIN, height - _MARGIN / 2, _LEGEND, "#777777"),
    ]


_LEGEND = (
    "orange: order of operators and operands   blue: a column's values   green frame: a part that "
    "both queries have   green line: where a left node looks most"
)


def _text(x: float, y: float, text: str, colour: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}"{weight} xml:space="preserve">'
        f"{escape(text)}</text>"
    )


def _parts(graph: QueryGraph) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in graph.labels]
    for start, end, kind in graph.edges:
        if kind == EdgeKind.TREE:
            found[start].append(end)
    return found


class _GraphOutline:
    """A graph as an outline: a node per line, with its children below, indented."""

    def __init__(self, graph: QueryGraph, shared: frozenset[int]) -> None:
        self._graph, self._shared, self._parts = graph, shared, _parts(graph)
        self._depth = [0] * len(graph.labels)
        self._row = [0] * len(graph.labels)
        order: list[int] = []
        waiting = [graph.roots[0]]
        while waiting:
            node = waiting.pop()
            self._row[node] = len(order)
            order.append(node)
            for part in reversed(self._parts[node]):
                self._depth[part] = self._depth[node] + 1
                waiting.append(part)
        self._labels = [_label(graph, node) for node in range(len(graph.labels))]
        self.rows = len(order)
        self.width = max(self._depth[n] * _STEP + self._wide(n) for n in range(len(graph.labels)))

    def _wide(self, node: int) -> float:
        return len(self._labels[node]) * _LETTER + 2 * _PAD

    def at(self, x: float, y: float) -> list[tuple[float, float, float]]:
        """Per node the x of its left and right end and the y of its middle."""
        return [
            (
                x + self._depth[node] * _STEP,
                x + self._depth[node] * _STEP + self._wide(node),
                y + self._row[node] * _ROW + _ROW / 2,
            )
            for node in range(len(self._labels))
        ]

    def drawn(self, x: float, y: float, *, outwards: int) -> Iterator[str]:
        """The SVG of the edges, then of the nodes; arcs bulge to the left (-1) or right (1)."""
        places = self.at(x, y)
        for start, end, kind in self._graph.edges:
            if kind == EdgeKind.TREE:
                yield _branch(places[start], places[end])
            else:
                yield _arc(places[start], places[end], EdgeKind(kind), x, self.width, outwards)
        for node, place in enumerate(places):
            yield from self._node(node, place)

    def _node(self, node: int, place: tuple[float, float, float]) -> Iterator[str]:
        start, end, middle = place
        fill, line = _COMPUTING if self._graph.computing[node] else _CONTENT
        frame, wide = (_SHARED, 2) if node in self._shared else (line, 1)
        yield (
            f'<rect x="{start:.1f}" y="{middle - 9:.1f}" width="{end - start:.1f}" height="18" '
            f'rx="5" fill="{fill}" stroke="{frame}" stroke-width="{wide}"/>'
        )
        yield _text(start + _PAD, middle + 4, self._labels[node], "#222222")


def _label(graph: QueryGraph, node: int) -> str:
    text = " ".join(graph.labels[node].split()) or "''"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _branch(above: tuple[float, float, float], below: tuple[float, float, float]) -> str:
    x = above[0] + 8
    return (
        f'<path d="M{x:.1f},{above[2] + 9:.1f} V{below[2]:.1f} H{below[0]:.1f}" fill="none" '
        'stroke="#444444" stroke-width="1"/>'
    )


def _arc(
    start: tuple[float, float, float],
    end: tuple[float, float, float],
    kind: EdgeKind,
    x: float,
    width: float,
    outwards: int,
) -> str:
    side = 0 if outwards < 0 else 1
    # Longer arcs bulge further, so that they do not overlap.
    bulge = min(_ARCS - 6, 14 + 2.2 * abs(start[2] - end[2]) / _ROW)
    edge = x - bulge if outwards < 0 else x + width + bulge
    path = (
        f"M{start[side]:.1f},{start[2]:.1f} C{edge:.1f},{start[2]:.1f} {edge:.1f},{end[2]:.1f} "
        f"{end[side]:.1f},{end[2]:.1f}"
    )
    return (
        f'<path d="{path}" fill="none" stroke="{_FLOWS[kind]}" stroke-width="1.2" opacity="0.55"/>'
    )


def _looks(
    attention: Attention,
    left: list[tuple[float, float, float]],
    right: list[tuple[float, float, float]],
) -> Iterator[str]:
    """A line from each left node to the right node with the most of its attention."""
    for node, row in enumerate(attention):
        other = int(row.argmax())
        start, end = left[node], right[other]
        seen = max(0.06, float(row[other]))
        yield (
            f'<line x1="{start[1]:.1f}" y1="{start[2]:.1f}" x2="{end[0]:.1f}" y2="{end[2]:.1f}" '
            f'stroke="{_ATTENTION}" stroke-width="1.8" opacity="{seen:.2f}">'
            f"<title>{row[other]:.2f}</title></line>"
        )
