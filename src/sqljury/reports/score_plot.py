"""The scores of an evaluation as one SVG image that needs no style sheet: for notebooks, papers."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sqljury.reports.plots import PlotPoint
from sqljury.reports.words import interval, percent, visible
from sqljury.uses.evaluate import Summary, named_scores
from sqljury.writing import PathLike, new_file

_NAMES, _BAR, _VALUES, _ROW = 260, 320, 150, 26
"""Widths of the three columns and height of a row, in pixels."""


class ScorePlot:
    """A bar from 0 to 100 % with its interval for each score; a notebook shows it as an image."""

    def __init__(self, points: Sequence[PlotPoint]) -> None:
        self.points = points

    @classmethod
    def of(cls, summary: Summary) -> ScorePlot:
        """A row a judge; where there are several systems, a row a judge and system."""
        return cls(
            [PlotPoint(name, one.score, one.low, one.high) for name, one in named_scores(summary)]
        )

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
    row = [
        Markup('<text x="{}" y="{}" text-anchor="end">{}</text>').format(
            _NAMES - 10, y + 4, _cut(visible(point.name))
        )
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


def _cut(name: str, most: int = 40) -> str:
    """A name that the column holds; its end tells judges with options apart least."""
    return name if len(name) <= most else f"{name[: most - 1]}…"
