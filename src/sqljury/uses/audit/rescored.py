"""Leaderboards of a run before and after corrections: scores, ranks and paired tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

from sqljury.case import Json
from sqljury.reports import plots, words
from sqljury.reports.document import Block, Lane, Lanes, ReportDocument, ReportSection, ReportTable
from sqljury.reports.plots import Axis, PlotPoint
from sqljury.spreadsheet import SafeRows
from sqljury.uses.evaluate.summary import is_right
from sqljury.uses.statistics import Paired, PairedCounts, adjusted, wilson_interval
from sqljury.verdict import Record
from sqljury.writing import PathLike, new_file

Question = tuple[str, str]
"""A benchmark and an id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One system's score and rank.

    Args:
        n: the number of questions that count; those without a reference or database do not.
        score: the share of right answers, in [0, 1], with Wilson's 95 % interval.
        rank: 1 for the best; equal scores share the smaller rank.
        best: 1 plus the number of systems that are significantly better.
        worst: the number of systems minus those that are significantly worse.
    """

    system: str
    n: int
    score: float | None
    low: float | None
    high: float | None
    rank: int
    best: int
    worst: int


_TEST = ("first", "second", "only_first", "only_second", "p", "p_holm", "significant")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """The systems by one judge, the best first, and a paired test of every two."""

    judge: str
    standings: tuple[Standing, ...]
    tests: tuple[Paired, ...]
    """In each, the better system is the first."""

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return {
            "judge": self.judge,
            "standings": [asdict(one) for one in self.standings],
            "tests": [{name: getattr(one, name) for name in _TEST} for one in self.tests],
        }


def right_answers(records: Iterable[Record]) -> dict[str, dict[Question, bool]]:
    """By system and question, True if the answer's verdict is ``correct``.

    Questions that are left out of scores (no reference, no database) are missing.

    Args:
        records: the verdicts of one judge.
    """
    found: dict[str, dict[Question, bool]] = {}
    for record in records:
        own = found.setdefault(record.case.source, {})
        if not record.verdict.outcome.left_out:
            own[record.case.benchmark, record.case.id] = is_right(record.verdict)
    return found


def leaderboard(judge: str, right: Mapping[str, Mapping[Question, bool]]) -> Leaderboard:
    """The leaderboard of the systems by one judge: scores, ranks and paired tests.

    >>> board = leaderboard("j", {"a": {("", "1"): True}, "b": {("", "1"): False}})
    >>> [(one.system, one.rank, one.best, one.worst) for one in board.standings]
    [('a', 1, 1, 2), ('b', 2, 1, 2)]

    Source: McNemar (1947) for pairs; Holm (1979) for many of them.
    """
    # Systems without a question come last.
    scores = {name: sum(own.values()) / len(own) if own else -1.0 for name, own in right.items()}
    order = sorted(right, key=lambda name: (-scores[name], name))
    tests = _tests(order, right)
    return Leaderboard(
        judge=judge,
        standings=tuple(_standing(name, right[name], scores, tests) for name in order),
        tests=tests,
    )


def _standing(
    name: str,
    own: Mapping[Question, bool],
    scores: Mapping[str, float],
    tests: Sequence[Paired],
) -> Standing:
    apart = [one for one in tests if one.significant]
    low, high = wilson_interval(sum(own.values()), len(own)) or (None, None)
    return Standing(
        system=name,
        n=len(own),
        score=scores[name] if own else None,
        low=low,
        high=high,
        rank=1 + sum(score > scores[name] for score in scores.values()),
        best=1 + sum(one.second == name for one in apart),
        worst=len(scores) - sum(one.first == name for one in apart),
    )


def _tests(
    order: Sequence[str], right: Mapping[str, Mapping[Question, bool]]
) -> tuple[Paired, ...]:
    found = []
    for first, second in combinations(order, 2):
        shared = right[first].keys() & right[second].keys()
        counts = PairedCounts.of((right[first][one], right[second][one]) for one in shared)
        found.append(counts.named(first, second))
    return tuple(adjusted(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Two systems whose order differs before and after the corrections.

    Args:
        p_before, p_after: p of their difference, adjusted for all pairs by Holm's method.
    """

    ahead_before: str
    ahead_after: str
    p_before: float | None
    p_after: float | None


def flips(before: Leaderboard, after: Leaderboard) -> tuple[Flip, ...]:
    """The pairs whose order is reversed afterwards; pairs of equal rank on either side are not."""
    ranks = [{one.system: one.rank for one in board.standings} for board in (before, after)]
    known = {frozenset((one.first, one.second)): one for one in after.tests}
    return tuple(
        Flip(
            ahead_before=one.first,
            ahead_after=one.second,
            p_before=one.p_holm,
            p_after=known[frozenset((one.first, one.second))].p_holm,
        )
        for one in before.tests
        if ranks[0][one.first] < ranks[0][one.second] and ranks[1][one.first] > ranks[1][one.second]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """One judge's leaderboards of a run before and after corrections.

    Args:
        judged: the number of verdicts that were judged again; all others are the run's.
    """

    before: Leaderboard
    after: Leaderboard
    flips: tuple[Flip, ...]
    judged: int
    signature: str

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return {
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "flips": [asdict(one) for one in self.flips],
            "judged": self.judged,
            "signature": self.signature,
        }


_HEADS = ("n", "before", "95 %", "rank", "n", "after", "95 %", "rank", "change")
_FLIPS = ("p before", "p after")
_RANKS = "rank: the place by score, and the places that are left when chance is allowed for"


def rescored_document(found: Sequence[Rescored], *, title: str) -> ReportDocument:
    """The report: both leaderboards side by side, and the pairs whose order is reversed."""
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


def _standing_rows(found: Rescored) -> Iterator[list[str]]:
    """A row per system, in the order after the corrections."""
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


def write_rescored_csv(path: PathLike, found: Sequence[Rescored]) -> None:
    """Write a CSV row per judge and system; scores are fractions, not percent.

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
    yield ReportTable(caption=caption, heads=heads, rows=list(_standing_rows(found)))
    if found.flips:
        caption = "Pairs that change places: McNemar's exact test, adjusted by Holm's method"
        rows = [
            [
                words.visible(f"{one.ahead_after} passes {one.ahead_before}"),
                *map(words.p_value, (one.p_before, one.p_after)),
            ]
            for one in found.flips
        ]
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
