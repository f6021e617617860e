"""Points and curves as inline SVG. Places along the axis are percentages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sqljury.reports.plots import shape

HEIGHT = 380
"""Of a plot, in pixels."""
_TOP, _BOTTOM = 14, 34
_LEFT, _RIGHT = 5.0, 97.0
"""The plot's sides, in percent: numbers stand left of it."""
_NOMINAL = 1000
"""The width, in pixels, for which names are placed beside each other."""
_LETTER, _LINE = 5.9, 12


@dataclass(frozen=True, slots=True)
class Spot:
    """A point with a name, and the interval of its height."""

    name: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    series: int = 0


@dataclass(frozen=True, slots=True)
class Scale:
    """From where to where an axis goes, and what is written along it."""

    title: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    is_time: bool = False

    @classmethod
    def counts(cls, title: str, most: int) -> Scale:
        """Numbers from 1 on by their logarithm (base 2), with a line at every power of two."""
        high = max(1.0, math.log2(most))
        ticks = tuple((float(i), f"{2**i:,}") for i in range(math.floor(high) + 1))
        return cls(title, 0.0, high, ticks)

    @classmethod
    def percent(cls, title: str, values: Iterable[float | None]) -> Scale:
        """Fractions, written in percent, with a line every 5, 10 or 20."""
        known = [value for value in values if value is not None]
        low, high = min(known, default=0.0), max(known, default=1.0)
        step = next(step for step in (0.05, 0.1, 0.2, 1.0) if high - low <= 9 * step or step == 1.0)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        last = max(last, first + 1)
        ticks = tuple((i * step, f"{100 * i * step:.0f}") for i in range(first, last + 1))
        return cls(title, first * step, last * step, ticks)

    @classmethod
    def months(cls, title: str, values: Iterable[float]) -> Scale:
        """Months counted from the year 0 (``12 * year + month``), with a line every year."""
        known = list(values)
        first, last = int(min(known) - 1) // 12, int(max(known) + 11) // 12
        ticks = tuple((12 * year + 1.0, str(year)) for year in range(first, last + 1))
        return cls(title, ticks[0][0], ticks[-1][0], ticks, is_time=True)

    def said(self, value: float) -> str:
        """A value in words."""
        if self.is_time:
            return f"{int(value - 1) // 12}-{int(value - 1) % 12 + 1:02d}"
        return f"{100 * value:.1f}"

    def share(self, value: float) -> float:
        """Where a value lies, from 0 to 1."""
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)


def scatter(spots: Sequence[Spot], x: Scale, y: Scale) -> Markup:
    """Points with their names and intervals."""
    said = f"{y.title} against {x.title}: " + "; ".join(
        f"{spot.name} {x.said(spot.x)}, {y.said(spot.y)}" for spot in spots
    )
    parts = [*grid(x, y), *(_spot(spot, x, y) for spot in spots), *_names(spots, x, y)]
    return Markup(
        '<svg class="plot scatter" height="{}" role="img" aria-label="{}">{}</svg>'
    ).format(HEIGHT, said, Markup("").join(parts))


def across(scale: Scale, value: float) -> float:
    """Where a value lies from left to right, in percent."""
    return _LEFT + (_RIGHT - _LEFT) * scale.share(value)


def down(scale: Scale, value: float) -> float:
    """Where a value lies from top to bottom, in pixels."""
    return _TOP + (HEIGHT - _TOP - _BOTTOM) * (1 - scale.share(value))


def grid(x: Scale, y: Scale) -> list[Markup]:
    """The lines of both axes, their numbers and titles."""
    line = Markup('<line class="{}" x1="{}%" x2="{}%" y1="{}" y2="{}"/>')
    text = Markup('<text class="{}" x="{}%" y="{}">{}</text>')
    bottom = HEIGHT - _BOTTOM
    parts = []
    for value, label in y.ticks:
        place = round(down(y, value), 2)
        kind = "zero" if value == 0 else "tick"
        parts += [
            line.format(kind, _LEFT, _RIGHT, place, place),
            text.format("last", _LEFT - 0.8, place + 4, label),
        ]
    for value, label in x.ticks:
        at = round(across(x, value), 2)
        parts += [
            line.format("tick", at, at, _TOP, bottom),
            text.format("", at, bottom + 15, label),
        ]
    parts += [
        text.format("last title", _RIGHT, bottom + 30, x.title),
        text.format("first title", _LEFT, _TOP - 4, y.title),
    ]
    return parts


