"""`rose-vec` and `methods` as self-contained HTML pages with plots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sqljury.papers import tables
from sqljury.papers.findings import PaperClaim
from sqljury.papers.methods import MethodRow, Methods
from sqljury.papers.rose_vec import ABLATIONS, MetricComparison, MetricRow, RoseVec
from sqljury.reports import plots, words
from sqljury.reports.plots import Axis, PlotPoint
from sqljury.reports.scatter import Scale, Spot, scatter
from sqljury.reports.sections import (
    Block,
    Lane,
    Lanes,
    Plot,
    ReportSection,
    ReportTable,
    write_page,
)
from sqljury.reports.stability import stability_section
from sqljury.uses.statistics import Interval
from sqljury.writing import PathLike


def _point(name: str, value: float | None, interval: Interval | None, series: int = 0) -> PlotPoint:
    return PlotPoint(name, value, *_ends(interval), series=series)


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else interval


# ---------------------------------------------------------------- rose-vec


def write_rose_vec_html(path: PathLike, found: RoseVec, *, title: str = "ROSE-VEC") -> None:
    """Write the paper's tables as one page: κ with intervals, ablations, repeated runs.

    Raises:
        InputError: the file cannot be written.
    """
    sections = [_agreement(found, name) for name in (*found.sets, "pooled")]
    if found.ablations:
        sections.append(
            ReportSection(
                title="Ablations",
                blocks=[
                    _kappas("Cohen's κ in percent", found.ablations, "", ABLATIONS.get),
                    _comparisons("Against ROSE of the same model", found.ablation_comparisons),
                ],
            )
        )
    sections += [stability_section(runs) for runs in found.stability]
    sections.append(
        ReportSection(
            title="Metrics against ROSE",
            blocks=[_comparisons("McNemar's exact test, two-sided", found.comparisons)],
        )
    )
    lead = (
        f"{len(found.metrics)} recorded metrics against the experts' labels of "
        f"{' and '.join(found.sets)}, with {100 * found.confidence:g} % intervals."
    )
    write_page(path, title, lead, sections, found.notes, tables.rose_vec_signature(found))


def _agreement(found: RoseVec, name: str) -> ReportSection:
    heads = (words.statistic_name(column, found.confidence) for column in tables.STATISTICS)
    rows = [
        [row.model, row.metric, *(cells[column] for column in ("n", *tables.STATISTICS))]
        for row, cells in tables.shown_rows(found.metrics, name)
    ]
    title = "All sets pooled" if name == "pooled" else name
    return ReportSection(
        title=title,
        blocks=[
            _kappas("Cohen's κ in percent", found.metrics, name),
            ReportTable(
                caption="In percent", heads=["model", "metric", "n", *heads], rows=rows, texts=2
            ),
        ],
    )


def _kappas(
    caption: str,
    rows: Sequence[MetricRow],
    name: str,
    called: Callable[[str], str | None] = lambda _: None,
) -> Lanes:
    """One lane a metric. ``name``: a set, ``pooled``, or "" for whatever was recorded."""
    points: list[tuple[MetricRow, PlotPoint]] = []
    models = list(dict.fromkeys(row.model for row in rows))
    for row in rows:
        parts = {part.value: part for part in row.figures.by_benchmark}
        figures = row.figures if name in ("", "pooled") else parts.get(name)
        if figures is not None and (row.complete or name != "pooled"):
            estimate = words.estimate(figures)
            label = f"{row.model} {row.metric}"
            points.append((row, PlotPoint(label, *estimate, models.index(row.model))))
    axis = Axis.around(end for _, p in points for end in (p.value, p.low, p.high))
    lanes = [
        Lane(
            head=row.model if i == 0 or points[i - 1][0].model != row.model else "",
            name=called(row.metric) or row.metric,
            plot=plots.dots([point], axis),
            value=words.percent(point.value, 2),
        )
        for i, (row, point) in enumerate(points)
    ]
    return Lanes(caption=caption, lanes=lanes, axis=plots.axis_labels(axis))


def _comparisons(caption: str, rows: Sequence[MetricComparison]) -> ReportTable:
    heads = ["model", "metric", "n", "only metric right", "only ROSE right", "p", "Holm"]
    return ReportTable(caption=caption, heads=heads, rows=tables.comparison_rows(rows), texts=2)


# ---------------------------------------------------------------- methods

_KINDS = ("base model", "prompting", "fine-tuned")


def write_methods_html(path: PathLike, found: Methods, *, title: str = "EX and ROSE") -> None:
    """Write methods, their gaps and the four findings as one page with plots.

    Raises:
        InputError: the file cannot be written.
    """
    lead = (
        f"{len(found.methods)} recorded methods; plots are over the "
        f"{words.count(found.n_common)} questions that all share."
    )
    sections = [_scores(found), _gaps(found)]
    sections += [_finding(found, finding) for finding in found.findings]
    sections += [_tables(found), _published(found)]
    write_page(path, title, lead, sections, found.notes, tables.methods_signature(found))


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
            value=tables.signed(row.common.gap),
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
    rows = [
        [test.name, test.statistic, *tables.measured_cells(test), test.method]
        for test in finding.tests
    ]
    heads = ["test", "statistic", "value", "interval", "p", "n", "how"]
    tests = ReportTable(caption="Tests", heads=heads, rows=rows, wide=True)
    return ReportSection(
        title=finding.claim,
        lines=[f"{finding.answer.capitalize()}."],
        blocks=[*_PLOTS[finding.key](found, finding), tests],
    )


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
    dated = [(row, _month(row.released)) for row in found.methods if row.released]
    plotted = [
        _gap_scatter("With strength", found.methods, "Mean of EX and ROSE, in percent", strength)
    ]
    if dated:
        plotted.append(_gap_scatter("Over time", [row for row, _ in dated], "Released", dated))
    return plotted


def _month(released: str) -> float:
    year, month = released.split("-")
    return 12 * int(year) + int(month)


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
    return ReportSection(
        title="All figures", blocks=[ReportTable(**part) for part in tables.method_parts(found)]
    )


def _published(found: Methods) -> ReportSection:
    heads = ["method", "figure", "published", "recorded", "n", "recorded of"]
    rows = [tables.disagreement_cells(row) for row in found.disagreements]
    caption = f"{len(rows)} of {found.n_published} published figures"
    return ReportSection(
        title="Published figures that the recordings do not give",
        blocks=[ReportTable(caption=caption, heads=heads, rows=rows)],
    )
