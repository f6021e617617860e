"""The results of `select` as a document: accuracy by strategy, tests, slices, curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter

from sqljury.reports import plots, words
from sqljury.reports.document import (
    Block,
    CaseLine,
    CaseList,
    Lane,
    Lanes,
    Plot,
    ReportDocument,
    ReportSection,
    ReportTable,
    ShownCase,
)
from sqljury.reports.plots import Axis, PlotPoint
from sqljury.reports.scatter import Curve, curves
from sqljury.uses.select import Pick, Selection, SliceFigures, StrategyFigures

_SHOWN_SIZES = 9
_TOLD = {True: ("right", "good"), False: ("wrong", "bad"), None: ("not known", "")}
"""Whether a pick is right → the word and the style sheet's colour for it."""


def selection_document(found: Selection, *, title: str) -> ReportDocument:
    """The report: each strategy's accuracy, curves, tests against the baselines, and slices."""
    return ReportDocument(
        title=f"Selection: {title}",
        lead=f"{'; '.join(_sentences(found))}.",
        sections=list(_sections(found)) if found.n else [],
        notes=[f"{name}: {signature}" for name, signature in found.judges.items()],
        signature=found.signature,
    )


def _sentences(found: Selection) -> Iterator[str]:
    """Sentences with the numbers of questions and candidates, and of questions left out."""
    if found.n:
        yield (
            f"{words.count(found.n)} of {words.count(found.total)} questions count: "
            f"{words.count(found.candidates)} candidates, {words.count(found.distinct)} distinct"
        )
    else:
        yield f"{words.count(found.total)} questions; nothing says which candidates are right"
    if found.left_out:
        parts = (f"{name} {words.count(number)}" for name, number in found.left_out.items())
        yield f"left out: {', '.join(parts)}"
    if found.none_runs:
        yield f"no candidate runs: {words.count(found.none_runs)} questions"


def _sections(found: Selection) -> Iterator[ReportSection]:
    accuracy: list[Block] = [_accuracy_plot(found), _accuracy(found)]
    if found.systems:
        rows = [[words.visible(n), words.percent(a, 2)] for n, a in found.systems.items()]
        heads = ["system", "accuracy"]
        accuracy.append(ReportTable(caption="Single systems", heads=heads, rows=rows))
    yield ReportSection(title="Accuracy", blocks=accuracy)
    yield ReportSection(title="With n candidates", blocks=_curves(found))
    if found.tests:
        yield ReportSection(title="Against the baselines", blocks=[_tests(found)])
    slices = list(_slices(found))
    if slices:
        yield ReportSection(title="By difficulty", blocks=slices)
    apart = list(_apart(found))
    if apart:
        caption = f"{words.count(len(apart))} questions, of which a strategy is right and one wrong"
        yield ReportSection(title="Where strategies differ", blocks=[CaseList.of(caption, apart)])


def _apart(found: Selection) -> Iterator[ShownCase]:
    """Questions that some strategies get right and others wrong, with their picks."""
    for picks in zip(*found.picks.values(), strict=True):
        if {pick.right for pick in picks} >= {True, False}:
            question = picks[0].pool.question
            yield ShownCase(
                id=question.name,
                question=question.question or "",
                note=question.db_id,
                lines=list(_picked(dict(zip(found.picks, picks, strict=True)))),
            )


def _picked(picks: Mapping[str, Pick]) -> Iterator[CaseLine]:
    """A line per picked query, naming the strategies that pick it."""
    by_query: dict[str, list[str]] = {}
    for name, pick in picks.items():
        by_query.setdefault(pick.sql or "", []).append(name)
    for sql, names in by_query.items():
        right = picks[names[0]].right
        verdict, tone = _TOLD[right]
        yield CaseLine(name=f"{verdict}, {', '.join(names)}:", sql=sql, tone=tone)


def _with_oracle(found: Selection) -> list[StrategyFigures]:
    """The figures of the strategies, and the oracle's last, if known."""
    named = [one for one in found.strategies if one.name != "oracle"]
    return named if found.oracle is None else [*named, found.oracle]


