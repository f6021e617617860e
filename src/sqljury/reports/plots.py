"""Plots as SVG, for pages and for notebooks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from sqljury.reports.words import count, interval, percent, visible
from sqljury.verdict import Outcome
from sqljury.writing import PathLike, new_file

if TYPE_CHECKING:
    from sqljury.learning.calibration import Reliability


# ------------------------------------------------------------
# Plots as inline SVG. They are as wide as the page, so horizontal positions are percentages.
# Colours and text sizes come from the style sheet, so that a plot follows the theme and fits a
# narrow screen. Every plot has a text alternative with its values.

_LANE = 13
"""The height of one dot with its interval, in pixels."""
_MARGIN = 7
_MARKERS = (
    Markup('<circle r="4.5"/>'),
    Markup('<rect x="-4" y="-4" width="8" height="8"/>'),
    Markup('<path d="M0-5.5 5.5 0 0 5.5-5.5 0Z"/>'),
    Markup('<path d="M0-5.5 5 4H-5Z"/>'),
    Markup('<path d="M0 5.5 5-4H-5Z"/>'),
    Markup('<path d="M-5-2h3v-3h4v3h3v4h-3v3h-4v-3h-3Z"/>'),
)
_COLOURS = 6
"""The number of colours in the style sheet; with the shapes, 36 judges are distinguishable."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The range of fractions that a plot shows."""

    low: float = 0.0
    high: float = 1.0

    @classmethod
    def around(cls, values: Iterable[float | None]) -> Axis:
        """An axis from 0 to 1, or from the quarter at or below the lowest value if negative."""
        lowest = min((value for value in values if value is not None), default=0.0)
        return cls(low=min(0.0, math.floor(lowest * 4) / 4))

    def place(self, value: float) -> str:
        """The position of a value, as a percentage for SVG."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{100 * share:.2f}%"

    @property
    def ticks(self) -> list[float]:
        """The values of the grid lines, a quarter apart."""
        return [self.low + 0.25 * i for i in range(round((self.high - self.low) * 4) + 1)]


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """A named value with its interval; ``series`` selects colour and shape."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    series: int = 0


def score_bar(point: PlotPoint) -> Markup:
    """The SVG of a bar from 0 to the value, with the interval drawn over it."""
    axis = Axis()
    bar = (
        Markup('<rect class="bar" width="{}" y="4" height="12" rx="2"/>').format(
            axis.place(point.value)
        )
        if point.value is not None
        else Markup("")
    )
    track = Markup('<rect class="track" width="100%" y="4" height="12" rx="2"/>')
    whisker = _whisker(axis, point, 10)
    return _svg("score", 20, _in_words([point]), track + bar + whisker)


def dots(points: Sequence[PlotPoint], axis: Axis) -> Markup:
    """The SVG of a dot with its interval per point, each below the other."""
    height = _LANE * len(points) + 2 * _MARGIN
    line = Markup('<line class="{}" x1="{}" x2="{}" y2="{}"/>')
    parts = [
        line.format("zero" if tick == 0 else "tick", axis.place(tick), axis.place(tick), height)
        for tick in axis.ticks
    ]
    for lane, point in enumerate(points):
        y = _MARGIN + _LANE * lane + _LANE // 2
        if point.value is not None:
            parts.append(
                Markup('<g class="s{}">{}<svg x="{}" y="{}">{}</svg></g>').format(
                    point.series % _COLOURS,
                    _whisker(axis, point, y),
                    axis.place(point.value),
                    y,
                    shape(point.series),
                )
            )
    return _svg("dots", height, _in_words(points), Markup("").join(parts))


def marker(series: int) -> Markup:
    """The SVG of a series' colour and shape, for a legend."""
    return Markup(
        '<svg class="marker s{0}" width="12" height="12" viewBox="-6 -6 12 12" '
        'aria-hidden="true">{1}</svg>'
    ).format(series % _COLOURS, shape(series))


