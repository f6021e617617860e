"""`rose-vec` as a document: the tables of ROSE's paper, with plots of κ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqljury.papers.rose_vec import ABLATIONS, MetricComparison, MetricRow, RoseVec
from sqljury.reports import plots, words
from sqljury.reports.document import Lane, Lanes, ReportDocument, ReportSection, ReportTable
from sqljury.reports.plots import Axis, PlotPoint
from sqljury.uses.agree.agreement import Figures
from sqljury.uses.agree.document import estimate, statistic, statistic_name
from sqljury.uses.agree.stability import stability_section
from sqljury.version import __version__

_STATISTICS = ("kappa", "interval", "accuracy", "mcc", "f1")
"""The paper's columns, and how sure κ is."""


def rose_vec_document(found: RoseVec, *, title: str = "ROSE-VEC") -> ReportDocument:
    """The paper's tables: metrics and models with intervals, ablations, repeated runs."""
    return ReportDocument(
        title=title,
        lead=f"{len(found.metrics)} recorded metrics against the experts' labels of "
        f"{' and '.join(found.sets)}, with {100 * found.confidence:g} % intervals.",
        sections=list(_sections(found)),
        notes=found.notes,
        signature=_signature(found),
    )


def _sections(found: RoseVec) -> Iterator[ReportSection]:
    for name in (*found.sets, "pooled"):
        yield _agreement(found, name)
    if found.ablations:
        yield ReportSection(
            title="Ablations",
            blocks=[
                _kappas(found.ablations, ""),
                _metrics(found.ablations, "", found.confidence),
                _comparisons("Against ROSE of the same model", found.ablation_comparisons),
            ],
        )
    yield from map(stability_section, found.stability)
    yield ReportSection(
        title="Metrics against ROSE of the same model",
        blocks=[_comparisons("McNemar's exact test, two-sided", found.comparisons)],
    )


def _signature(found: RoseVec) -> str:
    """How the figures were computed, on one line."""
    return "|".join(
        (
            "rose-vec",
            f"sets:{'+'.join(found.sets)}",
            "labels:of the sets",
            f"bootstrap:{found.resamples}",
            f"seed:{found.seed}",
            f"confidence:{found.confidence:g}",
            f"sqljury:{__version__}",
        )
    )


def _agreement(found: RoseVec, name: str) -> ReportSection:
    return ReportSection(
        title="All sets pooled" if name == "pooled" else name,
        blocks=[_kappas(found.metrics, name), _metrics(found.metrics, name, found.confidence)],
    )


def _figures(rows: Iterable[MetricRow], name: str) -> list[tuple[MetricRow, Figures]]:
    """Figures of one set, of all (``pooled``: what is complete), or of what there is ("")."""
    parts = [(row, {part.value: part for part in row.figures.by_benchmark}) for row in rows]
    if name == "pooled":
        return [(row, row.figures) for row, _ in parts if row.complete]
    found = ((row, known.get(name) if name else row.figures) for row, known in parts)
    return [(row, figures) for row, figures in found if figures is not None]


def _metrics(rows: Iterable[MetricRow], name: str, confidence: float) -> ReportTable:
    columns = ("n", *_STATISTICS)
    return ReportTable(
        caption="In percent",
        heads=["model", "metric", *(statistic_name(c, confidence) for c in columns)],
        rows=[
            [row.model, _called(row), *(statistic(figures, column) for column in columns)]
            for row, figures in _figures(rows, name)
        ],
        texts=2,
    )


def _called(row: MetricRow | MetricComparison) -> str:
    return ABLATIONS.get(row.metric, row.metric)


def _kappas(rows: Sequence[MetricRow], name: str) -> Lanes:
    """A line for each metric, below a heading for each model."""
    models = list(dict.fromkeys(row.model for row in rows))
    points = [
        (
            row,
            PlotPoint(
                f"{row.model} {row.metric}", one.value, one.low, one.high, models.index(row.model)
            ),
        )
        for row, figures in _figures(rows, name)
        for one in [estimate(figures)]
    ]
    axis = Axis.around(end for _, p in points for end in (p.value, p.low, p.high))
    lanes = [
        Lane(
            head=row.model if i == 0 or points[i - 1][0].model != row.model else "",
            name=_called(row),
            plot=plots.dots([point], axis),
            value=words.percent(point.value, 2),
        )
        for i, (row, point) in enumerate(points)
    ]
    return Lanes(caption="Cohen's κ in percent", lanes=lanes, axis=plots.axis_labels(axis))


def _comparisons(caption: str, rows: Sequence[MetricComparison]) -> ReportTable:
    """Metrics against ROSE, model by model."""
    models = [row.model for row in rows]
    cells = [
        [
            row.model,
            _called(row),
            *map(words.count, (row.n, row.only_metric, row.only_other)),
            *map(words.p_value, (row.p, row.p_holm)),
        ]
        for row in sorted(rows, key=lambda row: models.index(row.model))
    ]
    heads = ["model", "metric", "n", "only metric\nright", "only ROSE\nright", "p", "Holm"]
    return ReportTable(caption=caption, heads=heads, rows=cells, texts=2)
