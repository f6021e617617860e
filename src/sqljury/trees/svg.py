"""A tree as a picture: a box for each operator, the result on top, tables at the bottom."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

from sqljury.trees.nodes import Relation
from sqljury.trees.sketch import Box, sketch

_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_SIZE, _LETTER, _LINE = 12, 7.23, 16
"""The size of letters, how wide and how high a line of them is, in pixels."""
_PAD, _GAP, _RISE, _MARGIN = 10, 24, 36, 16
"""Inside of a box; between boxes beside and above each other; around the picture."""
_MOST_LETTERS, _MOST_LINES = 44, 8
_COLOURS = {
    "scan": ("#e3f1e3", "#4c8a4c"),
    "values": ("#e3f1e3", "#4c8a4c"),
    "tablefunction": ("#e3f1e3", "#4c8a4c"),
    "working": ("#e3f1e3", "#4c8a4c"),
    "join": ("#fdf0da", "#b7791f"),
    "setoperation": ("#fdf0da", "#b7791f"),
    "recursive": ("#fdf0da", "#b7791f"),
    "filter": ("#e4eefb", "#3a6ea5"),
    "aggregate": ("#f3e8fa", "#7d4fa0"),
    "window": ("#f3e8fa", "#7d4fa0"),
    "distinct": ("#f3e8fa", "#7d4fa0"),
}
_OTHER = ("#f4f4f4", "#6b6b6b")


@dataclass(slots=True)
class _Placed:
    """A box with its size, its place, and the boxes below it."""

    box: Box
    lines: tuple[str, ...]
    width: float
    height: float
    below: list[tuple[str, _Placed]] = field(default_factory=list)
    """With the names of queries; inputs have none."""
    x: float = 0.0
    y: float = 0.0

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    def all(self) -> Iterator[_Placed]:
        yield self
        for _, part in self.below:
            yield from part.all()


def tree_svg(relation: Relation) -> str:
    """A tree as an SVG document. Rows flow upwards; dashed lines lead to queries in expressions."""
    top = _sized(sketch(relation))
    span = _span(top)
    _place(top, _MARGIN, _MARGIN, span)
    placed = list(top.all())
    width = max(part.x + part.width for part in placed) + _MARGIN
    height = max(part.y + part.height for part in placed) + _MARGIN
    parts = [*_edges(placed), *(line for part in placed for line in _drawn(part))]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="{_FONT}" font-size="{_SIZE}">'
    )
    back = f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>'
    return "\n".join([head, back, *parts, "</svg>", ""])


# ---------------------------------------------------------------- sizes and places


def _sized(box: Box) -> _Placed:
    lines = _wrapped(box)
    longest = max(len(box.head), *(len(line) for line in lines), 0)
    placed = _Placed(
        box, lines, longest * _LETTER + 2 * _PAD, (1 + len(lines)) * _LINE + 2 * _PAD - 4
    )
    placed.below = [("", _sized(part)) for part in box.inputs]
    placed.below += [(name, _sized(query)) for name, query in box.queries]
    return placed


def _wrapped(box: Box) -> tuple[str, ...]:
    lines = [
        line
        for detail in box.details
        for line in textwrap.wrap(detail, _MOST_LETTERS, subsequent_indent="  ") or [""]
    ]
    if len(lines) <= _MOST_LINES:
        return tuple(lines)
    more = len(lines) - _MOST_LINES + 1
    return (*lines[: _MOST_LINES - 1], f"… {more} more lines")


def _span(placed: _Placed) -> float:
    """How wide a box and all below it are."""
    below = [_span(part) for _, part in placed.below]
    return max(placed.width, sum(below) + _GAP * max(0, len(below) - 1))


def _place(placed: _Placed, left: float, top: float, span: float) -> None:
    placed.x, placed.y = left + (span - placed.width) / 2, top
    spans = [_span(part) for _, part in placed.below]
    used = sum(spans) + _GAP * max(0, len(spans) - 1)
    at = left + (span - used) / 2
    for (_, part), own in zip(placed.below, spans, strict=True):
        _place(part, at, top + placed.height + _RISE, own)
        at += own + _GAP


# ---------------------------------------------------------------- lines and letters


def _edges(placed: list[_Placed]) -> Iterator[str]:
    for part in placed:
        count = len(part.below)
        for i, (name, below) in enumerate(part.below):
            # Several lines meet the box beside each other, in the order of what is below.
            x = part.x + part.width * (i + 1) / (count + 1)
            yield _edge(x, part.y + part.height, below.middle, below.y, name)


def _edge(x: float, y: float, to_x: float, to_y: float, name: str) -> str:
    bend = (y + to_y) / 2
    path = f"M{to_x:.1f},{to_y:.1f} C{to_x:.1f},{bend:.1f} {x:.1f},{bend:.1f} {x:.1f},{y:.1f}"
    dash = ' stroke-dasharray="4 3"' if name else ""
    line = f'<path d="{path}" fill="none" stroke="#888888" stroke-width="1.3"{dash}/>'
    if not name:
        return line
    label = f'<text x="{to_x + 5:.1f}" y="{to_y - 5:.1f}" fill="#555555" font-style="italic">'
    return f"{line}{label}{escape(name)}</text>"


def _drawn(placed: _Placed) -> Iterator[str]:
    fill, line = _COLOURS.get(placed.box.kind, _OTHER)
    yield (
        f'<rect x="{placed.x:.1f}" y="{placed.y:.1f}" width="{placed.width:.1f}" '
        f'height="{placed.height:.1f}" rx="5" fill="{fill}" stroke="{line}"/>'
    )
    x, y = placed.x + _PAD, placed.y + _PAD + _SIZE - 3
    head = escape(placed.box.head)
    yield f'<text x="{x:.1f}" y="{y:.1f}" font-weight="bold" fill="{line}">{head}</text>'
    for i, text in enumerate(placed.lines, 1):
        yield (
            f'<text x="{x:.1f}" y="{y + i * _LINE:.1f}" fill="#222222" '
            f'xml:space="preserve">{escape(text)}</text>'
        )