def shape(series: int) -> Markup:
    """The SVG of a series' shape."""
    return _MARKERS[(series + series // _COLOURS) % len(_MARKERS)]


def stacked_bar(found: Sequence[tuple[Outcome, int]]) -> Markup:
    """The SVG of one bar divided by the shares of the outcomes, in the order given."""
    total = sum(number for _, number in found)
    parts, start = [], 0.0
    for outcome, number in found:
        share = 100 * number / total
        parts.append(
            Markup('<rect class="o-{}" x="{}" width="{}" height="22"><title>{}</title></rect>')
            .format(outcome, f"{start:.3f}%", f"{share:.3f}%", f"{outcome}: {count(number)}")
        )  # fmt: skip
        start += share
    said = ", ".join(f"{outcome} {count(number)}" for outcome, number in found)
    return _svg("stack", 22, said, Markup("").join(parts))


def axis_labels(axis: Axis) -> Markup:
    """The SVG of the numbers below the grid lines of :func:`dots`."""
    parts = [
        Markup('<text x="{}" y="12" class="{}">{}</text>').format(
            axis.place(tick),
            {axis.low: "first", axis.high: "last"}.get(tick, ""),
            f"{100 * tick:.0f}",
        )
        for tick in axis.ticks
    ]
    return Markup('<svg class="plot axis" height="16" aria-hidden="true">{}</svg>').format(
        Markup("").join(parts)
    )


def _whisker(axis: Axis, point: PlotPoint, y: int) -> Markup:
    if point.low is None or point.high is None:
        return Markup("")
    low, high = axis.place(point.low), axis.place(point.high)
    across = Markup('<line x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>').format(low, high, y)
    ends = Markup("").join(
        Markup('<line x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>').format(x, y - 3, y + 3)
        for x in (low, high)
    )
    return Markup('<g class="whisker">{}{}</g>').format(across, ends)


def _svg(kind: str, height: int, said: str, inside: Markup) -> Markup:
    return Markup('<svg class="plot {}" height="{}" role="img" aria-label="{}">{}</svg>').format(
        kind, height, said, inside
    )


def _in_words(points: Sequence[PlotPoint]) -> str:
    return "; ".join(
        f"{point.name}: {percent(point.value)} percent "
        f"({interval(point.low, point.high)})".removesuffix(" ()")
        for point in points
    )


_LONGEST_NAME = 40
_NAMES, _BAR, _VALUES, _ROW = 260, 320, 150, 26
"""Widths of the three columns and height of a row, in pixels."""


class ScorePlot:
    """A bar chart of scores in percent with their intervals; a notebook shows it as an image."""

    def __init__(self, points: Sequence[PlotPoint]) -> None:
        self.points = points

    def svg(self) -> str:
        """The image, as the text of an SVG file."""
        height = _ROW * (len(self.points) + 1)
        width = _NAMES + _BAR + _VALUES
        rows = Markup("").join(_row(place, point) for place, point in enumerate(self.points))
        return Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" '
            'viewBox="0 0 {0} {1}" font-family="sans-serif" font-size="12">'
            '<rect width="100%" height="100%" fill="#fff"/>{2}{3}</svg>'
        ).format(width, height, _axis(height), rows)

    def save(self, path: PathLike) -> None:
        """Write the image to an ``.svg`` file.

        Raises:
            InputError: SJ801: the file cannot be written.
        """
        with new_file(path) as file:
            file.write(self.svg())

    def _repr_svg_(self) -> str:
        return self.svg()


def _axis(height: int) -> Markup:
    mark = Markup(
        '<line x1="{0}" x2="{0}" y1="4" y2="{1}" stroke="#ddd"/>'
        '<text x="{0}" y="{2}" text-anchor="middle" fill="#666">{3}</text>'
    )
    return Markup("").join(
        mark.format(_NAMES + _BAR * share // 100, height - 22, height - 8, share)
        for share in range(0, 101, 25)
    )


def _row(place: int, point: PlotPoint) -> Markup:
    y = _ROW * place + _ROW // 2
    # Cut to fit the column; the end of a name with options distinguishes judges least.
    name = visible(point.name)
    name = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    row = [
        Markup('<text x="{}" y="{}" text-anchor="end">{}</text>').format(_NAMES - 10, y + 4, name)
    ]
    if point.value is not None:
        bar = Markup('<rect x="{}" y="{}" width="{:.1f}" height="10" fill="#1f5f8b"/>')
        row.append(bar.format(_NAMES, y - 5, _BAR * point.value))
    if point.low is not None and point.high is not None:
        line = Markup('<line x1="{0:.1f}" x2="{1:.1f}" y1="{2}" y2="{2}" stroke="#111"/>')
        row.append(line.format(_NAMES + _BAR * point.low, _NAMES + _BAR * point.high, y))
    said = f"{percent(point.value)} ({interval(point.low, point.high)})".removesuffix(" ()")
    row.append(Markup('<text x="{}" y="{}">{}</text>').format(_NAMES + _BAR + 10, y + 4, said))
    return Markup("").join(row)


# ------------------------------------------------------------
# Reliability diagrams: the share of right cases by score.


_SIDE = 300
_LEFT, _TOP, _BELOW = 46, 30, 64
_GAP = 40
# On a page these colours are the page's own, which follow its theme.
_STYLE = Markup(
    ".reliability text{font:12px system-ui,sans-serif;fill:var(--ink,#1a1a1a)}"
    ".reliability .title{font-weight:600;font-size:13px}.reliability .axis{stroke:#8a8a8a}"
    ".reliability .grid{stroke:var(--line,#e4e4e4)}"
    ".reliability .even{stroke:#8a8a8a;stroke-dasharray:4 4}"
    ".reliability .bar{fill:var(--s0,#3b6fb6)}.reliability .apart{fill:#d9822b;opacity:.45}"
)


def write_reliability(path: Path, diagrams: Mapping[str, Reliability]) -> None:
    """Write diagrams next to each other as an SVG file.

    Raises:
        InputError: SJ801: the file cannot be written.
    """
    with new_file(path) as file:
        file.write(str(reliability_svg(diagrams)) + "\n")


def reliability_svg(diagrams: Mapping[str, Reliability]) -> Markup:
    """The SVG of one reliability diagram per name.

    A bar is the share of right cases in a range of scores; the tinted part is its distance from
    the mean score there.
    """
    step = _LEFT + _SIDE + _GAP
    width, height = step * len(diagrams), _TOP + _SIDE + _BELOW
    parts = [_diagram(name, one, step * i) for i, (name, one) in enumerate(diagrams.items())]
    said = "; ".join(
        f"{name}: {one.n} cases, ECE {_number(one.ece)}, Brier {_number(one.brier)}"
        for name, one in diagrams.items()
    )
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="reliability" width="{0}" height="{1}" '
        'viewBox="0 0 {0} {1}" role="img" aria-label="{2}"><style>{3}</style>{4}</svg>'
    ).format(width, height, said, _STYLE, Markup("").join(parts))


def _diagram(name: str, found: Reliability, left: int) -> Markup:
    parts = [_reliability_axes()]
    for one in found.bins:
        if not one.count:
            continue
        low, high = sorted((one.right, one.score))
        x, wide = one.low * _SIDE + 1, (one.high - one.low) * _SIDE - 2
        parts.append(_rect("bar", x, wide, 0.0, one.right))
        parts.append(
            _rect("apart", x, wide, low, high, f"{one.count} cases, mean score {one.score:.3f}")
        )
    title = f"{name}: n {found.n:,}, ECE {_number(found.ece)}, Brier {_number(found.brier)}"
    parts.append(Markup('<text class="title" x="0" y="-12">{}</text>').format(title))
    return Markup('<g transform="translate({} {})">{}</g>').format(
        left + _LEFT, _TOP, Markup("").join(parts)
    )


def _reliability_axes() -> Markup:
    line = Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>')
    text = Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>')
    parts = []
    for tick in range(5):
        share = tick / 4
        at = _SIDE * share
        parts.append(line.format("grid", 0, _SIDE - at, _SIDE, _SIDE - at))
        parts.append(text.format(-6, _SIDE - at + 4, "end", f"{share:g}"))
        parts.append(text.format(at, _SIDE + 16, "middle", f"{share:g}"))
    parts.append(line.format("axis", 0, _SIDE, _SIDE, _SIDE))
    parts.append(line.format("even", 0, _SIDE, _SIDE, 0))
    parts.append(text.format(_SIDE / 2, _SIDE + 36, "middle", "score"))
    parts.append(
        Markup('<text transform="translate(-34 {}) rotate(-90)" text-anchor="middle">{}</text>')
        .format(_SIDE / 2, "share that is right")
    )  # fmt: skip
    return Markup("").join(parts)


def _rect(kind: str, x: float, wide: float, low: float, high: float, said: str = "") -> Markup:
    title = Markup("<title>{}</title>").format(said) if said else Markup("")
    return Markup(
        '<rect class="{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}">{}</rect>'
    ).format(kind, x, _SIDE * (1 - high), wide, _SIDE * (high - low), title)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
