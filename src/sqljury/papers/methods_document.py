"""`methods` as a document: EX, ROSE and their gap for each method, the findings, with plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sqljury.papers.findings import Measured, PaperClaim, month_of
from sqljury.papers.methods import MethodFigures, MethodRow, Methods
from sqljury.reports import plots, words
from sqljury.reports.document import (
    Block,
    Lane,
    Lanes,
    Plot,
    ReportDocument,
    ReportSection,
    ReportTable,
)
from sqljury.reports.plots import Axis, PlotPoint
from sqljury.reports.scatter import Scale, Spot, scatter
from sqljury.signature import signed
from sqljury.uses.statistics import Interval

_KINDS = ("base model", "prompting", "fine-tuned")


def methods_document(found: Methods, *, title: str = "EX and ROSE") -> ReportDocument:
    """A report of the methods, their gaps, four findings, and published figures that differ."""
    sections = [_scores(found), _gaps(found)]
    sections += [_finding(found, finding) for finding in found.findings]
    sections += [_tables(found), _published(found)]
    return ReportDocument(
        title=title,
        lead=f"{len(found.methods)} recorded methods; plots are over the "
        f"{words.count(found.n_common)} questions that all share.",
        sections=sections,
        notes=found.notes,
        signature=_signature(found),
    )


def _signature(found: Methods) -> str:
    """How the figures were computed, on one line."""
    return signed(
        f"methods:{len(found.methods)}",
        ("n", f"{found.n_smallest}-{found.n_largest}"),
        ("common", found.n_common),
        ("confidence", f"{found.confidence:g}"),
    )


def _point(name: str, value: float | None, interval: Interval | None, series: int = 0) -> PlotPoint:
    return PlotPoint(name, value, *_ends(interval), series=series)


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else interval


def _signed(fraction: float | None) -> str:
    """A difference in percentage points.

    >>> _signed(0.0675), _signed(-0.013), _signed(None)
    ('+6.75', '-1.30', '–')
    """
    return words.UNDEFINED if fraction is None else f"{100 * fraction:+.2f}"


def _between(interval: tuple[float, float] | None) -> str:
    """The ends of the interval of a difference, as text."""
    if interval is None:
        return ""
    return f"{_signed(interval[0])} to {_signed(interval[1])}"


def _scores(found: Methods) -> ReportSection:
    ranked = sorted(found.methods, key=lambda row: -(row.common.rose or 0))
    axis = Axis()
    lanes = [
        Lane(
            name=words.visible(row.name),
            plot=plots.dots(
                [
                    _point("EX", row.common.ex, row.common.ex_interval, 0),
                    _point("ROSE", row.common.rose, row.common.rose_interval, 1),
                ],
                axis,
            ),
            value=words.percent(row.common.rose, 1),
        )
        for row in ranked
    ]
    return ReportSection(
        title="Scores",
        blocks=[
            Lanes(
                caption="EX and ROSE in percent, by ROSE",
                lanes=lanes,
                axis=plots.axis_labels(axis),
                legend=[(0, "EX"), (1, "ROSE")],
            )
        ],
    )


def _gaps(found: Methods) -> ReportSection:
    ranked = sorted(found.methods, key=lambda row: -(row.common.gap or 0))
    return ReportSection(
        title="The gap: ROSE − EX",
        blocks=[
            _gap_lanes("Percentage points, with intervals", [("", ranked)]),
            _gap_scatter(
                "Against EX",
                found.methods,
                "EX, in percent",
                [(row, row.common.ex or 0.0) for row in found.methods],
            ),
        ],
    )


def _gap_lanes(caption: str, groups: Sequence[tuple[str, Sequence[MethodRow]]]) -> Lanes:
    rows = [(head, row) for head, group in groups for row in group]
    points = [
        _point(row.name, row.common.gap, row.common.gap_interval, _kind(row)) for _, row in rows
    ]
    low = min((p.low for p in points if p.low is not None), default=0.0)
    axis = Axis(low=-0.25 if low < 0 else 0.0, high=0.5)
    lanes = [
        Lane(
            head=head if i == 0 or rows[i - 1][0] != head else "",
            name=words.visible(row.name),
            plot=plots.dots([point], axis),
            value=_signed(row.common.gap),
        )
        for i, ((head, row), point) in enumerate(zip(rows, points, strict=True))
    ]
    return Lanes(
        caption=caption,
        lanes=lanes,
        axis=plots.axis_labels(axis),
        legend=_legend(row for _, row in rows),
    )


def _gap_scatter(
    caption: str, rows: Sequence[MethodRow], title: str, xs: Sequence[tuple[MethodRow, float]]
) -> Plot:
    spots = [
        Spot(
            words.visible(row.name),
            x,
            row.common.gap or 0.0,
            *_ends(row.common.gap_interval),
            series=_kind(row),
        )
        for row, x in xs
    ]
    ends = [end for spot in spots for end in (spot.low, spot.y, spot.high)]
    values = [x for _, x in xs]
    dated = any(abs(x) > 1 for x in values)
    scale = Scale.months(title, values) if dated else Scale.percent(title, values)
    plot = scatter(spots, scale, Scale.percent("ROSE − EX, in percentage points", ends))
    return Plot(caption=caption, plot=plot, legend=_legend(rows))


def _kind(row: MethodRow) -> int:
    return _KINDS.index(row.kind) if row.kind in _KINDS else len(_KINDS)


def _legend(rows: Iterable[MethodRow]) -> list[tuple[int, str]]:
    kinds = {_kind(row): row.kind or "unknown" for row in rows}
    return sorted(kinds.items()) if len(kinds) > 1 else []


def _finding(found: Methods, finding: PaperClaim) -> ReportSection:
    rows = [[test.name, test.statistic, *_measured(test), test.method] for test in finding.tests]
    heads = ["test", "statistic", "value", "interval", "p", "n", "how"]
    tests = ReportTable(caption="Tests", heads=heads, rows=rows, wide=True)
    return ReportSection(
        title=finding.claim,
        lines=[f"{finding.answer.capitalize()}."],
        blocks=[*_PLOTS[finding.key](found, finding), tests],
    )


def _measured(test: Measured) -> list[str]:
    """Value, interval, p and n as text: shares and differences in percent, τ and η² as numbers."""
    if test.statistic in ("τ", "η²"):
        value = words.UNDEFINED if test.value is None else f"{test.value:.2f}"
        ends = ""
    elif test.statistic == "share":
        value = words.percent(test.value)
        ends = words.interval(*test.interval) if test.interval else ""
    else:
        value, ends = _signed(test.value), _between(test.interval)
    return [value, ends, words.p_value(test.p) if test.p is not None else "", str(test.n)]


def _by_base_model(found: Methods, _: PaperClaim) -> list[Lanes]:
    groups: dict[str, list[MethodRow]] = {}
    for row in found.methods:
        if row.base_model and row.kind != "fine-tuned":
            groups.setdefault(row.base_model, []).append(row)
    best = sorted(groups, key=lambda name: -max(row.common.rose or 0 for row in groups[name]))
    axis = Axis()
    lanes = [
        Lane(
            head=name if i == 0 else "",
            name=words.visible(row.name),
            plot=plots.dots(
                [_point(row.name, row.common.rose, row.common.rose_interval, _kind(row))],
                axis,
            ),
            value=words.percent(row.common.rose),
        )
        for name in best
        for i, row in enumerate(groups[name])
    ]
    chosen = [row for group in groups.values() for row in group]
    return [
        Lanes(
            caption="ROSE in percent, by base model; methods that were not fine-tuned",
            lanes=lanes,
            axis=plots.axis_labels(axis),
            legend=_legend(chosen),
        )
    ]


def _widening(found: Methods, _: PaperClaim) -> list[Plot]:
    strength = [
        (row, ((row.common.ex or 0.0) + (row.common.rose or 0.0)) / 2) for row in found.methods
    ]
    dated = [(row, month_of(row.released)) for row in found.methods if row.released]
    plotted = [
        _gap_scatter("With strength", found.methods, "Mean of EX and ROSE, in percent", strength)
    ]
    if dated:
        plotted.append(_gap_scatter("Over time", [row for row, _ in dated], "Released", dated))
    return plotted


def _divergence(_: Methods, finding: PaperClaim) -> list[Lanes]:
    axis = Axis()
    lanes = [
        Lane(
            name=test.name,
            plot=plots.dots([_point(test.name, test.value, test.interval)], axis),
            value=words.percent(test.value),
        )
        for test in finding.tests
        if test.statistic == "share"
    ]
    return [
        Lanes(
            caption="Answers that ROSE accepts and EX does not: shares with a label, in percent",
            lanes=lanes,
            axis=plots.axis_labels(axis),
        )
    ]


def _by_kind(found: Methods, _: PaperClaim) -> list[Lanes]:
    groups = [
        (kind or "unknown", sorted(rows, key=lambda row: -(row.common.gap or 0)))
        for kind in dict.fromkeys([*_KINDS, *(row.kind for row in found.methods)])
        if (rows := [row for row in found.methods if row.kind == kind])
    ]
    return [_gap_lanes("ROSE − EX in percentage points, by kind", groups)]


_PLOTS: dict[str, Callable[[Methods, PaperClaim], Sequence[Block]]] = {
    "base_model": _by_base_model,
    "widening_gap": _widening,
    "divergence": _divergence,
    "fine_tuning": _by_kind,
}


def _tables(found: Methods) -> ReportSection:
    tables = (_own(found), _common(found), _labels(found), _difficulties(found))
    return ReportSection(title="All figures", blocks=[table for table in tables if table.rows])


def _own(found: Methods) -> ReportTable:
    heads = ("method", "n", "EX", "ROSE", "gap", f"gap, {100 * found.confidence:g} %", "p")
    return ReportTable(
        caption="Each method on its own questions, in percent",
        heads=heads,
        rows=[
            [words.visible(row.name), *_figures(row.own), words.p_value(row.own.p)]
            for row in found.methods
        ],
    )


def _figures(figures: MethodFigures) -> list[str]:
    return [
        words.count(figures.n),
        words.percent(figures.ex, 2),
        words.percent(figures.rose, 2),
        _signed(figures.gap),
        _between(figures.gap_interval),
    ]


def _common(found: Methods) -> ReportTable:
    ends = f"gap, {100 * found.confidence:g} %"
    ranks = {
        name: sorted(-(getattr(row.common, name) or 0) for row in found.methods)
        for name in ("ex", "rose")
    }
    return ReportTable(
        caption=f"All methods on the {words.count(found.n_common)} questions that they share, "
        "in percent",
        heads=("method", "EX", "ROSE", "gap", ends, "rank by EX", "rank by ROSE"),
        rows=[
            [
                words.visible(row.name),
                *_figures(row.common)[1:],
                *(
                    str(1 + at.index(-(getattr(row.common, name) or 0)))
                    for name, at in ranks.items()
                ),
            ]
            for row in sorted(found.methods, key=lambda row: -(row.common.rose or 0))
        ],
    )


def _labels(found: Methods) -> ReportTable:
    rows = []
    for row in found.methods:
        own = row.own
        numbers = (own.asked, own.gold_fault, own.ambiguous_question, own.ambiguous_schema)
        counted = (_counted(number, own.n) for number in numbers)
        rows.append([words.visible(row.name), words.count(own.n), *counted])
    return ReportTable(
        caption="What the Refuter says of the benchmark, in percent of each method's questions",
        heads=("method", "n", "Refuter asked", "GoldX", "AmbQ", "ambiguous schema"),
        rows=rows,
    )


def _counted(number: int, n: int) -> str:
    return f"{words.percent(number / n if n else None)} ({number})"


def _difficulties(found: Methods) -> ReportTable:
    rows = found.methods
    names = list(dict.fromkeys(part.difficulty for row in rows for part in row.by_difficulty))
    parts = [{part.difficulty: part for part in row.by_difficulty} for row in rows]
    return ReportTable(
        caption="EX → ROSE by difficulty, in percent (n)",
        heads=("method", *names),
        rows=[
            [words.visible(row.name), *(_slice(known.get(name)) for name in names)]
            for row, known in zip(rows, parts, strict=True)
        ]
        if names
        else [],
    )


def _slice(part: MethodFigures | None) -> str:
    if part is None:
        return words.UNDEFINED
    return f"{words.percent(part.ex)} → {words.percent(part.rose)} ({part.n})"


def _published(found: Methods) -> ReportSection:
    heads = ["method", "figure", "published", "recorded", "n", "recorded of"]
    rows = [
        [
            words.visible(row.name),
            row.figure,
            f"{row.published:.2f}",
            f"{row.recorded:.2f}",
            str(row.n),
            words.visible(row.recorded_of) or words.UNDEFINED,
        ]
        for row in found.disagreements
    ]
    caption = f"{len(rows)} of {found.n_published} published figures"
    return ReportSection(
        title="Published figures that the recordings do not give",
        blocks=[ReportTable(caption=caption, heads=heads, rows=rows, texts=2)],
    )