def line_through(points: Iterable[tuple[float, float]]) -> Markup:
    """A line through points: percent from the left, pixels from the top."""
    # A path knows no percentages: it is drawn 100 wide and stretched to the reader's width.
    places = " ".join(f"{round(left, 3)},{round(top, 2)}" for left, top in points)
    return Markup(
        '<svg class="stretched" width="100%" height="{0}" viewBox="0 0 100 {0}" '
        'preserveAspectRatio="none"><polyline points="{1}"/></svg>'
    ).format(HEIGHT, places)


def _spot(spot: Spot, x: Scale, y: Scale) -> Markup:
    at, height = round(across(x, spot.x), 2), round(down(y, spot.y), 2)
    whisker = Markup("")
    if spot.low is not None and spot.high is not None:
        whisker = Markup('<line class="whisker" x1="{0}%" x2="{0}%" y1="{1}" y2="{2}"/>').format(
            at, round(down(y, spot.low), 2), round(down(y, spot.high), 2)
        )
    return Markup('<g class="s{}">{}<svg x="{}%" y="{}"><title>{}</title>{}</svg></g>').format(
        spot.series, whisker, at, height, spot.name, shape(spot.series)
    )


def _names(spots: Sequence[Spot], x: Scale, y: Scale) -> list[Markup]:
    """Each name beside its point, where it covers no other point or name if that can be."""
    places = [(across(x, s.x) * _NOMINAL / 100, down(y, s.y)) for s in spots]
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py in places]
    parts = []
    for spot, (px, py) in zip(spots, places, strict=True):
        width = len(spot.name) * _LETTER
        choices = [
            ("first", px + 8, py + 4),
            ("last", px - 8 - width, py + 4),
            ("first", px + 6, py - 7),
            ("first", px + 6, py + 14),
            ("last", px - 6 - width, py - 7),
            ("last", px - 6 - width, py + 14),
        ]
        boxes = [(left, base - _LINE + 3, left + width, base + 2) for _, left, base in choices]
        index = min(range(len(choices)), key=lambda i: (_covered(boxes[i], taken), i))
        side, left, base = choices[index]
        taken.append(boxes[index])
        parts.append(_name(spot.name, side, px, left + (width if side == "last" else 0), base))
    return parts


def _name(name: str, side: str, px: float, anchor: float, base: float) -> Markup:
    # The place is a share of the width, the distance from the point is in pixels.
    return Markup('<text class="name {}" x="{}%" dx="{}" y="{}">{}</text>').format(
        side, round(px * 100 / _NOMINAL, 2), round(anchor - px, 1), round(base, 2), name
    )


_Box = tuple[float, float, float, float]


def _covered(box: _Box, taken: Sequence[_Box]) -> float:
    """How much of a box others cover; leaving the plot costs as much as covering."""
    left, top, right, bottom = box
    outside = max(0.0, right - _NOMINAL) + max(0.0, -left) + max(0.0, -top)
    return outside * _LINE + sum(
        max(0.0, min(right, r) - max(left, x)) * max(0.0, min(bottom, b) - max(top, t))
        for x, t, r, b in taken
    )


Curve = tuple[str, int, Sequence[float]]
"""A name, its series (colour and shape), and a value for each size."""


def curves(title: str, sizes: Sequence[int], lines: Sequence[Curve]) -> Markup:
    """Values in [0, 1] against numbers of candidates, the latter on a logarithmic scale.

    The same shapes as in a legend stand at powers of two and at the end of each line.
    """
    x = Scale.counts("candidates", sizes[-1])
    y = Scale.percent(title, (value for _, _, values in lines for value in values))
    said = f"{title} with {sizes[0]} and {sizes[-1]} candidates: " + "; ".join(
        f"{name} {y.said(values[0])} and {y.said(values[-1])}" for name, _, values in lines
    )
    parts = [*grid(x, y), *(_line(line, sizes, x, y) for line in lines)]
    return Markup(
        '<svg class="plot curves" height="{}" role="img" aria-label="{}">{}</svg>'
    ).format(HEIGHT, said, Markup("").join(parts))


def _line(line: Curve, sizes: Sequence[int], x: Scale, y: Scale) -> Markup:
    name, series, values = line
    places = [
        (round(across(x, math.log2(size)), 3), round(down(y, value), 2))
        for size, value in zip(sizes, values, strict=True)
    ]
    marked = [
        Markup('<svg x="{}%" y="{}"><title>{}</title>{}</svg>').format(
            left, top, f"{name}, {size:,}: {y.said(value)}", shape(series)
        )
        for (left, top), size, value in zip(places, sizes, values, strict=True)
        if size & (size - 1) == 0 or size == sizes[-1]
    ]
    return Markup('<g class="s{}">{}{}</g>').format(
        series % 6, line_through(places), Markup("").join(marked)
    )
