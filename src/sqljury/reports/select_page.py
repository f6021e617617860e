"""`select` as a self-contained HTML page with its curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqljury.reports import plots, words
from sqljury.reports.curves import Curve, curves
from sqljury.reports.plots import Axis, PlotPoint
from sqljury.reports.sections import (
    Block,
    Lane,
    Lanes,
    Plot,
    ReportSection,
    ReportTable,
    write_page,
)
from sqljury.reports.select_tables import sentences, shown_places, with_oracle
from sqljury.uses.select import Selection
from sqljury.writing import PathLike


def write_selection(path: PathLike, found: Selection, *, title: str) -> None:
    """Write accuracy by strategy, tests, slices and curves as one page.

    Raises:
        InputError: the file cannot be written.
    """
    sections = list(_sections(found)) if found.n else []
    lead = f"{'; '.join(sentences(found))}."
    write_page(path, f"Selection: {title}", lead, sections, [], found.signature)


def _sections(found: Selection) -> Iterator[ReportSection]:
    yield ReportSection(title="Accuracy", blocks=[_accuracy(found), *_systems(found)])
    yield ReportSection(title="With n candidates", blocks=_curves(found))
    if found.tests:
        yield ReportSection(title="Against the baselines", blocks=[_tests(found)])
    slices = list(_slices(found))
    if slices:
        yield ReportSection(title="By difficulty", blocks=slices)


def _accuracy(found: Selection) -> Lanes:
    points = [
        PlotPoint(words.visible(one.name), one.accuracy, one.low, one.high, series)
        for series, one in enumerate(with_oracle(found))
    ]
    axis = Axis.around(end for p in points for end in (p.value, p.low, p.high))
    lanes = [
        Lane(name=p.name, plot=plots.dots([p], axis), value=words.percent(p.value, 2))
        for p in points
    ]
    caption = "Accuracy in percent, with 95 % intervals by resampling questions"
    return Lanes(caption=caption, lanes=lanes, axis=plots.axis_labels(axis))


def _systems(found: Selection) -> Iterator[Block]:
    if found.systems:
        rows = [[words.visible(n), words.percent(a, 2)] for n, a in found.systems.items()]
        yield ReportTable(caption="Single systems", heads=["system", "accuracy"], rows=rows)


def _curves(found: Selection) -> list[Block]:
    lines = [
        (words.visible(one.name), series, one.curve)
        for series, one in enumerate(with_oracle(found))
        if one.curve
    ]
    places = shown_places(found.sizes)
    rows = [
        [name, *(words.percent(curve[place], 2) for place in places)] for name, _, curve in lines
    ]
    heads = ["strategy", *(words.count(found.sizes[place]) for place in places)]
    caption = "Mean over subsets of n candidates; the oracle is pass@n"
    return [
        _plot(caption, found.sizes, lines),
        ReportTable(caption="In percent", heads=heads, rows=rows),
    ]


def _plot(caption: str, sizes: Sequence[int], lines: Sequence[Curve]) -> Plot:
    legend = [(series, name) for name, series, _ in lines]
    return Plot(caption=caption, plot=curves("accuracy", sizes, lines), legend=legend)


def _tests(found: Selection) -> ReportTable:
    heads = [
        "strategy",
        "baseline",
        "difference",
        "95 %",
        "only strategy",
        "only baseline",
        "p exact",
        "p χ²",
        "Bonferroni",
    ]
    rows = [
        [
            words.visible(test.strategy),
            words.visible(test.baseline),
            words.percent(test.difference, 2),
            words.interval(test.low, test.high, 2),
            words.count(test.only_strategy),
            words.count(test.only_baseline),
            *map(words.p_value, (test.p, test.p_chi2, test.p_bonferroni)),
        ]
        for test in found.tests
    ]
    caption = "McNemar's test on the picks of this seed"
    return ReportTable(caption=caption, heads=heads, rows=rows, texts=2)


def _slices(found: Selection) -> Iterator[Block]:
    strategies = with_oracle(found)
    for dimension in dict.fromkeys(part.dimension for part in strategies[0].slices):
        values = [part for part in strategies[0].slices if part.dimension == dimension]
        rows = [
            [
                words.visible(one.name),
                *(words.percent(p.accuracy, 2) for p in one.slices if p.dimension == dimension),
            ]
            for one in strategies
        ]
        heads = ["strategy", *(f"{words.visible(p.value)} ({p.n:,})" for p in values)]
        yield ReportTable(caption=f"Accuracy by {dimension}, in percent", heads=heads, rows=rows)
        if len(values) > 1:
            yield from (_slice_plot(found, dimension, part.value) for part in values)


def _slice_plot(found: Selection, dimension: str, value: str) -> Plot:
    lines = [
        (words.visible(one.name), series, part.curve)
        for series, one in enumerate(with_oracle(found))
        for part in one.slices
        if (part.dimension, part.value) == (dimension, value) and part.curve
    ]
    return _plot(f"{dimension}: {words.visible(value)}", found.sizes, lines)
