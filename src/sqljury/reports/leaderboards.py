"""Leaderboards before and after corrections: as a document with a plot, and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sqljury.reports import plots, words
from sqljury.reports.plots import Axis, PlotPoint
from sqljury.reports.sections import (
    Block,
    Lane,
    Lanes,
    ReportDocument,
    ReportSection,
    ReportTable,
)
from sqljury.spreadsheet import SafeRows
from sqljury.uses.leaderboard import Leaderboard, Standing
from sqljury.writing import PathLike, new_file

if TYPE_CHECKING:
    from sqljury.api.rescoring import Rescored

_HEADS = ("n", "before", "95 %", "rank", "n", "after", "95 %", "rank", "change")
_FLIPS = ("p before", "p after")
_RANKS = "rank: the place by score, and the places that are left when chance is allowed for"


def rescored_document(found: Sequence[Rescored], *, title: str) -> ReportDocument:
    """Both leaderboards beside each other, and the pairs that change places."""
    return ReportDocument(
        title=title,
        lead="Scores of the same answers before and after corrections of the references.",
        sections=[
            ReportSection(title=one.before.judge, blocks=list(_blocks(one)), lines=[_lead(one)])
            for one in found
        ],
        notes=[f"{_RANKS}."],
        signature=found[0].signature,
    )


def _lead(found: Rescored) -> str:
    pairs = words.count(len(found.before.tests))
    apart = [
        words.count(sum(one.significant for one in board.tests))
        for board in (found.before, found.after)
    ]
    return (
        f"{found.before.judge}: {words.count(found.judged)} verdicts were found anew; of {pairs} "
        f"pairs of systems {apart[0]} differ by more than chance before and {apart[1]} after, "
        f"{words.count(len(found.flips))} change places."
    )


def _rows(found: Rescored) -> Iterator[list[str]]:
    """A row for each system, in the order after the corrections."""
    before = {one.system: one for one in found.before.standings}
    for new in found.after.standings:
        old = before[new.system]
        both = old.score is not None and new.score is not None
        change = f"{100 * (new.score - old.score):+.1f}" if both else words.UNDEFINED  # type: ignore[operator]
        yield [words.visible(new.system or "(no source)"), *_cells(old), *_cells(new), change]


def _cells(one: Standing) -> list[str]:
    span = str(one.best) if one.best == one.worst else f"{one.best}–{one.worst}"
    return [
        words.count(one.n),
        words.percent(one.score),
        words.interval(one.low, one.high),
        f"{one.rank} ({span})",
    ]


def _flip_rows(found: Rescored) -> Iterator[list[str]]:
    for one in found.flips:
        pair = f"{one.ahead_after} passes {one.ahead_before}"
        yield [words.visible(pair), *map(words.p_value, (one.p_before, one.p_after))]


def write_rescored_csv(path: PathLike, found: Sequence[Rescored]) -> None:
    """Write a line for each judge and system; fractions, not percent.

    Raises:
        InputError: the file cannot be written.
    """
    fields = ("n", "score", "low", "high", "rank", "best", "worst")
    with new_file(path) as file:
        rows = SafeRows(file)
        rows.write(["judge", "system", *(f"{f}_{w}" for w in ("before", "after") for f in fields)])
        for one in found:
            before = {standing.system: standing for standing in one.before.standings}
            for new in one.after.standings:
                both = (before[new.system], new)
                cells = (getattr(standing, f) for standing in both for f in fields)
                rows.write([one.after.judge, new.system, *cells])


def _blocks(found: Rescored) -> Iterator[Block]:
    yield _plot(found)
    heads = ["system", *_HEADS]
    caption = "In percent, with Wilson's intervals of 95 %"
    yield ReportTable(caption=caption, heads=heads, rows=list(_rows(found)))
    if found.flips:
        caption = "Pairs that change places: McNemar's exact test, adjusted by Holm's method"
        rows = list(_flip_rows(found))
        yield ReportTable(caption=caption, heads=["pair", *_FLIPS], rows=rows)


def _plot(found: Rescored) -> Lanes:
    before = _points(found.before, 0)
    pairs = [(before[name], point) for name, point in _points(found.after, 1).items()]
    axis = Axis.around(end for pair in pairs for p in pair for end in (p.value, p.low, p.high))
    lanes = [
        Lane(
            name=words.visible(new.name),
            plot=plots.dots([old, new], axis),
            value=words.percent(new.value),
        )
        for old, new in pairs
    ]
    return Lanes(
        caption="Score in percent, with intervals of 95 %",
        lanes=lanes,
        axis=plots.axis_labels(axis),
        legend=[(0, "before"), (1, "after")],
    )


def _points(board: Leaderboard, series: int) -> dict[str, PlotPoint]:
    return {
        one.system: PlotPoint(one.system or "(no source)", one.score, one.low, one.high, series)
        for one in board.standings
    }
