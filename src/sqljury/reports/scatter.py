"""Scatter plots and curves as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sqljury.reports.plots import shape

HEIGHT = 380
"""The height of a plot, in pixels."""
_TOP, _BOTTOM = 14, 34
_LEFT, _RIGHT = 5.0, 97.0
"""The plot's left and right edge, in percent of the width; the y axis's numbers are outside."""
_NOMINAL = 1000
"""The width, in pixels, that is assumed when names are placed."""
_LETTER, _LINE = 5.9, 12


@dataclass(frozen=True, slots=True)
class Spot:
    """A named point, with the interval of its y value."""

    name: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    series: int = 0


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of an axis, its title and its labels."""

    title: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    is_time: bool = False

    @classmethod
    def counts(cls, title: str, most: int) -> Scale:
        """A logarithmic scale (base 2) from 1 to ``most``, with a line at every power of two."""
        high = max(1.0, math.log2(most))
        ticks = tuple((float(i), f"{2**i:,}") for i in range(math.floor(high) + 1))
        return cls(title, 0.0, high, ticks)

    @classmethod
    def percent(cls, title: str, values: Iterable[float | None]) -> Scale:
        """A scale of fractions, labelled in percent, with a line every 5, 10, 20 or 100."""
        known = [value for value in values if value is not None]
        low, high = min(known, default=0.0), max(known, default=1.0)
        step = next(step for step in (0.05, 0.1, 0.2, 1.0) if high - low <= 9 * step or step == 1.0)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        last = max(last, first + 1)
        ticks = tuple((i * step, f"{100 * i * step:.0f}") for i in range(first, last + 1))
        return cls(title, first * step, last * step, ticks)

    @classmethod
    def months(cls, title: str, values: Iterable[float]) -> Scale:
        """A scale of months (numbered ``12 * year + month``), with a line every year."""
        known = list(values)
        first, last = int(min(known) - 1) // 12, int(max(known) + 11) // 12
        ticks = tuple((12 * year + 1.0, str(year)) for year in range(first, last + 1))
        return cls(title, ticks[0][0], ticks[-1][0], ticks, is_time=True)

    def said(self, value: float) -> str:
        """A value as text: a month, or a fraction in percent."""
        if self.is_time:
            return f"{int(value - 1) // 12}-{int(value - 1) % 12 + 1:02d}"
        return f"{100 * value:.1f}"

    def share(self, value: float) -> float:
        """The position of a value on the scale, from 0 to 1."""
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)


def scatter(spots: Sequence[Spot], x: Scale, y: Scale) -> Markup:
    """The SVG of points with their names and intervals."""
    said = f"{y.title} against {x.title}: " + "; ".join(
        f"{spot.name} {x.said(spot.x)}, {y.said(spot.y)}" for spot in spots
    )
    parts = [*grid(x, y), *(_spot(spot, x, y) for spot in spots), *_names(spots, x, y)]
    return Markup(
        '<svg class="plot scatter" height="{}" role="img" aria-label="{}">{}</svg>'
    ).format(HEIGHT, said, Markup("").join(parts))


def across(scale: Scale, value: float) -> float:
    """The horizontal position of a value, in percent from the left."""
    return _LEFT + (_RIGHT - _LEFT) * scale.share(value)


def down(scale: Scale, value: float) -> float:
    """The vertical position of a value, in pixels from the top."""
    return _TOP + (HEIGHT - _TOP - _BOTTOM) * (1 - scale.share(value))


def grid(x: Scale, y: Scale) -> list[Markup]:
    """The SVG of both axes' grid lines, numbers and titles."""
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
    """The SVG of a line through points (percent from the left, pixels from the top)."""
    # A polyline takes no percentages: it is drawn 100 wide and stretched to the page's width.
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
    """The SVG of each name next to its point, where it covers other points and names least."""
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
    # x is a share of the width, dx the distance from the point in pixels.
    return Markup('<text class="name {}" x="{}%" dx="{}" y="{}">{}</text>').format(
        side, round(px * 100 / _NOMINAL, 2), round(anchor - px, 1), round(base, 2), name
    )


_Box = tuple[float, float, float, float]


def _covered(box: _Box, taken: Sequence[_Box]) -> float:
    """The area of a box that other boxes cover, or that is outside of the plot."""
    left, top, right, bottom = box
    outside = max(0.0, right - _NOMINAL) + max(0.0, -left) + max(0.0, -top)
    return outside * _LINE + sum(
        max(0.0, min(right, r) - max(left, x)) * max(0.0, min(bottom, b) - max(top, t))
        for x, t, r, b in taken
    )


Curve = tuple[str, int, Sequence[float]]
"""A name, its series (colour and shape), and a value for each size."""


