"""Risk against coverage as inline SVG: what answering only from a confidence on gives."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sqljury.reports.plots import shape
from sqljury.reports.scatter import HEIGHT, Scale, across, down, grid, line_through
from sqljury.reports.trust_rows import rule_name
from sqljury.uses.trust import Trust


def risk_curves(systems: Sequence[tuple[int, Trust]]) -> Markup:
    """A line for each system that has confidences, by its series.

    Its shape marks the end, where all that has a confidence is answered, and the thresholds that
    were chosen on validation decisions.
    """
    x = Scale.percent("coverage, %", (0.0, 1.0))
    risks = [point.risk for _, found in systems for point in found.curve]
    risks += [row.risk for _, found in systems for row in found.thresholds if row.risk is not None]
    y = Scale.percent("risk, %", (0.0, *risks))
    said = "; ".join(
        f"{found.name} {y.said(found.curve[0].risk)} at {x.said(found.curve[0].coverage)}, "
        f"{y.said(found.curve[-1].risk)} at {x.said(found.curve[-1].coverage)}"
        for _, found in systems
    )
    lines = [_curve(series, found, x, y) for series, found in systems]
    return Markup(
        '<svg class="plot curves" height="{}" role="img" aria-label="Risk at coverage: {}">{}</svg>'
    ).format(HEIGHT, said, Markup("").join([*grid(x, y), *lines]))


def _curve(series: int, found: Trust, x: Scale, y: Scale) -> Markup:
    last = found.curve[-1]
    marked = [(rule_name(row.rule), row.coverage, row.risk) for row in found.thresholds]
    parts = [line_through((across(x, p.coverage), down(y, p.risk)) for p in found.curve)]
    for name, coverage, risk in [*marked, ("all that has a confidence", last.coverage, last.risk)]:
        if coverage and risk is not None:
            said = f"{found.name}, {name}: {x.said(coverage)} % answered, {y.said(risk)} % wrong"
            place = round(across(x, coverage), 3), round(down(y, risk), 2)
            mark = Markup('<svg x="{}%" y="{}"><title>{}</title>{}</svg>')
            parts.append(mark.format(*place, said, shape(series)))
    return Markup('<g class="s{}">{}</g>').format(series % 6, Markup("").join(parts))
