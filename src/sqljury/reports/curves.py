"""Curves over the number of candidates as inline SVG, on the axes of a scatter plot."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from sqljury.reports.plots import shape
from sqljury.reports.scatter import HEIGHT, Scale, across, down, grid, line_through

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