def curves(title: str, sizes: Sequence[int], lines: Sequence[Curve]) -> Markup:
    """The SVG of values in [0, 1] by number of candidates, the latter on a logarithmic scale.

    The legend's shapes mark powers of two and the end of each line.
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


# ------------------------------------------------------------
# Training curves of a graph network: the validation AUC after each epoch.


_CURVE_WIDTH, _CURVE_HEIGHT = 640, 360
_FROM_LEFT, _FROM_RIGHT, _FROM_TOP, _FROM_BOTTOM = 56, 20, 40, 44
_NAME_WIDTH, _NAME_HEIGHT = 200, 15
"""The width of the names to the right of the lines, and the height of one."""
_COLOURS = ("#2563eb", "#c2410c", "#15803d", "#7e22ce", "#0f766e", "#a16207", "#be185d")
TrainingCurve = tuple[str, Sequence[float]]
"""A name, and the AUC after each epoch."""


def curves_svg(title: str, curves: Sequence[TrainingCurve]) -> str:
    """The SVG of AUC (y) by epoch (x), with a line per training.

    Source: Zhan et al. 2024 (FuncEvalGMN), figure 18.
    """
    values = [value for _, line in curves for value in line]
    low = min((int(20 * value) / 20 for value in values), default=0.0)
    longest = max((len(line) for _, line in curves), default=1)

    def x(epoch: int) -> float:
        return _FROM_LEFT + (_CURVE_WIDTH - _FROM_LEFT - _FROM_RIGHT) * (
            epoch / max(1, longest - 1)
        )

    def y(value: float) -> float:
        return _FROM_TOP + (_CURVE_HEIGHT - _FROM_TOP - _FROM_BOTTOM) * (
            1 - (value - low) / max(1 - low, 1e-9)
        )

    said = "; ".join(f"{name}: {line[-1]:.4f} at the end" for name, line in curves if line)
    parts = [*_axes(title, low, longest, x, y)]
    ends = _apart([y(line[-1]) if line else y(low) for _, line in curves])
    for number, (name, line) in enumerate(curves):
        colour = _COLOURS[number % len(_COLOURS)]
        dashes = "6 3" if number >= len(_COLOURS) else "none"
        points = " ".join(f"{x(i):.1f},{y(value):.1f}" for i, value in enumerate(line))
        parts.append(
            Markup(
                '<polyline points="{0}" fill="none" stroke="{1}" stroke-width="2"'
                ' stroke-dasharray="{2}"/><text x="{3}" y="{4:.1f}" fill="{1}">{5}</text>'
            ).format(points, colour, dashes, _CURVE_WIDTH - _FROM_RIGHT + 8, ends[number] + 4, name)
        )
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" '
            'aria-label="{}" font-family="system-ui, sans-serif" font-size="12">'
            '<rect width="100%" height="100%" fill="white"/>{}</svg>\n'
        ).format(_CURVE_WIDTH + _NAME_WIDTH, _CURVE_HEIGHT, said, Markup("").join(parts))
    )


def _apart(places: Sequence[float]) -> list[float]:
    """The y positions of names at the ends of lines, moved so that none overlap."""
    found = list(places)
    lowest = float(_CURVE_HEIGHT - _FROM_BOTTOM)
    for number in sorted(range(len(found)), key=lambda i: -places[i]):
        found[number] = min(found[number], lowest)
        lowest = found[number] - _NAME_HEIGHT
    highest = float(_NAME_HEIGHT)
    for number in sorted(range(len(found)), key=lambda i: found[i]):
        found[number] = max(found[number], highest)
        highest = found[number] + _NAME_HEIGHT
    return found


def _axes(
    title: str, low: float, longest: int, x: Callable[[int], float], y: Callable[[float], float]
) -> list[Markup]:
    parts = [Markup('<text x="{}" y="22" font-size="14">{}</text>').format(_FROM_LEFT, title)]
    step = 0.05 if 1 - low > 0.1 else 0.01
    value = low
    while value <= 1 + 1e-9:
        parts.append(
            Markup(
                '<line x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}" stroke="#d4d4d4"/>'
                '<text x="{3}" y="{4:.1f}" text-anchor="end" fill="#404040">{5:.2f}</text>'
            ).format(
                _FROM_LEFT,
                _CURVE_WIDTH - _FROM_RIGHT,
                y(value),
                _FROM_LEFT - 6,
                y(value) + 4,
                value,
            )
        )
        value += step
    number = Markup('<text x="{:.1f}" y="{}" text-anchor="middle" fill="#404040">{}</text>')
    parts += [
        number.format(x(epoch), _CURVE_HEIGHT - _FROM_BOTTOM + 18, epoch + 1)
        for epoch in range(0, longest, max(1, longest // 10))
    ]
    parts.append(
        Markup('<text x="{}" y="{}" text-anchor="end" fill="#404040">epoch</text>').format(
            _CURVE_WIDTH - _FROM_RIGHT, _CURVE_HEIGHT - 8
        )
    )
    return parts