def _accuracy(found: Selection) -> ReportTable:
    rows = [
        [
            words.visible(one.name),
            words.count(one.n),
            words.percent(one.accuracy, 2),
            words.interval(one.low, one.high, 2),
            words.percent(one.regret, 2),
        ]
        for one in _with_oracle(found)
    ]
    heads = ["strategy", "n", "accuracy", "95 %", "regret"]
    return ReportTable(caption="In percent", heads=heads, rows=rows)


def _accuracy_plot(found: Selection) -> Lanes:
    points = [
        PlotPoint(words.visible(one.name), one.accuracy, one.low, one.high, series)
        for series, one in enumerate(_with_oracle(found))
    ]
    axis = Axis.around(end for p in points for end in (p.value, p.low, p.high))
    lanes = [
        Lane(name=p.name, plot=plots.dots([p], axis), value=words.percent(p.value, 2))
        for p in points
    ]
    caption = "Accuracy in percent, with 95 % intervals by resampling questions"
    return Lanes(caption=caption, lanes=lanes, axis=plots.axis_labels(axis))


_MEAN = "Mean over subsets of n candidates; the oracle is pass@n"
_IN_ORDER = "The first n candidates of each pool, as they were given"


def _curves(found: Selection) -> list[Block]:
    blocks: list[Block] = []
    for caption, lines in _lines(found, _with_oracle(found)):
        places = _shown_places(found.sizes)
        rows = [[name, *(words.percent(curve[i], 2) for i in places)] for name, _, curve in lines]
        heads = ["strategy", *(words.count(found.sizes[place]) for place in places)]
        blocks.append(_plot(caption, found.sizes, lines))
        blocks.append(ReportTable(caption=f"{caption}; in percent", heads=heads, rows=rows))
    return blocks


def _lines(
    found: Selection, figures: Sequence[StrategyFigures | SliceFigures]
) -> Iterator[tuple[str, list[Curve]]]:
    """Caption and lines of each chart of curves; charts without known values are left out."""
    names = [words.visible(one.name) for one in _with_oracle(found)]
    for caption, curve_of in ((_MEAN, attrgetter("curve")), (_IN_ORDER, attrgetter("in_order"))):
        lines = [
            (name, series, curve_of(one))
            for series, (name, one) in enumerate(zip(names, figures, strict=True))
            if curve_of(one)
        ]
        if lines:
            yield caption, lines


def _plot(caption: str, sizes: Sequence[int], lines: Sequence[Curve]) -> Plot:
    legend = [(series, name) for name, series, _ in lines]
    return Plot(caption=caption, plot=curves("accuracy", sizes, lines), legend=legend)


def _tests(found: Selection) -> ReportTable:
    heads = [
        "strategy",
        "baseline",
        "difference",
        "95 %",
        "only\nstrategy",
        "only\nbaseline",
        "p exact",
        "p χ²",
        "Bonferroni",
    ]
    rows = [
        [
            words.visible(test.first),
            words.visible(test.second),
            words.percent(test.difference, 2),
            words.interval(test.low, test.high, 2),
            words.count(test.only_first),
            words.count(test.only_second),
            *map(words.p_value, (test.p, test.p_chi2, test.p_bonferroni)),
        ]
        for test in found.tests
    ]
    caption = "McNemar's test on the picks of this seed"
    return ReportTable(caption=caption, heads=heads, rows=rows, texts=2)


def _slices(found: Selection) -> Iterator[Block]:
    strategies = _with_oracle(found)
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
            for part in values:
                yield from _slice_plots(found, dimension, part.value)


def _slice_plots(found: Selection, dimension: str, value: str) -> Iterator[Plot]:
    figures = [
        part
        for one in _with_oracle(found)
        for part in one.slices
        if (part.dimension, part.value) == (dimension, value)
    ]
    for caption, lines in _lines(found, figures):
        yield _plot(f"{dimension}: {words.visible(value)}. {caption}", found.sizes, lines)


def _shown_places(sizes: Sequence[int]) -> list[int]:
    """Indices of the sizes that a narrow table shows: powers of two and the last.

    >>> _shown_places(range(1, 18))
    [0, 1, 3, 7, 15, 16]
    """
    powers = [place for place, size in enumerate(sizes) if size & (size - 1) == 0]
    chosen = sorted({*powers, len(sizes) - 1}) if sizes else []
    return chosen if len(chosen) <= _SHOWN_SIZES else [*chosen[: _SHOWN_SIZES - 1], chosen[-1]]
